#pragma once
// Translation edit rate (Snover et al. 2006): insertions, deletions, substitutions and shifts of blocks. The best
// sequence of shifts cannot be found in reasonable time, so the score is *defined* by a greedy search; limits, order of
// trial and ties below are tercom's, as the field's scorers have settled on them, and change scores if they change.
#include "metrics/segments.hpp"

namespace dragoman::metrics {

inline constexpr std::int32_t kMaxShiftSize = 10;
inline constexpr std::int32_t kMaxShiftDistance = 50;
inline constexpr std::int32_t kEditBeam = 25;
inline constexpr std::int32_t kMaxShiftCandidates = 1000;

class TerAligner {
 public:
  struct Result {
    std::int64_t edits;  // shifts included
    std::int64_t shifts;
  };
  Result align(Words hypothesis, Words reference);

  struct Alignment {
    std::vector<WordId> words;           // the hypothesis with its blocks shifted
    std::vector<std::int32_t> partners;  // for each word of the reference, the place of its partner in `words`, or -1
  };
  [[nodiscard]] Alignment alignment(Words hypothesis, Words reference);

 private:
  struct Best {
    std::int32_t gain = 0, length = 0, start = 0, target = 0;
    bool found = false;
  };
  struct Band {
    std::int32_t first, last;  // half-open range of columns
  };

  [[nodiscard]] Band band(std::int32_t row) const noexcept;
  void fill_matrix();
  [[nodiscard]] std::int32_t cell(std::int32_t row, std::int32_t column) const noexcept;
  void next_row(const std::int32_t* before, Band before_band, std::int32_t* here, Band here_band, WordId word) const;
  [[nodiscard]] std::int32_t distance_of_candidate();
  void trace();
  [[nodiscard]] Best best_shift(std::int32_t& checked);
  void make_candidate(std::int32_t start, std::int32_t length, std::int32_t target);

  Words reference_;
  std::vector<WordId> words_, candidate_;  // the hypothesis as shifted so far, and with one more shift
  std::int32_t beam_ = 0;
  double ratio_ = 1;
  std::vector<std::int32_t> cells_;  // rows of the edit matrix of `words_`, each as wide as its band
  std::vector<std::size_t> row_start_;
  std::vector<std::int32_t> above_, below_;
  std::vector<std::int32_t> aligned_;   // position in the hypothesis of each reference word, or of the word before it
  std::vector<std::int32_t> partners_;  // the same where a word stands for it, else -1
  std::vector<std::int32_t> hypothesis_errors_, reference_errors_;  // running sums
};

// Columns: lowest edits over the references, mean length of the references.
[[nodiscard]] std::vector<double> ter_statistics(const EncodedLines& hypotheses, const References& references,
                                                 int threads, const StopCallback& stop);

}  // namespace dragoman::metrics
