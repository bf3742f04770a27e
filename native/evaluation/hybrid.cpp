#include "evaluation/hybrid.hpp"

#include "common/random.hpp"

namespace dragoman::evaluation {

std::vector<double> hybrid_sums(std::span<const double> statistics, std::size_t width, std::uint32_t systems,
                                std::size_t hybrids, std::uint64_t seed, int threads, const StopCallback& stop) {
  const std::size_t segments = width == 0 || systems == 0 ? 0 : statistics.size() / width / systems;
  std::vector<double> sums(hybrids * width, 0.0);
  constexpr std::size_t kShard = 64;
  parallel_ranges(
      hybrids, kShard, threads,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t hybrid = begin; hybrid < end; ++hybrid) {
          RandomStream random(seed, hybrid);
          double* sum = sums.data() + hybrid * width;
          for (std::size_t segment = 0; segment < segments; ++segment) {
            const double* row = statistics.data() + (segment * systems + random.below(systems)) * width;
            for (std::size_t k = 0; k < width; ++k) sum[k] += row[k];
          }
        }
      },
      stop);
  return sums;
}

}  // namespace dragoman::evaluation
