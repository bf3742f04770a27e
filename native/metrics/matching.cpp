#include "metrics/matching.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace dragoman::metrics {
namespace {

// The words that a stage could link: positions on both sides, edges, and connected groups of them.
struct Graph {
  struct Group {
    std::vector<std::int32_t> hypotheses, references;  // indices into the two lists of free words
    std::size_t edges = 0;
    std::size_t most = 0;  // size of a largest matching
    [[nodiscard]] bool complete() const noexcept { return edges == hypotheses.size() * references.size(); }
  };
  std::vector<std::int32_t> hypothesis_positions, reference_positions;
  std::vector<std::vector<std::int32_t>> partners;  // of each free hypothesis word
  std::vector<Group> groups;
  std::vector<std::int32_t> group_of;  // of each free hypothesis word; -1 without partners
};

// Size of a largest matching of the given hypothesis words to references for which `usable` holds (augmenting paths).
template <typename Usable>
std::size_t largest_matching(const Graph& graph, std::span<const std::int32_t> hypotheses, const Usable& usable) {
  std::vector<std::int32_t> owner(graph.reference_positions.size(), -1);
  std::vector<std::uint8_t> seen;
  const std::function<bool(std::int32_t)> place = [&](std::int32_t h) {
    for (const std::int32_t r : graph.partners[static_cast<std::size_t>(h)]) {
      const auto at = static_cast<std::size_t>(r);
      if (seen[at] != 0 || !usable(r)) continue;
      seen[at] = 1;
      if (owner[at] < 0 || place(owner[at])) {
        owner[at] = h;
        return true;
      }
    }
    return false;
  };
  std::size_t placed = 0;
  for (const std::int32_t h : hypotheses) {
    seen.assign(graph.reference_positions.size(), 0);
    if (place(h)) ++placed;
  }
  return placed;
}

void find_groups(Graph& graph) {
  const std::size_t left = graph.partners.size();
  std::vector<std::int32_t> parent(left + graph.reference_positions.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&parent](std::size_t x) {
    while (parent[x] != static_cast<std::int32_t>(x)) {
      parent[x] = parent[static_cast<std::size_t>(parent[x])];
      x = static_cast<std::size_t>(parent[x]);
    }
    return x;
  };
  for (std::size_t h = 0; h < left; ++h) {
    for (const std::int32_t r : graph.partners[h]) {
      parent[root(left + static_cast<std::size_t>(r))] = static_cast<std::int32_t>(root(h));
    }
  }
  std::vector<std::int32_t> group_of_root(parent.size(), -1);
  graph.group_of.assign(left, -1);
  for (std::size_t h = 0; h < left; ++h) {
    if (graph.partners[h].empty()) continue;
    std::int32_t& group = group_of_root[root(h)];
    if (group < 0) {
      group = static_cast<std::int32_t>(graph.groups.size());
      graph.groups.emplace_back();
    }
    graph.group_of[h] = group;
    Graph::Group& found = graph.groups[static_cast<std::size_t>(group)];
    found.hypotheses.push_back(static_cast<std::int32_t>(h));
    found.edges += graph.partners[h].size();
  }
  for (std::size_t r = 0; r < graph.reference_positions.size(); ++r) {
    const std::int32_t group = group_of_root[root(left + r)];
    if (group >= 0) graph.groups[static_cast<std::size_t>(group)].references.push_back(static_cast<std::int32_t>(r));
  }
  for (Graph::Group& group : graph.groups) {
    group.most = group.complete() ? std::min(group.hypotheses.size(), group.references.size())
                                  : largest_matching(graph, group.hypotheses, [](std::int32_t) { return true; });
  }
}

[[nodiscard]] bool test(const std::vector<std::uint64_t>& bits, std::int32_t at) noexcept {
  return (bits[static_cast<std::size_t>(at) / 64] >> (at % 64) & 1) != 0;
}
void set(std::vector<std::uint64_t>& bits, std::int32_t at) noexcept {
  bits[static_cast<std::size_t>(at) / 64] |= std::uint64_t{1} << (at % 64);
}

// Whether a group can still reach its largest matching when the words after `h` are all that remain.
bool still_reaches(const Graph& graph, const Graph::Group& group, std::int32_t h,
                   const std::vector<std::uint64_t>& used) {
  std::size_t taken = 0;
  for (const std::int32_t r : group.references) taken += test(used, r) ? 1 : 0;
  const auto after = std::upper_bound(group.hypotheses.begin(), group.hypotheses.end(), h);
  const std::span<const std::int32_t> rest(after, group.hypotheses.end());
  if (taken + rest.size() < group.most) return false;
  if (group.complete()) return taken + std::min(rest.size(), group.references.size() - taken) >= group.most;
  return taken + largest_matching(graph, rest, [&](std::int32_t r) { return !test(used, r); }) >= group.most;
}

}  // namespace

std::int64_t StagedMatcher::crossings_with_matches(std::int32_t hypothesis, std::int32_t reference) const noexcept {
  return std::count_if(matches_.begin(), matches_.end(), [=](const Match& match) {
    return (match.hypothesis < hypothesis) != (match.reference < reference);
  });
}

