#include "forest/kbest.hpp"

#include <algorithm>
#include <set>

#include "forest/semiring.hpp"

namespace dragoman::forest {

std::vector<EdgeId> best_derivation(const Forest& forest) {
  KBest search(forest.shape());
  const auto best = search.next();
  return {best.begin(), best.end()};
}

// The best derivation of each node; ties go to the smaller edge.
void KBest::reset(const Shape& shape) {
  shape_ = shape;
  asked_ = opened_ = 0;
  std::size_t most_tails = 0;
  best_.clear();
  EdgeId edge = 0;
  for (NodeId node = 0; node < shape.nodes(); ++node) {
    Item best{kNever, edge, 0};
    for (const EdgeId end = shape.first_edge[node + 1]; edge < end; ++edge) {
      const auto tails = shape.tails(edge);
      most_tails = std::max(most_tails, tails.size());
      double score = shape.scores[edge];
      for (const NodeId tail : tails) score += best_[tail].score;
      if (score > best.score) best = {score, edge, 0};
    }
    best_.push_back(best);
  }
  slots_.assign(shape.nodes(), 0);
  ranks_.assign(most_tails, 0);  // the ranks of everybody's first choice
}

// Heap order: true if `a` comes after `b`.
bool KBest::later(const Item& a, const Item& b) const noexcept {
  if (a.score != b.score) return a.score < b.score;
  if (a.edge != b.edge) return a.edge > b.edge;
  const std::size_t arity = shape_.tails(a.edge).size();
  const auto* left = ranks_.data() + a.ranks;
  const auto* right = ranks_.data() + b.ranks;
  return std::lexicographical_compare(right, right + arity, left, left + arity);
}

KBest::Node& KBest::opened(NodeId node) {
  if (slots_[node] == 0) {
    if (opened_ == open_.size()) open_.emplace_back();
    Node& fresh = open_[opened_++];
    fresh.found.assign(1, best_[node]);
    fresh.heap.clear();
    fresh.started = fresh.exhausted = false;
    slots_[node] = static_cast<std::uint32_t>(opened_);
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
  double score = shape_.scores[edge];
  const auto tails = shape_.tails(edge);
  for (std::size_t k = 0; k < tails.size(); ++k) score += item(tails[k], ranks_[ranks + k]).score;
  return score;
}

void KBest::push(Node& node, Item item) {
  node.heap.push_back(item);
  std::push_heap(node.heap.begin(), node.heap.end(), [this](const Item& a, const Item& b) { return later(a, b); });
}

void KBest::start(Node& state, NodeId node) {
  state.started = true;
  for (EdgeId edge = shape_.first_edge[node]; edge < shape_.first_edge[node + 1]; ++edge)
    if (edge != best_[node].edge) state.heap.push_back({score_of(edge, 0), edge, 0});
  std::make_heap(state.heap.begin(), state.heap.end(), [this](const Item& a, const Item& b) { return later(a, b); });
}

void KBest::enter(NodeId node) {
  Node& state = opened(node);
  if (!state.started) start(state, node);
  const Item last = state.found.back();
  std::size_t tail = shape_.tails(last.edge).size();  // successors advance the last nonzero rank or one after it
  while (tail > 0 && ranks_[last.ranks + tail - 1] == 0) --tail;
  waiting_.push_back({node, tail == 0 ? 0 : tail - 1});
}

// Finds one more derivation of a node, or learns that there is none. Nodes that wait for a tail are stacked; the stack
// grows no higher than the forest is deep.
void KBest::extend(NodeId first) {
  waiting_.clear();
  enter(first);
  while (!waiting_.empty()) {
    const auto [node, tail] = waiting_.back();
    Node& state = open_[slots_[node] - 1];
    const Item last = state.found.back();
    const auto tails = shape_.tails(last.edge);
    if (tail < tails.size()) {
      const std::uint32_t rank = ranks_[last.ranks + tail] + 1;
      if (!known(tails[tail], rank) && !exhausted(tails[tail])) {
        enter(tails[tail]);
        continue;
      }
      ++waiting_.back().tail;
      if (!known(tails[tail], rank)) continue;
      const auto at = static_cast<std::uint32_t>(ranks_.size());
      for (std::size_t k = 0; k < tails.size(); ++k) ranks_.push_back(ranks_[last.ranks + k]);
      ranks_[at + tail] = rank;
      push(state, {score_of(last.edge, at), last.edge, at});
      continue;
    }
    waiting_.pop_back();
    if (state.heap.empty()) {
      state.exhausted = true;
      continue;
    }
    std::pop_heap(state.heap.begin(), state.heap.end(), [this](const Item& a, const Item& b) { return later(a, b); });
    state.found.push_back(state.heap.back());
    state.heap.pop_back();
  }
}

std::span<const EdgeId> KBest::next() {
  derivation_.clear();
  if (shape_.empty()) return derivation_;
  const NodeId goal = shape_.goal();
  if (!known(goal, asked_) && !exhausted(goal)) extend(goal);
  if (!known(goal, asked_)) return derivation_;
  walk_.assign(1, {goal, asked_});
  while (!walk_.empty()) {
    const auto [node, rank] = walk_.back();
    walk_.pop_back();
    const Item found = item(node, rank);
    derivation_.push_back(found.edge);
    const auto tails = shape_.tails(found.edge);
    for (std::size_t k = tails.size(); k-- > 0;) walk_.emplace_back(tails[k], ranks_[found.ranks + k]);
  }
  ++asked_;
  return derivation_;
}

Derivations k_best(const Forest& forest, const KBestOptions& options) {
  Derivations found;
  KBest search(forest.shape());
  std::set<std::vector<WordId>> seen;
  const std::size_t most = options.distinct ? options.most_pops : options.k;
  for (std::size_t pops = 0; found.size() < options.k && pops < most; ++pops) {
    const auto derivation = search.next();
    if (derivation.empty()) break;
    if (options.distinct && !seen.insert(yield_of(forest, derivation).words).second) continue;
    found.edges.push_back(derivation);
    found.scores.push_back(search.score());
  }
  return found;
}

}  // namespace dragoman::forest
