#include "forest/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "forest/inside.hpp"

namespace dragoman::forest {
namespace {

template <typename T>
std::span<const T> view(const std::vector<T>& values) {
  return values;
}

bool is_prime(std::uint64_t number) {
  for (std::uint64_t factor = 3; factor * factor <= number; factor += 2)
    if (number % factor == 0) return false;
  return true;
}

}  // namespace

Posteriors posteriors(const Forest& forest) {
  const LogPlus log;
  const auto weight = score_weight(forest);
  const std::vector<double> in = inside(log, forest, weight);
  const std::vector<double> out = outside(log, forest, weight, view(in));
  Posteriors found{forest.empty() ? kNever : in.back(), out, edge_totals(log, forest, weight, view(in), view(out))};
  for (NodeId node = 0; node < forest.nodes(); ++node)
    found.nodes[node] = std::exp(out[node] + in[node] - found.log_partition);
  for (double& edge : found.edges) edge = std::exp(edge - found.log_partition);
  return found;
}

MaxMarginals max_marginals(const Forest& forest) {
  const MaxPlus max;
  const auto weight = score_weight(forest);
  const std::vector<double> in = inside(max, forest, weight);
  const std::vector<double> out = outside(max, forest, weight, view(in));
  MaxMarginals found{out, edge_totals(max, forest, weight, view(in), view(out))};
  for (NodeId node = 0; node < forest.nodes(); ++node) found.nodes[node] += in[node];
  return found;
}

FeatureValues weighted_features(const Forest& forest, std::span<const double> amounts) {
  const auto ids = forest.structure().features.values();
  if (ids.empty()) return {};
  // Dense sums where the ids are close together, as those of dense features are; else sort once.
  const FeatureId greatest = *std::max_element(ids.begin(), ids.end());
  FeatureValues sum;
  if (greatest < 4 * ids.size() + 4096) {
    std::vector<double> dense(greatest + std::size_t{1});
    std::vector<bool> present(greatest + std::size_t{1});
    for (EdgeId edge = 0; edge < forest.edges(); ++edge) {
      const auto features = forest.features(edge);
      const auto values = forest.values(edge);
      for (std::size_t k = 0; k < features.size(); ++k) {
        dense[features[k]] += amounts[edge] * values[k];
        present[features[k]] = true;
      }
    }
    for (std::size_t id = 0; id < dense.size(); ++id) {
      if (!present[id]) continue;
      sum.ids.push_back(static_cast<FeatureId>(id));
      sum.values.push_back(dense[id]);
    }
    return sum;
  }
  std::vector<std::pair<FeatureId, double>> entries;
  entries.reserve(ids.size());
  for (EdgeId edge = 0; edge < forest.edges(); ++edge) {
    const auto features = forest.features(edge);
    const auto values = forest.values(edge);
    for (std::size_t k = 0; k < features.size(); ++k) entries.emplace_back(features[k], amounts[edge] * values[k]);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, value] : entries) {
    if (sum.ids.empty() || sum.ids.back() != id) {
      sum.ids.push_back(id);
      sum.values.push_back(0);
    }
    sum.values.back() += value;
  }
  return sum;
}

FeatureRows derivation_features(const Forest& forest, const Rows<EdgeId>& derivations) {
  FeatureRows rows;
  std::vector<std::pair<FeatureId, double>> entries;
  std::vector<FeatureId> ids;
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    entries.clear();
    ids.clear();
    for (const EdgeId edge : derivations[i]) {
      const auto features = forest.features(edge);
      const auto values = forest.values(edge);
      for (std::size_t k = 0; k < features.size(); ++k) entries.emplace_back(features[k], values[k]);
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [id, value] : entries) {
      if (ids.empty() || ids.back() != id) {
        ids.push_back(id);
        rows.values.push_back(0);
      }
      rows.values.back() += value;
    }
    rows.ids.push_back(ids);
  }
  return rows;
}

FeatureValues expected_features(const Forest& forest) { return weighted_features(forest, posteriors(forest).edges); }

GainExpectation gain_expectation(const Forest& forest, std::span<const double> gains) {
  const Expectation semiring;
  const auto weight = [&](EdgeId edge) { return Expectation::Value{forest.score(edge), gains[edge]}; };
  const auto in = inside(semiring, forest, weight);
  if (forest.empty()) return {kNever, 0, {}};
  const auto out = outside(semiring, forest, weight, view(in));
  const Expectation::Value whole = in.back();
  std::vector<double> amounts(forest.edges());
  for (EdgeId edge = 0; edge < forest.edges(); ++edge) {
    // Mass of the derivations through this edge and their mean gain: how far that is from the overall mean matters.
    const auto through = semiring.times(out[forest.head(edge)], inside_edge(semiring, forest, weight, view(in), edge));
    amounts[edge] = std::exp(through.mass - whole.mass) * (through.mean - whole.mean);
  }
  return {whole.mass, whole.mean, weighted_features(forest, amounts)};
}

Moments moments(const Forest& forest, std::span<const double> first, std::span<const double> second) {
  const auto values = inside(Covariance{}, forest, [&](EdgeId edge) {
    return Covariance::Value{forest.score(edge), first[edge], second[edge], 0};
  });
  if (values.empty()) return {kNever, 0, 0, 0};
  const Covariance::Value& goal = values.back();
  return {goal.mass, goal.first, goal.second, goal.covariance};
}

double entropy(const Forest& forest) {
  const auto values = inside(Expectation{}, forest,
                             [&](EdgeId edge) { return Expectation::Value{forest.score(edge), forest.score(edge)}; });
  return values.empty() ? 0 : std::max(0.0, values.back().mass - values.back().mean);
}

Residues count_residues(const Forest& forest) {
  const auto logs = inside(LogPlus{}, forest, [](EdgeId) { return 0.0; });
  const double bits = logs.empty() ? 0 : logs.back() / std::log(2.0);
  const auto needed = static_cast<std::size_t>(bits / 31) + 2;  // each prime is above 2^31, and rounding costs no bit
  Residues found;
  for (std::uint64_t number = 0xffffffffu; found.primes.size() < needed; number -= 2) {
    if (!is_prime(number)) continue;
    const auto counts = inside(Modular{number}, forest, [](EdgeId) { return std::uint64_t{1}; });
    found.primes.push_back(number);
    found.remainders.push_back(counts.empty() ? 0 : counts.back());
  }
  return found;
}

}  // namespace dragoman::forest
