#pragma once
// Error rates by word edits, without shifts: WER (Levenshtein), PER (bags of words; Tillmann et al. 1997) and CDER
// (edits with free jumps; Leusch, Ueffing and Ney 2006).
#include "metrics/ngrams.hpp"
#include "metrics/segments.hpp"

namespace dragoman::metrics {

// Memory of the distance functions, kept between calls.
struct EditScratch {
  NgramTable table;
  std::vector<std::uint64_t> masks, plus, minus;
  std::vector<std::int64_t> row;
  std::vector<std::int64_t> counts;
};

// Least number of insertions, deletions and substitutions, 64 rows at a time (Myers 1999, Hyyrö 2003).
[[nodiscard]] std::int64_t levenshtein(Words hypothesis, Words reference, EditScratch& scratch);

// max(|h|, |r|) minus the size of the common bag of words.
[[nodiscard]] std::int64_t bag_distance(Words hypothesis, Words reference, EditScratch& scratch);

// Least number of edits when, besides, the reading position in the hypothesis may jump anywhere at the cost of one.
[[nodiscard]] std::int64_t jump_distance(Words hypothesis, Words reference, EditScratch& scratch);

enum class EditKind : std::uint8_t { kWer, kPer, kCder };

// Columns: edits, length of the reference. With several references, those of the one with the lowest rate.
[[nodiscard]] std::vector<double> edit_statistics(const EncodedLines& hypotheses, const References& references,
                                                  EditKind kind, int threads, const StopCallback& stop);

// Edits over length; with an empty reference 1 if anything was there to delete, else 0.
[[nodiscard]] inline double edit_rate(std::span<const double> statistics) noexcept {
  return statistics[1] > 0 ? statistics[0] / statistics[1] : statistics[0] > 0 ? 1.0 : 0.0;
}

}  // namespace dragoman::metrics
