#include "metrics/bootstrap.hpp"

#include <algorithm>
#include <array>

#include "common/random.hpp"

namespace dragoman::metrics {
void bootstrap_counts(std::uint64_t seed, std::uint64_t sample, std::span<double> counts) noexcept {
  std::fill(counts.begin(), counts.end(), 0.0);
  const std::uint64_t segments = counts.size();
  RandomStream random(seed, sample);
  // Two draws from each 64-bit number; the multiply-shift bias is below 2^-32 times the number of segments.
  for (std::size_t i = 0; i < counts.size(); i += 2) {
    const std::uint64_t bits = random();
    counts[((bits >> 32) * segments) >> 32] += 1;
    if (i + 1 < counts.size()) counts[((bits & 0xffffffffU) * segments) >> 32] += 1;
  }
}

namespace {

// The lanes are summed apart and together at the end, always in the same order.
double dot(std::span<const double> a, const double* b) noexcept {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += a[i + k] * b[i + k];
  }
  for (; i < a.size(); ++i) lanes[i % kLanes] += a[i] * b[i];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace

std::vector<double> bootstrap_sums(std::span<const double> statistics, std::size_t width, std::size_t samples,
                                   std::uint64_t seed, int threads, const StopCallback& stop) {
  const std::size_t segments = width == 0 ? 0 : statistics.size() / width;
  std::vector<double> columns(statistics.size());
  for (std::size_t i = 0; i < segments; ++i) {
    for (std::size_t k = 0; k < width; ++k) columns[k * segments + i] = statistics[i * width + k];
  }
  std::vector<double> sums(samples * width, 0.0);
  constexpr std::size_t kShardSamples = 16;
  parallel_ranges(
      samples, kShardSamples, threads,
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> times(segments);
        for (std::size_t sample = begin; sample < end; ++sample) {
          bootstrap_counts(seed, sample, times);
          for (std::size_t k = 0; k < width; ++k) {
            sums[sample * width + k] = dot(times, columns.data() + k * segments);
          }
        }
      },
      stop);
  return sums;
}

}  // namespace dragoman::metrics
