#pragma once
// BLEU (Papineni et al. 2002): clipped n-gram precisions and a brevity penalty, with the smoothings of Chen and Cherry
// (2014) and the sentence-level variants of Lin and Och (2004) and Nakov et al. (2012).
#include "metrics/segments.hpp"

namespace dragoman::metrics {

enum class ReferenceLength : std::uint8_t { kClosest, kShortest, kAverage };

// Columns: clipped matches for n = 1..order, n-grams of the hypothesis for n = 1..order, reference length; and, if
// `with_shortest`, the length of the shortest reference.
[[nodiscard]] std::vector<double> bleu_statistics(const EncodedLines& hypotheses, const References& references,
                                                  int order, ReferenceLength length, bool with_shortest, int threads,
                                                  const StopCallback& stop);

enum class Smoothing : std::uint8_t { kNone, kFloor, kAddK, kAddKAll, kExponential };

struct BleuOptions {
  int order = 4;
  Smoothing smoothing = Smoothing::kExponential;
  double smooth_value = 0;         // of kFloor, kAddK and kAddKAll
  bool effective_order = false;    // leave out orders that the hypothesis is too short for
  double reference_scale = 1;      // multiplies the reference length
  double reference_extra = 0;      // is added to it, once per score
  bool penalize_length = false;    // the penalty also rewards (is above 1) when the hypothesis is longer
  bool grounded = false;           // subtract what the same lengths would earn without any match
  bool scale_by_shortest = false;  // multiply by the last column
};

struct BleuParts {
  double score = 0, brevity = 0;
  std::vector<double> precisions;
};

[[nodiscard]] BleuParts bleu(std::span<const double> statistics, const BleuOptions& options);

}  // namespace dragoman::metrics
