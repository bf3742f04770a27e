#include "evaluation/resample.hpp"

#include <algorithm>

#include "common/random.hpp"

namespace dragoman::evaluation {
void bootstrap_counts(std::uint64_t seed, std::uint64_t sample, std::span<std::uint32_t> counts) noexcept {
  std::fill(counts.begin(), counts.end(), 0);
  const std::uint64_t segments = counts.size();
  RandomStream random(seed, sample);
  // Two draws from each 64-bit number; the multiply-shift bias is below 2^-32 times the number of segments.
  for (std::size_t i = 0; i < counts.size(); i += 2) {
    const std::uint64_t bits = random();
    ++counts[((bits >> 32) * segments) >> 32];
    if (i + 1 < counts.size()) ++counts[((bits & 0xffffffffU) * segments) >> 32];
  }
}

std::vector<double> bootstrap_sums(std::span<const double> statistics, std::size_t width, std::size_t samples,
                                   std::uint64_t seed, int threads, const StopCallback& stop) {
  const std::size_t segments = width == 0 ? 0 : statistics.size() / width;
  std::vector<double> sums(samples * width, 0.0);
  constexpr std::size_t kShardSamples = 16;
  parallel_ranges(
      samples, kShardSamples, threads,
      [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> times(segments);
        for (std::size_t sample = begin; sample < end; ++sample) {
          bootstrap_counts(seed, sample, times);
          double* const sum = sums.data() + sample * width;
          for (std::size_t i = 0; i < segments; ++i) {
            if (times[i] == 0) continue;
            const double* const row = statistics.data() + i * width;
            for (std::size_t k = 0; k < width; ++k) sum[k] += times[i] * row[k];
          }
        }
      },
      stop);
  return sums;
}

}  // namespace dragoman::evaluation
