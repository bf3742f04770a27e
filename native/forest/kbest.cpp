#include "forest/kbest.hpp"

#include <algorithm>
#include <set>

#include "forest/inside.hpp"

namespace dragoman::forest {

Best::Best(const Forest& forest) : edges(forest.nodes()), scores(forest.nodes(), kNever) {
  EdgeId edge = 0;
  for (NodeId node = 0; node < forest.nodes(); ++node) {
    edges[node] = edge;
    for (const EdgeId end = forest.first_edge(node + 1); edge < end; ++edge) {
      const double score = inside_edge(MaxPlus{}, forest, score_weight(forest), std::span<const double>(scores), edge);
      if (score > scores[node]) {
        scores[node] = score;
        edges[node] = edge;
      }
    }
  }
}

std::vector<EdgeId> best_derivation(const Forest& forest) {
  std::vector<EdgeId> derivation;
  if (forest.empty()) return derivation;
  const Best best(forest);
  std::vector<NodeId> open{forest.goal()};
  while (!open.empty()) {
    const EdgeId edge = best.edges[open.back()];
    open.pop_back();
    derivation.push_back(edge);
    const auto tails = forest.tails(edge);
    open.insert(open.end(), tails.rbegin(), tails.rend());
  }
  return derivation;
}

KBest::KBest(const Forest& forest) : forest_(forest), slots_(forest.nodes()) {
  const Best best(forest);
  std::size_t most_tails = 0;
  best_.reserve(forest.nodes());
  for (NodeId node = 0; node < forest.nodes(); ++node) best_.push_back({best.scores[node], best.edges[node], 0});
  for (EdgeId edge = 0; edge < forest.edges(); ++edge) most_tails = std::max(most_tails, forest.tails(edge).size());
  ranks_.assign(most_tails, 0);  // the ranks of everybody's first choice
}

// Heap order: true if `a` comes after `b`.
bool KBest::later(const Item& a, const Item& b) const noexcept {
  if (a.score != b.score) return a.score < b.score;
  if (a.edge != b.edge) return a.edge > b.edge;
  const std::size_t arity = forest_.tails(a.edge).size();
  const auto* left = ranks_.data() + a.ranks;
  const auto* right = ranks_.data() + b.ranks;
  return std::lexicographical_compare(right, right + arity, left, left + arity);
}

KBest::Node& KBest::opened(NodeId node) {
  if (slots_[node] == 0) {
    open_.emplace_back().found.push_back(best_[node]);
    slots_[node] = static_cast<std::uint32_t>(open_.size());
  }
  return open_[slots_[node] - 1];
}

bool KBest::known(NodeId node, std::size_t rank) const noexcept {
  return rank == 0 || (slots_[node] != 0 && open_[slots_[node] - 1].found.size() > rank);
}

bool KBest::exhausted(NodeId node) const noexcept { return slots_[node] != 0 && open_[slots_[node] - 1].exhausted; }

const KBest::Item& KBest::item(NodeId node, std::size_t rank) const noexcept {
  return rank == 0 ? best_[node] : open_[slots_[node] - 1].found[rank];
}

double KBest::score_of(EdgeId edge, std::uint32_t ranks) const noexcept {
  double score = forest_.score(edge);
  const auto tails = forest_.tails(edge);
  for (std::size_t k = 0; k < tails.size(); ++k) score += item(tails[k], ranks_[ranks + k]).score;
  return score;
}

void KBest::push(Node& node, Item item) {
  node.heap.push_back(item);
  std::push_heap(node.heap.begin(), node.heap.end(), [this](const Item& a, const Item& b) { return later(a, b); });
}

void KBest::start(Node& state, NodeId node) {
  state.started = true;
  for (EdgeId edge = forest_.first_edge(node); edge < forest_.first_edge(node + 1); ++edge)
    if (edge != best_[node].edge) state.heap.push_back({score_of(edge, 0), edge, 0});
  std::make_heap(state.heap.begin(), state.heap.end(), [this](const Item& a, const Item& b) { return later(a, b); });
}

// Finds one more derivation of a node, or learns that there is none. The stack holds nodes that wait for a tail, and
// which tail of their last derivation is next to be advanced; its depth is that of the forest.
void KBest::extend(NodeId first) {
  struct Waiting {
    NodeId node;
    std::size_t tail;
  };
  std::vector<Waiting> stack;
  const auto enter = [&](NodeId node) {
    Node& state = opened(node);
    if (!state.started) start(state, node);
    const Item last = state.found.back();
    std::size_t tail = forest_.tails(last.edge).size();  // successors advance the last nonzero rank or one after it
    while (tail > 0 && ranks_[last.ranks + tail - 1] == 0) --tail;
    stack.push_back({node, tail == 0 ? 0 : tail - 1});
  };
  enter(first);
  while (!stack.empty()) {
    const auto [node, tail] = stack.back();
    Node& state = open_[slots_[node] - 1];
    const Item last = state.found.back();
    const auto tails = forest_.tails(last.edge);
    if (tail < tails.size()) {
      const std::uint32_t rank = ranks_[last.ranks + tail] + 1;
      if (!known(tails[tail], rank) && !exhausted(tails[tail])) {
        enter(tails[tail]);
        continue;
      }
      ++stack.back().tail;
      if (!known(tails[tail], rank)) continue;
      const auto at = static_cast<std::uint32_t>(ranks_.size());
      for (std::size_t k = 0; k < tails.size(); ++k) ranks_.push_back(ranks_[last.ranks + k]);
      ranks_[at + tail] = rank;
      push(state, {score_of(last.edge, at), last.edge, at});
      continue;
    }
    stack.pop_back();
    if (state.heap.empty()) {
      state.exhausted = true;
      continue;
    }
    std::pop_heap(state.heap.begin(), state.heap.end(), [this](const Item& a, const Item& b) { return later(a, b); });
    state.found.push_back(state.heap.back());
    state.heap.pop_back();
  }
}

bool KBest::next(Derivations& into) {
  if (forest_.empty()) return false;
  const NodeId goal = forest_.goal();
  if (!known(goal, asked_) && !exhausted(goal)) extend(goal);
  if (!known(goal, asked_)) return false;
  into.scores.push_back(item(goal, asked_).score);
  std::vector<EdgeId> edges;
  std::vector<std::pair<NodeId, std::size_t>> open{{goal, asked_}};
  while (!open.empty()) {
    const auto [node, rank] = open.back();
    open.pop_back();
    const Item found = item(node, rank);
    edges.push_back(found.edge);
    const auto tails = forest_.tails(found.edge);
    for (std::size_t k = tails.size(); k-- > 0;) open.emplace_back(tails[k], ranks_[found.ranks + k]);
  }
  into.edges.push_back(edges);
  ++asked_;
  return true;
}

Derivations k_best(const Forest& forest, const KBestOptions& options) {
  Derivations found;
  KBest search(forest);
  if (!options.distinct) {
    while (found.size() < options.k && search.next(found)) {
    }
    return found;
  }
  std::set<std::vector<WordId>> seen;
  for (std::size_t pops = 0; found.size() < options.k && pops < options.most_pops; ++pops) {
    Derivations one;
    if (!search.next(one)) break;
    if (!seen.insert(yield_of(forest, one.edges[0]).words).second) continue;
    found.edges.push_back(one.edges[0]);
    found.scores.push_back(one.scores[0]);
  }
  return found;
}

}  // namespace dragoman::forest
