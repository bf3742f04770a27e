#include "forest/prune.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "forest/expectation.hpp"
#include "forest/kbest.hpp"

namespace dragoman::forest {

Forest pruned(const Forest& forest, const PruneOptions& options) {
  if (forest.empty()) return forest;
  const std::vector<EdgeId> best = best_derivation(forest);
  const std::vector<double> marginals = max_marginals(forest).edges;
  // Sums taken in another order differ in the last bits: equal scores must not look different.
  const double greatest = *std::max_element(marginals.begin(), marginals.end());
  const double slack = 1e-12 * (1 + std::abs(greatest));
  double cut = greatest - options.margin - slack;
  const auto words = std::max<std::size_t>(1, yield_of(forest, best).words.size());
  const double allowed = options.density * static_cast<double>(words);
  if (allowed < static_cast<double>(forest.edges())) {
    // The first edge too many sets the bar: all edges that are no better than it go, and with them only derivations
    // that are no better than the best one through it.
    std::vector<double> sorted(marginals);
    const auto bar = sorted.begin() + static_cast<std::ptrdiff_t>(allowed);
    std::nth_element(sorted.begin(), bar, sorted.end(), std::greater<>());
    cut = std::max(cut, *bar + slack);
  }
  const std::vector<double> likely = options.posterior > 0 ? posteriors(forest).edges : std::vector<double>{};
  std::vector<bool> keep(forest.edges());
  for (EdgeId edge = 0; edge < forest.edges(); ++edge)
    keep[edge] = marginals[edge] >= cut && (likely.empty() || likely[edge] >= options.posterior);
  for (const EdgeId edge : best) keep[edge] = true;
  return restricted(forest, keep);
}

}  // namespace dragoman::forest
