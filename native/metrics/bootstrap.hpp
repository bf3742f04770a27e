#pragma once
// Bootstrap resampling of statistics (Koehn 2004; Graham, Mathur and Baldwin 2014): a sample is a number of times for
// each segment, and its sum is what a metric needs. The draws of sample b follow from (seed, b) alone, so they are the
// same for every system, metric, block size and number of threads.
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::metrics {

// How often each segment is drawn in sample `sample`; as floating-point numbers, because they are multiplied.
void bootstrap_counts(std::uint64_t seed, std::uint64_t sample, std::span<double> counts) noexcept;

// Sums of the rows of `statistics` (segments x width) in each of `samples` samples: a matrix samples x width.
[[nodiscard]] std::vector<double> bootstrap_sums(std::span<const double> statistics, std::size_t width,
                                                 std::size_t samples, std::uint64_t seed, int threads,
                                                 const StopCallback& stop);

}  // namespace dragoman::metrics
