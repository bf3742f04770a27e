#include "grammar/gappy.hpp"

#include <algorithm>
#include <numeric>

namespace dragoman::grammar {
namespace {

bool contiguous(const std::vector<int>& positions) {
  return positions.back() - positions.front() + 1 == static_cast<int>(positions.size());
}

// Connected components of the link graph, by source word; -1 for an unaligned word.
std::vector<int> components(const AlignedPair& pair) {
  const int sources = pair.source_size();
  std::vector<int> parent(static_cast<std::size_t>(sources + pair.target_size()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int x) {
    while (parent[static_cast<std::size_t>(x)] != x) {
      int& up = parent[static_cast<std::size_t>(x)];
      up = parent[static_cast<std::size_t>(up)];
      x = up;
    }
    return x;
  };
  for (const SentenceLink link : pair.words().links)
    parent[static_cast<std::size_t>(root(sources + link.target))] = root(link.source);
  std::vector<int> of(static_cast<std::size_t>(sources), -1);
  for (int i = 0; i < sources; ++i)
    if (!pair.of_source(i).empty()) of[static_cast<std::size_t>(i)] = root(i);
  return of;
}

}  // namespace

void spell_with_gaps(const std::vector<int>& positions, std::span<const WordId> words, std::vector<WordId>& symbols,
                     std::vector<int>& places) {
  symbols.clear();
  places.assign(static_cast<std::size_t>(positions.back()) + 1, -1);
  std::uint32_t gaps = 0;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (k != 0 && positions[k] != positions[k - 1] + 1) symbols.push_back(nonterminal(kGapLabel, gaps++));
    places[static_cast<std::size_t>(positions[k])] = static_cast<int>(symbols.size());
    symbols.push_back(words[static_cast<std::size_t>(positions[k])]);
  }
}

void GappyExtractor::extract(const AlignedPair& pair, const std::function<void(const GappyUnit&)>& use) {
  pair_ = &pair;
  use_ = &use;
  component_ = components(pair);
  const auto nodes = static_cast<std::size_t>(pair.source_size() + pair.target_size());
  component_last_.assign(nodes, -1);
  for (int i = 0; i < pair.source_size(); ++i)
    if (const int c = component_[static_cast<std::size_t>(i)]; c >= 0) component_last_[static_cast<std::size_t>(c)] = i;
  chosen_.assign(nodes, 0);
  for (int first = 0; first < pair.source_size(); ++first) {
    // The unit's first word: a component may start here only if none of it lies further left.
    const int c = component_[static_cast<std::size_t>(first)];
    const auto whole = [&] {
      return std::find(component_.begin(), component_.begin() + first, c) == component_.begin() + first;
    };
    if (c >= 0 && !whole()) continue;
    if (c >= 0) chosen_[static_cast<std::size_t>(c)] = 1;
    unit_.source = {first};
    choose_source(first + 1);
    if (c >= 0) chosen_[static_cast<std::size_t>(c)] = 0;
  }
}

void GappyExtractor::choose_source(int position) {
  const int first = unit_.source.front();
  // What is chosen stands as a unit once every component in it is complete.
  const bool complete = std::all_of(unit_.source.begin(), unit_.source.end(), [&](int i) {
    const int c = component_[static_cast<std::size_t>(i)];
    return c < 0 || component_last_[static_cast<std::size_t>(c)] <= unit_.source.back();
  });
  if (complete && gaps_allowed(unit_.source, true)) close_and_grow();
  if (static_cast<int>(unit_.source.size()) == limits_.max_words) return;
  const int limit = std::min(pair_->source_size(), first + limits_.max_source_span);
  for (int i = position; i < limit; ++i) {
    const int c = component_[static_cast<std::size_t>(i)];
    const bool required = c >= 0 && chosen_[static_cast<std::size_t>(c)] != 0;
    bool starts = false;
    if (c >= 0 && !required) {
      const auto begin = component_.begin() + first, here = component_.begin() + i;
      starts = std::find(component_.begin(), begin, c) == begin && std::find(begin, here, c) == here;
      if (!starts) continue;  // part of it was left out
      chosen_[static_cast<std::size_t>(c)] = 1;
    }
    unit_.source.push_back(i);
    choose_source(i + 1);
    unit_.source.pop_back();
    if (starts) chosen_[static_cast<std::size_t>(c)] = 0;
    if (required) return;  // it may not be left out
  }
}

bool GappyExtractor::gaps_allowed(const std::vector<int>& positions, bool source) const {
  if (limits_.unaligned_gaps) return true;
  for (std::size_t k = 1; k < positions.size(); ++k) {
    bool aligned = positions[k] == positions[k - 1] + 1;
    for (int i = positions[k - 1] + 1; i < positions[k] && !aligned; ++i)
      aligned = !(source ? pair_->of_source(i) : pair_->of_target(i)).empty();
    if (!aligned) return false;
  }
  return true;
}

void GappyExtractor::close_and_grow() {
  std::vector<int> linked;
  for (const int i : unit_.source)
    for (const SentenceLink link : pair_->links(i, i + 1)) linked.push_back(link.target);
  if (linked.empty()) return;
  std::sort(linked.begin(), linked.end());
  linked.erase(std::unique(linked.begin(), linked.end()), linked.end());
  if (static_cast<int>(linked.size()) > limits_.max_words || linked.back() - linked.front() >= limits_.max_target_span)
    return;
  segments_.clear();
  for (const int j : linked) {
    if (!segments_.empty() && segments_.back().last + 1 == j)
      segments_.back().last = j;
    else
      segments_.push_back({j, j});
  }
  grown_.clear();
  choose_target(0);
}

// Takes segment by segment, with every number of unaligned words on its left and right that its neighbours leave free.
void GappyExtractor::choose_target(std::size_t segment) {
  if (segment == segments_.size()) {
    const bool source_gap = !contiguous(unit_.source), target_gap = !contiguous(grown_);
    if (source_gap == target_gap && !(source_gap && limits_.both_sides)) return;
    if (grown_.back() - grown_.front() >= limits_.max_target_span || !gaps_allowed(grown_, false)) return;
    unit_.target = grown_;
    (*use_)(unit_);
    return;
  }
  const Segment here = segments_[segment];
  const int floor = grown_.empty() ? 0 : grown_.back() + 1;
  const std::size_t kept = grown_.size();
  for (int lo = here.first; lo >= floor && (lo == here.first || pair_->of_target(lo).empty()); --lo) {
    if (kept != 0 && lo == floor && lo != here.first) break;  // a gap filled whole is filled from its left
    const int ceiling = segment + 1 < segments_.size() ? segments_[segment + 1].first : pair_->target_size();
    for (int hi = here.last; hi < ceiling && (hi == here.last || pair_->of_target(hi).empty()); ++hi) {
      if (static_cast<int>(kept) + hi - lo + 1 > limits_.max_words) break;
      for (int j = lo; j <= hi; ++j) grown_.push_back(j);
      choose_target(segment + 1);
      grown_.resize(kept);
    }
  }
}

}  // namespace dragoman::grammar
