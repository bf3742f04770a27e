#pragma once
// Merging runs: the dictionaries of all runs become one, in order, and each run learns where its ids went; pairs are
// then merged range by range of sources, each range independently of the others.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "grammar/run.hpp"

namespace dragoman::grammar {

// Writes FOLDER/merged and FOLDER/places.0, .1, ... (one per run, in the order given).
void merge_dictionaries(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& folder,
                        int threads);

class Merged {
 public:
  Merged(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& folder);

  FlatPhrases sources, targets, patterns;        // patterns in the order that breaks ties
  std::span<const std::uint64_t> target_counts;  // weights
  std::span<const Run::LexicalCount> lexical;
  std::uint64_t unit = 1;  // what a count of one weighs

  // Source ids that cut the work into pieces, from 0 to sources.size(): of at least `least` pairs (before merging) and,
  // where that gives more than `most` pieces, larger, but never of many more than `limit`. Sources that differ in their
  // left-hand sides only stay together.
  [[nodiscard]] std::vector<std::uint32_t> cuts(std::uint64_t least, std::uint64_t most, std::uint64_t limit) const;

  struct Pair {
    std::uint32_t source, target, pattern;
    std::uint64_t count, weight;
    std::uint64_t previous[kOrientations], next[kOrientations];
    std::uint32_t domains;
    std::vector<std::uint32_t> evidence;
  };
  // Calls use(const Pair&) for each distinct pair whose source lies in [begin, end), sorted by source, then target.
  template <typename Use>
  void for_each_pair(std::uint32_t begin, std::uint32_t end, Use&& use) const;

  [[nodiscard]] bool has_orientations() const noexcept { return has(&Run::orientations); }
  [[nodiscard]] bool has_domains() const noexcept { return has(&Run::domains); }
  [[nodiscard]] bool has_evidence() const noexcept { return has(&Run::evidence_ends); }

 private:
  template <typename Column>
  [[nodiscard]] bool has(Column column) const noexcept {
    for (const Run& run : runs_)
      if (!(run.*column).empty()) return true;
    return false;
  }
  struct Places {
    std::unique_ptr<BinaryFile> file;
    std::span<const std::uint32_t> sources, targets, patterns;
  };
  struct Cursor {
    const Run* run;
    const Places* places;
    std::size_t at, end;
    [[nodiscard]] std::uint64_t key() const noexcept {
      return std::uint64_t{places->sources[run->pair_source[at]]} << 32 | places->targets[run->pair_target[at]];
    }
  };
  void add(const Cursor& cursor, Pair& pair, std::vector<Run::PatternCount>& patterns) const;

  std::unique_ptr<BinaryFile> file_;
  std::vector<Run> runs_;
  std::vector<Places> places_;
};

template <typename Use>
void Merged::for_each_pair(std::uint32_t begin, std::uint32_t end, Use&& use) const {
  std::vector<Cursor> cursors;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const auto& run = runs_[r];
    const auto first_pair = [&](std::uint32_t source) {
      const auto& places = places_[r].sources;
      const auto local = std::lower_bound(places.begin(), places.end(), source) - places.begin();
      return static_cast<std::size_t>(
          std::lower_bound(run.pair_source.begin(), run.pair_source.end(), static_cast<std::uint32_t>(local)) -
          run.pair_source.begin());
    };
    const Cursor cursor{&run, &places_[r], first_pair(begin), first_pair(end)};
    if (cursor.at < cursor.end) cursors.push_back(cursor);
  }
  // A binary heap of cursors, smallest key first.
  std::vector<std::pair<std::uint64_t, std::size_t>> heap;
  const auto later = [](const auto& a, const auto& b) { return a > b; };
  for (std::size_t c = 0; c < cursors.size(); ++c) heap.emplace_back(cursors[c].key(), c);
  std::make_heap(heap.begin(), heap.end(), later);
  Pair pair;
  std::vector<Run::PatternCount> patterns;
  while (!heap.empty()) {
    const std::uint64_t key = heap.front().first;
    pair = Pair{};
    pair.source = static_cast<std::uint32_t>(key >> 32);
    pair.target = static_cast<std::uint32_t>(key);
    patterns.clear();
    while (!heap.empty() && heap.front().first == key) {
      std::pop_heap(heap.begin(), heap.end(), later);
      Cursor& cursor = cursors[heap.back().second];
      add(cursor, pair, patterns);
      if (++cursor.at < cursor.end) {
        heap.back().first = cursor.key();
        std::push_heap(heap.begin(), heap.end(), later);
      } else {
        heap.pop_back();
      }
    }
    std::sort(patterns.begin(), patterns.end(), [](const auto& a, const auto& b) { return a.pattern < b.pattern; });
    std::uint64_t best = 0;
    for (std::size_t i = 0; i < patterns.size();) {
      std::uint64_t count = 0;
      const std::uint32_t pattern = patterns[i].pattern;
      for (; i < patterns.size() && patterns[i].pattern == pattern; ++i) count += patterns[i].count;
      if (count > best) {
        best = count;
        pair.pattern = pattern;
      }
    }
    use(pair);
  }
}

}  // namespace dragoman::grammar
