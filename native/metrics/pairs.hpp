#pragma once
// Scores of all pairs of hypotheses and references. An index from n-grams to the references that have them makes a row
// of the matrix cost what the hypothesis has in common with the references, not a comparison with each.
#include "metrics/bleu.hpp"
#include "metrics/chrf.hpp"
#include "metrics/ngrams.hpp"

namespace dragoman::metrics {

class NgramIndex {
 public:
  NgramIndex(const EncodedLines& references, int order);

  // Memory that a caller keeps between hypotheses.
  struct Scratch {
    std::vector<std::uint32_t> counts, seen;
    std::vector<std::uint8_t> orders;
  };
  // Adds clipped matches: common[reference * stride + n - 1] for n-grams of order n.
  void count_common(Words hypothesis, std::span<double> common, std::size_t stride, Scratch& scratch) const;

 private:
  struct Posting {
    std::uint32_t reference, count;
  };
  int order_;
  NgramTable table_;
  std::vector<std::size_t> ends_;  // of the postings of each n-gram
  std::vector<Posting> postings_;
};

// A row per hypothesis, a column per reference.
[[nodiscard]] std::vector<double> bleu_matrix(const EncodedLines& hypotheses, const EncodedLines& references,
                                              const BleuOptions& options, int threads, const StopCallback& stop);
[[nodiscard]] std::vector<double> chrf_matrix(const EncodedLines& hypotheses, const EncodedLines& references,
                                              const EncodedLines& hypothesis_words, const EncodedLines& reference_words,
                                              const ChrfOptions& options, int threads, const StopCallback& stop);

}  // namespace dragoman::metrics
