#pragma once
// What a forest expects: posteriors of nodes and edges, expected features, entropy, and how a gain that adds up along a
// derivation varies together with each feature (Li and Eisner 2009). These are the gradients of most training
// criteria: d log Z / d w = E[features], d E[gain] / d w = Cov(gain, features).
#include <span>
#include <vector>

#include "forest/forest.hpp"

namespace dragoman::forest {

// Expected number of times that each node and edge is used; a probability unless a derivation can use it twice.
struct Posteriors {
  double log_partition;  // logarithm of the sum of exp(score) over all derivations
  std::vector<double> nodes, edges;
};
[[nodiscard]] Posteriors posteriors(const Forest& forest);

// For each edge (node), the score of the best derivation that uses it.
struct MaxMarginals {
  std::vector<double> nodes, edges;
};
[[nodiscard]] MaxMarginals max_marginals(const Forest& forest);

// Sparse vector over features, sorted by feature.
struct FeatureValues {
  std::vector<FeatureId> ids;
  std::vector<double> values;
};
// Sum over edges of amount(edge) times the features of the edge.
[[nodiscard]] FeatureValues weighted_features(const Forest& forest, std::span<const double> amounts);
[[nodiscard]] FeatureValues expected_features(const Forest& forest);

// The feature vectors of derivations, one row each, sorted by feature: what tuners make of an n-best list.
struct FeatureRows {
  Rows<FeatureId> ids;
  std::vector<double> values;  // parallel to the values of `ids`
};
[[nodiscard]] FeatureRows derivation_features(const Forest& forest, const Rows<EdgeId>& derivations);

// A quantity that adds up along a derivation, `gains[edge]` for each use of an edge.
struct GainExpectation {
  double log_partition, mean;
  FeatureValues covariance;  // of the gain with each feature: the gradient of the mean
};
[[nodiscard]] GainExpectation gain_expectation(const Forest& forest, std::span<const double> gains);

// Variance-like statistics of two such quantities, in one pass.
struct Moments {
  double log_partition, first, second, covariance;
};
[[nodiscard]] Moments moments(const Forest& forest, std::span<const double> first, std::span<const double> second);

// Entropy of the distribution over derivations, in nats: log Z - E[score].
[[nodiscard]] double entropy(const Forest& forest);

// The number of derivations modulo as many primes as it takes to know it exactly.
struct Residues {
  std::vector<std::uint64_t> primes, remainders;
};
[[nodiscard]] Residues count_residues(const Forest& forest);

}  // namespace dragoman::forest
