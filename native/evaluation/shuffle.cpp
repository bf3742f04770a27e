#include "evaluation/shuffle.hpp"

#include <algorithm>

#include "common/random.hpp"

namespace dragoman::evaluation {
namespace {

constexpr std::size_t kBlock = 4;  // segments whose subsets are summed beforehand
constexpr std::size_t kSubsets = std::size_t{1} << kBlock;

// For each block of segments, the sum of every subset of its rows: blocks x subsets x width.
std::vector<double> subset_sums(std::span<const double> statistics, std::size_t width, std::size_t segments) {
  const std::size_t blocks = (segments + kBlock - 1) / kBlock;
  std::vector<double> sums(blocks * kSubsets * width, 0.0);
  for (std::size_t block = 0; block < blocks; ++block) {
    double* table = sums.data() + block * kSubsets * width;
    for (std::size_t bit = 0; bit < kBlock && block * kBlock + bit < segments; ++bit) {
      const double* row = statistics.data() + (block * kBlock + bit) * width;
      for (std::size_t subset = 0; subset < kSubsets; ++subset) {
        if ((subset >> bit & 1U) == 0) continue;
        for (std::size_t k = 0; k < width; ++k) table[subset * width + k] += row[k];
      }
    }
  }
  return sums;
}

}  // namespace

std::vector<double> masked_sums(std::span<const double> statistics, std::size_t width, std::size_t samples,
                                std::uint64_t seed, int threads, const StopCallback& stop) {
  const std::size_t segments = width == 0 ? 0 : statistics.size() / width;
  const std::size_t blocks = (segments + kBlock - 1) / kBlock;
  const std::vector<double> tables = subset_sums(statistics, width, segments);
  std::vector<double> sums(samples * width, 0.0);
  constexpr std::size_t kShard = 64;
  constexpr std::size_t kBlocksPerWord = 64 / kBlock;
  parallel_ranges(
      samples, kShard, threads,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t sample = begin; sample < end; ++sample) {
          RandomStream bits(seed, sample);
          double* sum = sums.data() + sample * width;
          std::uint64_t mask = 0;
          for (std::size_t block = 0; block < blocks; ++block, mask >>= kBlock) {
            if (block % kBlocksPerWord == 0) mask = bits();
            const double* row = tables.data() + (block * kSubsets + (mask & (kSubsets - 1))) * width;
            for (std::size_t k = 0; k < width; ++k) sum[k] += row[k];
          }
        }
      },
      stop);
  return sums;
}

}  // namespace dragoman::evaluation
