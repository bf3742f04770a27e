#pragma once
// Shuffling systems' statistics (Noreen 1989; Riezler and Maxwell 2005): a mask says for each segment whether the
// outputs of two systems trade places. The mask of sample r follows from (seed, r) alone, so it is the same for every
// metric, pair of systems, block size and number of threads.
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::evaluation {

// Sums of the rows of `statistics` (segments x width) that the mask of each sample takes away: a matrix samples x
// width. With the columns of several systems side by side, all pairs of them are shuffled at once: what one system
// loses, the other gains.
[[nodiscard]] std::vector<double> masked_sums(std::span<const double> statistics, std::size_t width,
                                              std::size_t samples, std::uint64_t seed, int threads,
                                              const StopCallback& stop);

}  // namespace dragoman::evaluation
