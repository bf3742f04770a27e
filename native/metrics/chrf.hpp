#pragma once
// chrF and chrF++ (Popović 2015, 2017): F-score of character n-grams, and of word n-grams if asked.
#include "metrics/segments.hpp"

namespace dragoman::metrics {

struct ChrfOptions {
  int character_order = 6;
  int word_order = 0;
  double beta = 2;
  bool epsilon_smoothing = false;  // every order counts, as in the first implementations; else those that exist
};

// Columns: for each order, n-grams of the hypothesis, of the reference, and matches. With several references, those of
// the one with the best score. Word lines may be empty when no word order is asked for.
[[nodiscard]] std::vector<double> chrf_statistics(const EncodedLines& hypotheses, const References& references,
                                                  const EncodedLines& hypothesis_words,
                                                  const EncodedLines& reference_words, const ChrfOptions& options,
                                                  int threads, const StopCallback& stop);

[[nodiscard]] double chrf(std::span<const double> statistics, const ChrfOptions& options) noexcept;

}  // namespace dragoman::metrics
