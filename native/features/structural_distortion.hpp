#pragma once
// Structural distortion: how wide a gap of a hierarchical rule is, and whether the rule moves what fills it past other
// parts of itself. Short things are moved often and long ones rarely, but a hierarchical rule does not know what will
// fill its gaps (Chiang, Marton and Resnik 2008, who name the features without defining them: this is a
// reconstruction). A nonterminal is reordered if another nonterminal of the rule, or a linked pair of its words, stands
// before it on one side and behind it on the other.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/feature.hpp"
#include "features/per_rule.hpp"
#include "grammar/bitext.hpp"

namespace dragoman::features {

// Gaps of 1 to 10 words, and longer ones.
inline constexpr std::uint32_t kGapSizes = 11;
[[nodiscard]] constexpr std::uint32_t gap_size(std::uint32_t words) noexcept {
  return (words < kGapSizes ? words : kGapSizes) - 1;
}

// Nonterminals of a rule that it reorders, as bits in source order; those beyond the eighth count as not reordered.
[[nodiscard]] std::uint8_t reordered_nonterminals(std::span<const WordId> source, std::span<const WordId> target,
                                                  std::span<const grammar::Link> links);

// What a gap fires: by size and whether it is reordered, a feature and its value. One feature for each is the fine
// form; the coarse one has a single feature, whose value is a log probability.
struct StructuralDistortion {
  struct Fired {
    FeatureId feature;
    double value;
  };
  std::array<std::array<Fired, kGapSizes>, 2> fired;  // [reordered][size]
};

class StructuralDistortionFeature final : public RuleFeature {
 public:
  explicit StructuralDistortionFeature(std::shared_ptr<const StructuralDistortion> settings)
      : settings_(std::move(settings)) {}
  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override;
  [[nodiscard]] bool defers_values() const override { return true; }
  void fire_values(const SentenceView& sentence, const OptionView& option, Fire& fire) override;

 private:
  static constexpr std::uint16_t kFresh = 0x100;
  // Calls use(what fires) for each gap of an option.
  template <typename Use>
  void for_each_gap(const SentenceView& sentence, const OptionView& option, const Use& use);

  std::shared_ptr<const StructuralDistortion> settings_;
  PerRule<std::uint16_t> reordered_{kFresh};
};

// How often gaps of each size are reordered in word-aligned text: of every pair of phrases within another one of up to
// `longest` words, counted as a gap of it. Rows: straight, reordered.
using GapCounts = std::array<std::array<std::uint64_t, kGapSizes>, 2>;
void count_gaps(std::span<const grammar::SentenceLink> links, std::uint32_t longest, GapCounts& counts);

}  // namespace dragoman::features
