#include "features/structural_distortion.hpp"

#include <algorithm>

namespace dragoman::features {

std::uint8_t reordered_nonterminals(std::span<const WordId> source, std::span<const WordId> target,
                                    std::span<const grammar::Link> links) {
  struct Place {
    std::size_t source, target;
  };
  std::vector<Place> gaps, others;
  for (std::size_t at = 0; at < source.size(); ++at)
    if (grammar::is_nonterminal(source[at])) gaps.push_back({at, target.size()});
  for (std::size_t at = 0; at < target.size(); ++at)
    if (grammar::is_nonterminal(target[at]) && grammar::index_of(target[at]) < gaps.size())
      gaps[grammar::index_of(target[at])].target = at;
  others = gaps;
  for (const grammar::Link link : links)
    if (link.source < source.size() && link.target < target.size() && !grammar::is_nonterminal(source[link.source]))
      others.push_back({link.source, link.target});
  std::uint8_t found = 0;
  for (std::size_t gap = 0; gap < std::min<std::size_t>(gaps.size(), 8); ++gap)
    for (const Place& other : others)
      if ((other.source < gaps[gap].source && other.target > gaps[gap].target) ||
          (other.source > gaps[gap].source && other.target < gaps[gap].target))
        found |= static_cast<std::uint8_t>(1u << gap);
  return found;
}

template <typename Use>
void StructuralDistortionFeature::for_each_gap(const SentenceView& sentence, const OptionView& option, const Use& use) {
  const auto gaps = sentence.gaps(option);
  if (gaps.empty() || is_glue(option)) return;
  std::uint16_t& reordered = reordered_[option];
  if (reordered == kFresh) reordered = reordered_nonterminals(option.source, option.target, sentence.links(option));
  for (std::size_t gap = 0; gap < gaps.size(); ++gap) {
    const bool moved = gap < 8 && ((reordered >> gap) & 1u) != 0;
    use(settings_->fired[moved][gap_size(static_cast<std::uint32_t>(gaps[gap].end - gaps[gap].start))]);
  }
}

void StructuralDistortionFeature::fire(const SentenceView& sentence, std::span<const OptionView> options,
                                       std::span<Fire> fires) {
  reordered_.begin(sentence);
  const std::span<const double> weights = sentence.weights();
  for (std::size_t i = 0; i < options.size(); ++i)
    for_each_gap(sentence, options[i], [&](const StructuralDistortion::Fired& fired) {
      if (fired.feature < weights.size()) fires[i].add_sum(weights[fired.feature] * fired.value);
    });
}

void StructuralDistortionFeature::fire_values(const SentenceView& sentence, const OptionView& option, Fire& fire) {
  for_each_gap(sentence, option, [&](const StructuralDistortion::Fired& fired) { fire(fired.feature, fired.value); });
}

void count_gaps(std::span<const grammar::SentenceLink> links, std::uint32_t longest, GapCounts& counts) {
  std::uint32_t source = 0, target = 0;
  for (const grammar::SentenceLink link : links) {
    source = std::max<std::uint32_t>(source, link.source + 1u);
    target = std::max<std::uint32_t>(target, link.target + 1u);
  }
  // Of each source word the first and the last target word that it is linked to, and the other way round.
  struct Reach {
    std::uint32_t first = ~0u, last = 0;
    void take(std::uint32_t at) { first = std::min(first, at), last = std::max(last, at); }
    [[nodiscard]] bool empty() const { return first == ~0u; }
  };
  std::vector<Reach> of_source(source), of_target(target);
  for (const grammar::SentenceLink link : links) {
    of_source[link.source].take(link.target);
    of_target[link.target].take(link.source);
  }
  // Tight pairs of phrases: each source span with linked words at its ends has one at most.
  struct Block {
    std::uint32_t start, end;  // in the source
    Reach in_target;
  };
  std::vector<Block> blocks;
  for (std::uint32_t start = 0; start < source; ++start) {
    if (of_source[start].empty()) continue;
    Reach reach;
    for (std::uint32_t end = start + 1; end <= std::min(source, start + longest); ++end) {
      const Reach& word = of_source[end - 1];
      if (word.empty()) continue;
      reach.take(word.first), reach.take(word.last);
      if (reach.last - reach.first >= longest) break;
      bool closed = true;
      for (std::uint32_t at = reach.first; at <= reach.last && closed; ++at)
        closed = of_target[at].empty() || (of_target[at].first >= start && of_target[at].last < end);
      if (closed) blocks.push_back({start, end, reach});
    }
  }
  for (const Block& outer : blocks)
    for (const Block& inner : blocks) {
      if (inner.start < outer.start || inner.end > outer.end || inner.end - inner.start == outer.end - outer.start)
        continue;
      bool moved = false;
      for (std::uint32_t at = outer.start; at < outer.end && !moved; ++at) {
        if (of_source[at].empty()) continue;
        if (at < inner.start) moved = of_source[at].last > inner.in_target.last;
        if (at >= inner.end) moved = of_source[at].first < inner.in_target.first;
      }
      ++counts[moved][gap_size(inner.end - inner.start)];
    }
}

}  // namespace dragoman::features
