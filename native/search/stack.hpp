#pragma once
// What searches with stacks of nodes share: recombination of equals, and which nodes of a stack are kept.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/hash.hpp"
#include "features/feature.hpp"
#include "search/node.hpp"
#include "search/recombination.hpp"

namespace dragoman::search {

// A node, with what stacks are sorted by: nodes of one bundle lie together.
struct RankedNode {
  double priority;
  std::uint64_t bundle;
  NodeId node;

  [[nodiscard]] static bool better(const RankedNode& a, const RankedNode& b) noexcept {
    return a.priority != b.priority ? a.priority > b.priority : a.node < b.node;
  }
  [[nodiscard]] static bool by_bundle(const RankedNode& a, const RankedNode& b) noexcept {
    return a.bundle != b.bundle ? a.bundle < b.bundle : better(a, b);
  }
};

// Keeps the `beam` best that lie within `threshold` of the best, and says how many went.
inline std::size_t prune(std::vector<RankedNode>& ranked, std::size_t beam, double threshold) {
  const std::size_t before = ranked.size();
  if (before > beam) {
    std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(beam), ranked.end(),
                     RankedNode::better);
    ranked.resize(beam);
  }
  if (threshold < std::numeric_limits<double>::infinity() && !ranked.empty()) {
    const double best = std::min_element(ranked.begin(), ranked.end(), RankedNode::better)->priority;
    std::erase_if(ranked, [&](const RankedNode& each) { return each.priority < best - threshold; });
  }
  return before - ranked.size();
}

// Nodes with the same place, `place(id)`, and the same states are one: the better stays, the other becomes its arc.
// Says whether there was such a node.
template <typename Nodes, typename Place, typename States>
bool recombine(Recombination& recombination, Nodes& nodes, NodeId id, const Place& place, const States& states,
               std::size_t compared) {
  const features::StateId* const own = states(id);
  std::uint64_t hash = place(id);
  for (std::size_t i = 0; i < compared; ++i) hash = (hash ^ own[i]) * 0x9e3779b97f4a7c15ULL;
  NodeId& winner = recombination.find(mix(hash), id, [&](NodeId other) {
    return place(other) == place(id) && std::equal(own, own + compared, states(other));
  });
  if (winner == id) return false;
  if (nodes[id].score > nodes[winner].score) {
    nodes[id].arc = winner;  // the old winner, and behind it all that it had beaten
    winner = id;
  } else {
    nodes[id].arc = nodes[winner].arc;
    nodes[winner].arc = id;
  }
  return true;
}

}  // namespace dragoman::search
