#pragma once
// Batch MIRA on n-best lists (Cherry and Foster 2012). For one sentence after another, the candidate that model and
// metric like best together (hope) is to score above the one that the model likes and the metric does not (fear), by as
// much as the metric says; the weights take the smallest step that achieves it. The gain of a sentence is measured as
// part of a document, a decaying sum of the hopes before it, in words of the reference.
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/gain.hpp"
#include "tuning/pool.hpp"

namespace dragoman::tuning {

// Who is compared with whom, and how far a step goes. `kMargin` is MIRA. `kPerceptron` moves by a fixed step from the
// best candidate to the one with the highest gain, of several derivations the one that the model likes best (Liang et
// al. 2006). `kRamp` moves by a fixed step from fear to hope wherever they differ, and draws the weights back to where
// they started (Gimpel and Smith 2012).
enum class MiraRule : std::uint8_t { kMargin, kPerceptron, kRamp };

struct MiraOptions {
  MiraRule rule = MiraRule::kMargin;
  double step = 0.01;    // the longest step, or the only one
  double pull = 0;       // of kRamp: what share of the way back each visit takes
  double decay = 0.999;  // of the background
  std::size_t passes = 60;
  int length_column = -1;  // of the statistics: reference words; negative: `words` says how many
  std::uint64_t seed = 1;
  int threads = 1;
};

struct MiraResult {
  std::vector<double> weights;  // the average that scored best
  double gain = 0;              // of the whole lists under them
  std::size_t pass = 0;         // after which they were taken
  std::vector<double> gains;    // of the average after each pass
};

// Reference words of each sentence in `words`; features with `fixed` keep their weight.
[[nodiscard]] MiraResult batch_mira(const Pool& pool, const metrics::Gain& gain, std::span<const double> start,
                                    std::span<const double> words, std::span<const std::uint8_t> fixed,
                                    const MiraOptions& options, const StopCallback& stop);

// The step of size min(longest, loss / |difference|^2) along a difference of feature vectors, 0 if there is no loss:
// the one kernel of the whole family (Crammer et al. 2006).
[[nodiscard]] inline double passive_aggressive_step(double loss, double squared_norm, double longest) noexcept {
  if (!(loss > 0) || !(squared_norm > 0)) return 0;
  const double step = loss / squared_norm;
  return step < longest ? step : longest;
}

}  // namespace dragoman::tuning
