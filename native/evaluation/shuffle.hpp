#pragma once
// Shuffling two systems' statistics (Noreen 1989; Riezler and Maxwell 2005): a mask says for each segment whether the
// two outputs trade places. The mask of sample r follows from (seed, r) alone, so it is the same for every metric, pair
// of systems, block size and number of threads.
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::evaluation {

// Sums of the first system's rows after shuffling, in each of `samples` samples: a matrix samples x width. The second
// system's are what is left of the total.
[[nodiscard]] std::vector<double> shuffled_sums(std::span<const double> first, std::span<const double> second,
                                                std::size_t width, std::size_t samples, std::uint64_t seed, int threads,
                                                const StopCallback& stop);

}  // namespace dragoman::evaluation
