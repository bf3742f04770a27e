#include "evaluation/hybrid.hpp"

#include "common/error.hpp"
#include "common/random.hpp"

namespace dragoman::evaluation {

std::vector<double> hybrid_sums(std::span<const double> statistics, std::size_t width,
                                std::span<const std::int64_t> ends, std::size_t hybrids, std::uint64_t seed,
                                int threads, const StopCallback& stop) {
  const std::size_t rows = width == 0 ? 0 : statistics.size() / width;
  std::int64_t before = 0;
  for (const std::int64_t end : ends) {
    if (end <= before || static_cast<std::size_t>(end) > rows)
      throw InputError("every segment needs an output that can be drawn");
    before = end;
  }
  if (static_cast<std::size_t>(before) != rows) throw InputError("the ends of segments do not fit the outputs");
  std::vector<double> sums(hybrids * width, 0.0);
  constexpr std::size_t kShard = 64;
  parallel_ranges(
      hybrids, kShard, threads,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t hybrid = begin; hybrid < end; ++hybrid) {
          RandomStream random(seed, hybrid);
          double* sum = sums.data() + hybrid * width;
          std::int64_t begin = 0;
          for (const std::int64_t end : ends) {
            const auto drawn = begin + random.below(static_cast<std::uint32_t>(end - begin));
            const double* row = statistics.data() + static_cast<std::size_t>(drawn) * width;
            for (std::size_t k = 0; k < width; ++k) sum[k] += row[k];
            begin = end;
          }
        }
      },
      stop);
  return sums;
}

}  // namespace dragoman::evaluation
