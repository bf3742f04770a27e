#pragma once
// Inside and outside passes over any semiring. Both visit every edge once: O(nodes + edges) for bounded arity.
#include <span>
#include <vector>

#include "forest/forest.hpp"
#include "forest/semiring.hpp"

namespace dragoman::forest {

// Product of an edge's own weight and what is inside its tails.
template <Semiring S, typename Weight>
[[nodiscard]] typename S::Value inside_edge(const S& s, const Forest& forest, const Weight& weight,
                                            std::span<const typename S::Value> inside, EdgeId edge) {
  typename S::Value value = weight(edge);
  for (const NodeId tail : forest.tails(edge)) value = s.times(value, inside[tail]);
  return value;
}

// For each node, the sum over its derivations of the product of their edges' weights; `weight(edge)` gives a value.
template <Semiring S, typename Weight>
[[nodiscard]] std::vector<typename S::Value> inside(const S& s, const Forest& forest, const Weight& weight) {
  std::vector<typename S::Value> values(forest.nodes(), s.zero());
  EdgeId edge = 0;
  for (NodeId node = 0; node < forest.nodes(); ++node) {
    auto sum = s.sum();
    for (const EdgeId end = forest.first_edge(node + 1); edge < end; ++edge)
      s.add(sum, inside_edge(s, forest, weight, std::span<const typename S::Value>(values), edge));
    values[node] = s.total(sum);
  }
  return values;
}

// For each node, the sum over all ways to complete it to a derivation of the goal. Tails are told apart by position:
// where one node is the tail twice, each occurrence sees the other one's inside.
template <Semiring S, typename Weight>
[[nodiscard]] std::vector<typename S::Value> outside(const S& s, const Forest& forest, const Weight& weight,
                                                     std::span<const typename S::Value> inside) {
  using Value = typename S::Value;
  std::vector<Value> values(forest.nodes(), s.zero());
  if (forest.empty()) return values;
  std::vector<typename S::Sum> sums(forest.nodes(), s.sum());
  s.add(sums[forest.goal()], s.one());
  std::vector<Value> before;
  for (NodeId node = forest.goal() + 1; node-- > 0;) {
    values[node] = s.total(sums[node]);
    for (EdgeId edge = forest.first_edge(node); edge < forest.first_edge(node + 1); ++edge) {
      const auto tails = forest.tails(edge);
      if (tails.empty()) continue;
      const Value base = s.times(values[node], weight(edge));
      if (tails.size() == 1) {
        s.add(sums[tails[0]], base);
        continue;
      }
      if (tails.size() == 2) {
        s.add(sums[tails[0]], s.times(base, inside[tails[1]]));
        s.add(sums[tails[1]], s.times(base, inside[tails[0]]));
        continue;
      }
      before.assign(1, base);  // products of all to the left, then of all to the right
      for (const NodeId tail : tails) before.push_back(s.times(before.back(), inside[tail]));
      Value after = s.one();
      for (std::size_t k = tails.size(); k-- > 0;) {
        s.add(sums[tails[k]], s.times(before[k], after));
        after = s.times(after, inside[tails[k]]);
      }
    }
  }
  return values;
}

// For each edge, the sum over all derivations that use it, counted as often as they use it.
template <Semiring S, typename Weight>
[[nodiscard]] std::vector<typename S::Value> edge_totals(const S& s, const Forest& forest, const Weight& weight,
                                                         std::span<const typename S::Value> inside,
                                                         std::span<const typename S::Value> outside) {
  std::vector<typename S::Value> totals(forest.edges(), s.zero());
  for (EdgeId edge = 0; edge < forest.edges(); ++edge)
    totals[edge] = s.times(outside[forest.head(edge)], inside_edge(s, forest, weight, inside, edge));
  return totals;
}

// Edge weights of the plain semirings.
[[nodiscard]] inline auto score_weight(const Forest& forest) noexcept {
  return [scores = forest.scores()](EdgeId edge) noexcept { return scores[edge]; };
}

}  // namespace dragoman::forest
