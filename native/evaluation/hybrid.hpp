#pragma once
// Hybrid systems (Graham and Liu 2016): each takes the output of a system drawn at random for every segment, so that a
// handful of systems gives thousands with scores in between. The draws of hybrid h follow from (seed, h) alone.
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::evaluation {

// Sums of the statistics of each hybrid: a matrix hybrids x width. The rows of `statistics` are the outputs that may be
// drawn, segment by segment; those of segment s end before row `ends[s]`. Throws InputError if a segment has none, or
// if the ends do not fit the rows.
[[nodiscard]] std::vector<double> hybrid_sums(std::span<const double> statistics, std::size_t width,
                                              std::span<const std::int64_t> ends, std::size_t hybrids,
                                              std::uint64_t seed, int threads, const StopCallback& stop);

}  // namespace dragoman::evaluation
