#pragma once
// Labels of phrase pairs: what syntax calls their source side, their target side, or both (Zollmann and Venugopal
// 2006).
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"
#include "grammar/aligned_pair.hpp"
#include "grammar/extract_phrases.hpp"

namespace dragoman::grammar {

// The side whose syntax labels nonterminals.
enum class LabelSide : std::uint8_t { kNone, kSource, kTarget, kBoth };

// By its name: none, source, target or both.
[[nodiscard]] LabelSide label_side(std::string_view name);

// Stands between the labels of the two sides where a nonterminal has both.
inline constexpr char kLabelJoint = '~';

class StretchLabels {
 public:
  void assign(std::span<const StretchLabel> labels, LabelSide side) {
    side_ = side;
    keys_.clear();
    for (const StretchLabel& each : labels) keys_.push_back({key(each), each.label});
    std::stable_sort(keys_.begin(), keys_.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    labels_.clear();
    for (const Keyed& each : keys_) labels_.push_back(each.label);
  }
  // The labels of a phrase pair, the outermost first.
  [[nodiscard]] std::span<const std::uint32_t> of(const PhraseSpans& spans) const noexcept {
    const bool source = side_ != LabelSide::kTarget, target = side_ != LabelSide::kSource;
    const auto wanted = key({0, static_cast<std::uint16_t>(source ? spans.source_begin : 0),
                             static_cast<std::uint16_t>(source ? spans.source_end : 0),
                             static_cast<std::uint16_t>(target ? spans.target_begin : 0),
                             static_cast<std::uint16_t>(target ? spans.target_end : 0)});
    const auto [first, last] = std::equal_range(keys_.begin(), keys_.end(), Keyed{wanted, 0},
                                                [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    return std::span(labels_).subspan(static_cast<std::size_t>(first - keys_.begin()),
                                      static_cast<std::size_t>(last - first));
  }

 private:
  struct Keyed {
    std::uint64_t key;
    std::uint32_t label;
  };
  [[nodiscard]] static std::uint64_t key(const StretchLabel& label) noexcept {
    return std::uint64_t{label.source_begin} << 48 | std::uint64_t{label.source_end} << 32 |
           std::uint64_t{label.target_begin} << 16 | label.target_end;
  }

  LabelSide side_ = LabelSide::kNone;
  std::vector<Keyed> keys_;
  std::vector<std::uint32_t> labels_;
};

// A stretch of one side and its name.
struct NamedStretch {
  std::string_view name;
  std::uint32_t begin, end;
};

// Labels of the phrase pairs of both sides, `NP~NN`, where a pair has a label on each; with `fall_back` that of a side
// without any is the usual one, `usual`. Pairs are those that the limits allow.
void join_labels(const AlignedPair& pair, std::span<const NamedStretch> source, std::span<const NamedStretch> target,
                 const PhraseLimits& limits, bool fall_back, std::string_view usual, Vocabulary& labels,
                 std::vector<StretchLabel>& joined);

}  // namespace dragoman::grammar
