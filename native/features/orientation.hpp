#pragma once
// Lexicalised reordering inside search: how the phrase being added lies to what stands before it. Word- and
// phrase-based models compare it with the previous phrase; the hierarchical model with the largest block that ends
// where the previous phrase ends, kept by shift and reduce. (Tillmann 2004; Koehn et al. 2005; Galley and Manning
// 2008.)
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/interned.hpp"
#include "features/feature.hpp"
#include "grammar/orientation.hpp"
#include "search/coverage.hpp"

namespace dragoman::features {

using grammar::Orientation;
using grammar::OrientationClasses;
[[nodiscard]] int class_count(OrientationClasses classes) noexcept;
[[nodiscard]] int class_of(Orientation orientation, OrientationClasses classes) noexcept;

struct OrientationSettings {
  OrientationClasses classes = OrientationClasses::kMslr;
  bool hierarchical = true;
  bool forward = true;              // with previous: the row of the phrase being added
  bool backward = true;             // with next: the row of the phrase before it
  std::vector<FeatureId> features;  // forward classes first, then backward ones
};

// The state features of one sentence; rows of probabilities are those of its options.
class OrientationFeature {
 public:
  explicit OrientationFeature(OrientationSettings settings) : settings_(std::move(settings)) {}

  // Forget the last sentence.
  void reset();
  // Rows are log probabilities in the order of `features`; equal rows get one id. An option without a row has kNoRow,
  // and nothing fires for it.
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  std::uint32_t add_row(std::span<const float> row);

  [[nodiscard]] StateId start() { return intern({kNoBlock, {0, 0}, kNoRow}); }
  StateId extend(StateId from, Span span, std::uint32_t row, const Coverage& before, Fire& fire);

  // The orientation with previous of a span, for tests and explanations.
  [[nodiscard]] Orientation with_previous(StateId from, Span span) const;
  [[nodiscard]] const OrientationSettings& settings() const noexcept { return settings_; }

 private:
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

  struct Block {  // a contiguous source interval, on top of the blocks below it
    std::uint32_t below;
    Span span;
    friend bool operator==(const Block&, const Block&) = default;
  };
  struct State {
    std::uint32_t top;  // block stack; unused unless hierarchical
    Span last;
    std::uint32_t row;
    friend bool operator==(const State&, const State&) = default;
  };
  StateId intern(const State& state);
  std::uint32_t pushed(std::uint32_t top, Span span);
  [[nodiscard]] static Orientation adjacent(Span previous, Span span) noexcept;

  OrientationSettings settings_;
  Interned<std::vector<float>> rows_;
  Interned<State> states_;
  Interned<Block> blocks_;
};

}  // namespace dragoman::features