// Leaves one choice for each set of used words and free position, best first, and at most `beam` of them.
void StagedMatcher::keep_best(std::vector<Choice>& choices, std::size_t beam) {
  const auto rank = [](const Choice& c) { return std::tuple(-c.covered, c.crossings, c.distance); };
  std::stable_sort(choices.begin(), choices.end(), [&](const Choice& a, const Choice& b) {
    return std::tie(a.next, a.used) != std::tie(b.next, b.used) ? std::tie(a.next, a.used) < std::tie(b.next, b.used)
                                                                : rank(a) < rank(b);
  });
  choices.erase(std::unique(choices.begin(), choices.end(),
                            [](const Choice& a, const Choice& b) { return a.next == b.next && a.used == b.used; }),
                choices.end());
  std::stable_sort(choices.begin(), choices.end(), [&](const Choice& a, const Choice& b) { return rank(a) < rank(b); });
  if (choices.size() > beam) choices.resize(beam);
}

void StagedMatcher::match_words(Stage stage, Words hypothesis, Words reference, const WordRelations& relations,
                                const MatchingOptions& options) {
  Graph graph;
  for (std::size_t r = 0; r < reference.size(); ++r) {
    if (reference_taken_[r] == 0) graph.reference_positions.push_back(static_cast<std::int32_t>(r));
  }
  for (std::size_t h = 0; h < hypothesis.size(); ++h) {
    if (hypothesis_taken_[h] != 0) continue;
    std::vector<std::int32_t> partners;
    for (std::size_t k = 0; k < graph.reference_positions.size(); ++k) {
      const WordId a = hypothesis[h], b = reference[static_cast<std::size_t>(graph.reference_positions[k])];
      const bool related = stage == Stage::kExact  ? a == b
                           : stage == Stage::kStem ? relations.same_stem(a, b)
                                                   : relations.synonyms(a, b);
      if (related) partners.push_back(static_cast<std::int32_t>(k));
    }
    graph.hypothesis_positions.push_back(static_cast<std::int32_t>(h));
    graph.partners.push_back(std::move(partners));
  }
  find_groups(graph);

  const auto link = [&](std::int32_t h, std::int32_t r) {
    const std::int32_t from = graph.hypothesis_positions[static_cast<std::size_t>(h)];
    const std::int32_t to = graph.reference_positions[static_cast<std::size_t>(r)];
    matches_.push_back({from, 1, to, 1, stage});
    hypothesis_taken_[static_cast<std::size_t>(from)] = reference_taken_[static_cast<std::size_t>(to)] = 1;
  };
  std::size_t ambiguous_references = 0;
  std::vector<std::int32_t> ambiguous;
  for (const Graph::Group& group : graph.groups) {
    if (group.hypotheses.size() == 1 && group.references.size() == 1) {
      link(group.hypotheses[0], group.references[0]);
    } else {
      ambiguous.insert(ambiguous.end(), group.hypotheses.begin(), group.hypotheses.end());
      ambiguous_references += group.references.size();
    }
  }
  if (ambiguous.empty()) return;
  std::sort(ambiguous.begin(), ambiguous.end());
  const bool exact = std::max(ambiguous.size(), ambiguous_references) <= options.exact_up_to;
  const std::size_t beam = exact ? ~std::size_t{0} : options.beam;

  trail_.clear();
  std::vector<Choice> choices(1), made;
  choices[0] = {0, 0, 0, 0, -1, std::vector<std::uint64_t>((graph.reference_positions.size() + 63) / 64, 0)};
  for (const std::int32_t h : ambiguous) {
    const Graph::Group& group = graph.groups[static_cast<std::size_t>(graph.group_of[static_cast<std::size_t>(h)])];
    const std::int32_t from = graph.hypothesis_positions[static_cast<std::size_t>(h)];
    made.clear();
    for (const Choice& choice : choices) {
      const auto extend = [&](std::int32_t r) {
        Choice next = choice;
        if (r >= 0) {
          set(next.used, r);
          const std::int32_t to = graph.reference_positions[static_cast<std::size_t>(r)];
          next.covered += 1;
          next.distance += std::abs(from - to);
          next.crossings += crossings_with_matches(from, to);
          for (std::size_t k = static_cast<std::size_t>(r) + 1; k < graph.reference_positions.size(); ++k) {
            next.crossings += test(next.used, static_cast<std::int32_t>(k)) ? 1 : 0;
          }
        }
        if (!still_reaches(graph, group, h, next.used)) return;
        trail_.push_back({choice.parent, r});
        next.parent = static_cast<std::int32_t>(trail_.size()) - 1;
        made.push_back(std::move(next));
      };
      for (const std::int32_t r : graph.partners[static_cast<std::size_t>(h)]) {
        if (!test(choice.used, r)) extend(r);
      }
      extend(-1);
    }
    choices.swap(made);
    keep_best(choices, beam);
  }
  std::int32_t at = choices.front().parent;
  for (std::size_t k = ambiguous.size(); k-- > 0; at = trail_[static_cast<std::size_t>(at)].parent) {
    const std::int32_t r = trail_[static_cast<std::size_t>(at)].candidate;
    if (r >= 0) link(ambiguous[k], r);
  }
}

