#pragma once
// METEOR (Banerjee and Lavie 2005; Lavie and Agarwal 2007; Denkowski and Lavie 2011): harmonic mean of precision and
// recall of matched words, weighted by stage and word class, less a penalty for matches that are scattered.
#include "metrics/matching.hpp"

namespace dragoman::metrics {

struct MeteorOptions {
  double alpha = 0.8, beta = 2.5, gamma = 0.4, delta = 0.5;
  std::array<double, kStages> weights{1, 1, 1, 1};
  bool strict = false;  // keep the penalty even when the whole segment is one chunk
  MatchingOptions matching;
};

// Columns: for each stage, matched content and function words of the hypothesis, then of the reference (16); content
// and function words of the hypothesis, then of the reference (4); chunks. With several references, those of the one
// with the best score.
inline constexpr std::size_t kMeteorWidth = 4 * kStages + 5;

[[nodiscard]] std::vector<double> meteor_statistics(const EncodedLines& hypotheses, const References& references,
                                                    const WordRelations& relations, const PhrasePairs& paraphrases,
                                                    const MeteorOptions& options, int threads,
                                                    const StopCallback& stop);

struct MeteorParts {
  double score = 0, precision = 0, recall = 0, penalty = 0;
};
[[nodiscard]] MeteorParts meteor(std::span<const double> statistics, const MeteorOptions& options) noexcept;

}  // namespace dragoman::metrics
