#pragma once
// Smaller forests: drop what no good derivation uses. Max-marginal pruning keeps every derivation that scores close to
// the best, for an edge is judged by the best derivation through it (Huang 2008); posterior pruning keeps edges that
// are likely to be used at all. The best derivation always stays.
#include <limits>

#include "forest/forest.hpp"

namespace dragoman::forest {

struct PruneOptions {
  double margin = std::numeric_limits<double>::infinity();   // drop an edge if its best derivation is worse by more
  double density = std::numeric_limits<double>::infinity();  // keep at most this many edges per word of the best target
  double posterior = 0;                                      // drop an edge used with less than this probability
};

[[nodiscard]] Forest pruned(const Forest& forest, const PruneOptions& options);

}  // namespace dragoman::forest
