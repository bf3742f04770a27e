#include "evaluation/shuffle.hpp"

#include "common/random.hpp"

namespace dragoman::evaluation {

std::vector<double> shuffled_sums(std::span<const double> first, std::span<const double> second, std::size_t width,
                                  std::size_t samples, std::uint64_t seed, int threads, const StopCallback& stop) {
  const std::size_t segments = width == 0 ? 0 : first.size() / width;
  std::vector<double> total(width), gain(first.size()), sums(samples * width);
  for (std::size_t i = 0; i < first.size(); ++i) {
    total[i % width] += first[i];
    gain[i] = second[i] - first[i];
  }
  constexpr std::size_t kShard = 64;
  parallel_ranges(
      samples, kShard, threads,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t sample = begin; sample < end; ++sample) {
          RandomStream bits(seed, sample);
          double* sum = sums.data() + sample * width;
          std::copy(total.begin(), total.end(), sum);
          std::uint64_t mask = 0;
          for (std::size_t segment = 0; segment < segments; ++segment, mask >>= 1) {
            if (segment % 64 == 0) mask = bits();
            if ((mask & 1u) == 0) continue;
            const double* row = gain.data() + segment * width;
            for (std::size_t i = 0; i < width; ++i) sum[i] += row[i];
          }
        }
      },
      stop);
  return sums;
}

}  // namespace dragoman::evaluation
