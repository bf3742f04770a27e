#pragma once
// What stands beside a phrase in a corpus: counts of words in a window around its occurrences. The suffix array has all
// occurrences of a phrase together, so that every row is counted by itself, on any thread.
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "semantics/sparse_rows.hpp"
#include "text/index.hpp"

namespace dragoman::semantics {

struct WindowSettings {
  std::size_t window = 5;   // tokens on each side, inside the sentence
  bool positional = false;  // a column per word and offset, instead of one per word
  std::size_t at_most = 0;  // occurrences that are looked at (0: all), at a uniform stride and scaled up
};

// Phrases as ids with the end of each; a phrase that holds 0 occurs nowhere.
struct Phrases {
  std::span<const WordId> words;
  std::span<const std::int64_t> ends;

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::span<const WordId> operator[](std::size_t phrase) const noexcept {
    const std::size_t start = phrase == 0 ? 0 : static_cast<std::size_t>(ends[phrase - 1]);
    return words.subspan(start, static_cast<std::size_t>(ends[phrase]) - start);
  }
};

// How many columns there are: words, or words times offsets.
[[nodiscard]] std::size_t context_columns(const text::CorpusIndex& index, const WindowSettings& settings);

// Which occurrences count, where terms of several words take their words away from shorter ones: `length` where a term
// of several words begins, `kInside` in the rest of it, 0 elsewhere. Empty: all occurrences count.
using Claims = std::span<const std::uint8_t>;
inline constexpr std::uint8_t kInside = 255;

// One row per phrase. Words whose `keep` is 0 are no columns (but take up their place in the window).
[[nodiscard]] Rows count_contexts(const text::CorpusIndex& index, const Phrases& phrases,
                                  std::span<const std::uint8_t> keep, Claims claims, const WindowSettings& settings,
                                  int threads, const StopCallback& stop);

// Sum of each column over all tokens of the corpus.
[[nodiscard]] std::vector<double> context_totals(const text::CorpusIndex& index, const WindowSettings& settings);

// For each word of the vocabulary, how many different words occur beside it at least `least` times; words that occur
// too seldom to reach `threshold` are not looked at, and get 0.
[[nodiscard]] std::vector<std::int64_t> neighbor_types(const text::CorpusIndex& index, const WindowSettings& settings,
                                                       double least, std::int64_t threshold, int threads,
                                                       const StopCallback& stop);

// Terms (phrases) with the concepts that each may stand for, and how strongly each concept goes with each word.
struct Concepts {
  std::span<const std::int64_t> starts;  // term t may be any of `of_terms[starts[t], starts[t + 1])`
  std::span<const std::int32_t> of_terms;
  RowsView strengths;  // one row per concept
};

// Rows for each pair of term and concept, in the order of `Concepts::of_terms`: contexts of those occurrences of the
// term for which the concept has the greatest sum of strengths over the window. Where several are equal, all of them
// get the occurrence, or none (`drop_ties`).
[[nodiscard]] Rows count_by_concept(const text::CorpusIndex& index, const Phrases& terms, const Concepts& concepts,
                                    std::span<const std::uint8_t> keep, Claims claims, const WindowSettings& settings,
                                    bool drop_ties, int threads, const StopCallback& stop);

}  // namespace dragoman::semantics
