#pragma once
// Labels spread over a weighted graph: repeated averaging of what the neighbours of a node believe, mixed with what the
// node was told. All nodes of one round look at the round before (Jacobi), so that order and threads do not matter.
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "semantics/sparse_rows.hpp"

namespace dragoman::semantics {

struct PropagationSettings {
  int rounds = 10;
  double tolerance = 0;      // stop when the mean squared change per node is smaller
  std::size_t keep_top = 0;  // most labels of a node (0: all), the greatest before the division
};

struct Propagated {
  Rows labels;
  int rounds = 0;
  double change = 0;  // mean squared change per node in the last round
};

// labels[v] = (given[v] + sum over u of coupling[v][u] labels[u]) / divisors[v], from `start` on.
[[nodiscard]] Propagated propagate(RowsView coupling, RowsView given, RowsView start, std::span<const double> divisors,
                                   std::size_t label_count, const PropagationSettings& settings, int threads,
                                   const StopCallback& stop);

}  // namespace dragoman::semantics
