#pragma once
// Lexicalised reordering inside search: how the phrase being added lies to what stands before it. Word- and
// phrase-based models compare it with the previous phrase; the hierarchical model with the largest block that ends
// where the previous phrase ends, kept by shift and reduce. A phrase with gaps lies where its first and its last word
// do, and makes a block once others have filled its gaps; with classes that have it, one that lies between the words of
// the other is contained. (Tillmann 2004; Koehn et al. 2005; Galley and Manning 2008, 2010.)
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/interned.hpp"
#include "features/coverage.hpp"
#include "features/feature.hpp"
#include "grammar/orientation.hpp"

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

class OrientationFeature {
 public:
  // A state is two ids: the stack of blocks, and the last phrase.
  static constexpr std::size_t kStates = 2;

  OrientationFeature(OrientationSettings settings, std::span<const double> weights);

  // Rows are log probabilities in the order of `features`; equal rows get one id, which lasts until `clear_rows`. An
  // option without a row has kNoRow, and nothing fires for it.
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  std::uint32_t add_row(std::span<const float> row);
  void clear_rows();

  // A new sentence: its options are added one by one and numbered from 0. One that has gaps covers fewer words than
  // there are in its span.
  void begin();
  std::uint32_t add_option(Span span, std::uint32_t row) {
    return add_option(span, row, static_cast<std::uint32_t>(span.end - span.start));
  }
  std::uint32_t add_option(Span span, std::uint32_t row, std::uint32_t covered);
  // What a phrase writes behind its gaps is no option of its own: nothing fires, and the state stays.
  static constexpr std::uint32_t kNoOption = ~std::uint32_t{0};

  void start(StateId* to);
  // The weighted score of appending an option, and the state after it.
  double extend(const StateId* from, std::uint32_t option, const Coverage& before, StateId* to);
  // The most that an option can score whatever stands before it, and after it unless it is the last.
  [[nodiscard]] double most(std::uint32_t option, bool last) const noexcept;
  // What each order with the phrase before an option, or with `next` after it, scores: monotone, swap, left, right;
  // of options without gaps.
  // Nothing if there is no model of that.
  [[nodiscard]] std::vector<double> by_order(std::uint32_t option, bool next) const;
  // The same, value by value.
  void fire(const StateId* from, std::uint32_t option, const Coverage& before, Fire& fire) const;

  // The orientation with previous of a span, for tests and explanations.
  [[nodiscard]] Orientation with_previous(const StateId* from, Span span) const;
  [[nodiscard]] const OrientationSettings& settings() const noexcept { return settings_; }

 private:
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

  struct Block {  // source words, on top of the blocks below it; all of its span but for gaps that are not filled yet
    std::uint32_t below;
    Span span;
    std::uint32_t covered;
    [[nodiscard]] bool whole() const noexcept { return static_cast<std::uint32_t>(span.end - span.start) == covered; }
    friend bool operator==(const Block&, const Block&) = default;
  };
  struct Last {  // what the next phrase must know of this one
    Span span;
    std::uint32_t row;
    friend bool operator==(const Last&, const Last&) = default;
  };
  struct OptionEntry {
    Span span;
    std::uint32_t row, covered;
    std::uint32_t last;
  };
  // Places in rows of the classes that are realised; those of kNoRow are meaningless.
  struct Realised {
    std::uint32_t forward_row, backward_row;
    std::size_t forward, backward;
  };
  [[nodiscard]] Realised realised(const StateId* from, const OptionEntry& option, const Coverage& before) const;
  std::uint32_t pushed(std::uint32_t top, Span span, std::uint32_t covered);
  [[nodiscard]] static Orientation adjacent(Span previous, Span span) noexcept;
  [[nodiscard]] Orientation with_next(Span last, Span span, const Coverage& before) const noexcept;
  [[nodiscard]] std::uint32_t intern(const Last& last);

  OrientationSettings settings_;
  std::vector<double> weights_;                                 // as `features`
  std::array<std::size_t, grammar::kOrientations> class_of_{};  // by orientation
  bool containment_ = false;
  std::size_t backward_begins_ = 0;  // in a row
  Interned<std::vector<float>> rows_;
  std::vector<double> weighted_;  // rows times weights
  std::vector<OptionEntry> options_;
  Interned<Last> lasts_;
  Interned<Block> blocks_;
};

}  // namespace dragoman::features
