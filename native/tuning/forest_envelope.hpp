#pragma once
// The envelope of all derivations of a forest along a direction of weight space (Kumar et al. 2009; for lattices
// Macherey et al. 2008). Envelopes form a semiring: alternatives unite, parts add up, and both keep only the lines that
// are best somewhere. So the exact line search sees every derivation of the forest, for the price of a pass over its
// edges with a handful of lines each.
#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.hpp"

namespace dragoman::tuning {

struct ForestEnvelope {
  std::vector<double> from;                  // where each derivation becomes the best
  std::vector<double> slopes, heights;       // its score is height + x * slope
  forest::Rows<forest::EdgeId> derivations;  // from the goal down
};

// Weights and direction by feature id of the forest; a feature beyond their end counts nothing. Empty for a forest
// without derivations.
[[nodiscard]] ForestEnvelope forest_envelope(const forest::Forest& forest, std::span<const double> weights,
                                             std::span<const double> direction);

}  // namespace dragoman::tuning