void StagedMatcher::match_phrases(Words hypothesis, Words reference, const PhrasePairs& paraphrases,
                                  const MatchingOptions& options) {
  std::vector<PhrasePairs::Occurrence> here, there;
  paraphrases.occurrences(hypothesis, here);
  paraphrases.occurrences(reference, there);
  const auto is_free = [](const std::vector<std::uint8_t>& taken, const PhrasePairs::Occurrence& span) {
    const auto first = taken.begin() + span.start;
    return std::all_of(first, first + span.length, [](std::uint8_t t) { return t == 0; });
  };
  std::erase_if(here, [&](const auto& span) { return !is_free(hypothesis_taken_, span); });
  std::erase_if(there, [&](const auto& span) { return !is_free(reference_taken_, span); });
  std::vector<Match> candidates;
  for (const auto& h : here) {
    for (const auto& r : there) {
      if (paraphrases.pair(h.phrase, r.phrase) != NgramTable::kNone) {
        candidates.push_back({h.start, h.length, r.start, r.length, Stage::kParaphrase});
      }
    }
  }
  if (candidates.empty()) return;
  const std::size_t beam = candidates.size() <= options.exact_up_to ? ~std::size_t{0} : options.beam;

  trail_.clear();
  std::vector<Choice> choices(1), made;
  choices[0] = {0, 0, 0, 0, -1, std::vector<std::uint64_t>((reference.size() + 63) / 64, 0)};
  for (std::size_t first = 0; first < candidates.size();) {
    std::size_t last = first;
    while (last < candidates.size() && candidates[last].hypothesis == candidates[first].hypothesis) ++last;
    made = choices;
    for (const Choice& choice : choices) {
      for (std::size_t k = first; k < last; ++k) {
        const Match& match = candidates[k];
        if (match.hypothesis < choice.next) continue;
        Choice next = choice;
        bool clash = false;
        for (std::int32_t r = match.reference; r < match.reference + match.reference_length; ++r) {
          clash = clash || test(next.used, r);
          set(next.used, r);
        }
        if (clash) continue;
        next.next = match.hypothesis + match.hypothesis_length;
        next.covered += match.hypothesis_length + match.reference_length;
        next.distance += std::abs(match.hypothesis - match.reference);
        next.crossings += crossings_with_matches(match.hypothesis, match.reference);
        for (std::int32_t at = choice.parent; at >= 0; at = trail_[static_cast<std::size_t>(at)].parent) {
          const auto earlier = static_cast<std::size_t>(trail_[static_cast<std::size_t>(at)].candidate);
          next.crossings += candidates[earlier].reference > match.reference ? 1 : 0;
        }
        trail_.push_back({choice.parent, static_cast<std::int32_t>(k)});
        next.parent = static_cast<std::int32_t>(trail_.size()) - 1;
        made.push_back(std::move(next));
      }
    }
    choices.swap(made);
    keep_best(choices, beam);
    first = last;
  }
  for (std::int32_t at = choices.front().parent; at >= 0; at = trail_[static_cast<std::size_t>(at)].parent) {
    matches_.push_back(candidates[static_cast<std::size_t>(trail_[static_cast<std::size_t>(at)].candidate)]);
  }
}

const std::vector<Match>& StagedMatcher::match(Words hypothesis, Words reference, const WordRelations& relations,
                                               const PhrasePairs& paraphrases, const MatchingOptions& options) {
  if (std::max(hypothesis.size(), reference.size()) > kMaxMatchingWords) {
    throw InputError("a segment of more than " + std::to_string(kMaxMatchingWords) + " words", "",
                     "split it, or leave METEOR out");
  }
  matches_.clear();
  hypothesis_taken_.assign(hypothesis.size(), 0);
  reference_taken_.assign(reference.size(), 0);
  for (const Stage stage : {Stage::kExact, Stage::kStem, Stage::kSynonym}) {
    if (options.stages[static_cast<std::size_t>(stage)]) match_words(stage, hypothesis, reference, relations, options);
  }
  if (options.stages[static_cast<std::size_t>(Stage::kParaphrase)]) {
    match_phrases(hypothesis, reference, paraphrases, options);
  }
  std::sort(matches_.begin(), matches_.end(),
            [](const Match& a, const Match& b) { return a.hypothesis < b.hypothesis; });
  return matches_;
}

std::int64_t count_chunks(std::span<const Match> matches) noexcept {
  std::int64_t chunks = 0;
  for (std::size_t k = 0; k < matches.size(); ++k) {
    const bool goes_on = k > 0 &&
                         matches[k].hypothesis == matches[k - 1].hypothesis + matches[k - 1].hypothesis_length &&
                         matches[k].reference == matches[k - 1].reference + matches[k - 1].reference_length;
    chunks += goes_on ? 0 : 1;
  }
  return chunks;
}

}  // namespace dragoman::metrics
