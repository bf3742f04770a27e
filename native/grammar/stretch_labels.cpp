#include "grammar/stretch_labels.hpp"

#include <map>
#include <string>

#include "common/error.hpp"

namespace dragoman::grammar {

LabelSide label_side(std::string_view name) {
  if (name == "none") return LabelSide::kNone;
  if (name == "source") return LabelSide::kSource;
  if (name == "target") return LabelSide::kTarget;
  if (name == "both") return LabelSide::kBoth;
  throw SettingError("labels of the side '" + std::string(name) + "'", "choose from none, source, target, both");
}

void join_labels(const AlignedPair& pair, std::span<const NamedStretch> source, std::span<const NamedStretch> target,
                 const PhraseLimits& limits, bool fall_back, std::string_view usual, Vocabulary& labels,
                 std::vector<StretchLabel>& joined) {
  using Names = std::map<std::pair<int, int>, std::vector<std::string_view>>;
  const auto by_stretch = [](std::span<const NamedStretch> stretches) {
    Names names;
    for (const NamedStretch& each : stretches)
      names[{static_cast<int>(each.begin), static_cast<int>(each.end)}].push_back(each.name);
    return names;
  };
  const Names sources = by_stretch(source), targets = by_stretch(target);
  const std::vector<std::string_view> unnamed{usual};
  const auto names_of = [&](const Names& names, int begin, int end) -> const std::vector<std::string_view>* {
    if (const auto found = names.find({begin, end}); found != names.end()) return &found->second;
    return fall_back ? &unnamed : nullptr;
  };
  joined.clear();
  for_each_phrase(pair, limits, [&](const PhraseSpans& spans) {
    const auto* const left = names_of(sources, spans.source_begin, spans.source_end);
    const auto* const right = names_of(targets, spans.target_begin, spans.target_end);
    if (left == nullptr || right == nullptr || (left == &unnamed && right == &unnamed)) return;
    for (const std::string_view one : *left)
      for (const std::string_view other : *right) {
        joined.push_back({labels.intern(std::string(one).append(1, kLabelJoint).append(other)),
                          static_cast<std::uint16_t>(spans.source_begin), static_cast<std::uint16_t>(spans.source_end),
                          static_cast<std::uint16_t>(spans.target_begin),
                          static_cast<std::uint16_t>(spans.target_end)});
      }
  });
}

}  // namespace dragoman::grammar
