#include "forest/forest.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <string>

namespace dragoman::forest {
namespace {

constexpr std::size_t kMostIds = 0xfffffff0u;

// For each key, which items have it: items are sorted by key and keep their order within one.
struct Incidence {
  std::vector<std::uint32_t> starts, items;

  template <typename Keys>
  Incidence(std::size_t keys, std::size_t items_, const Keys& for_each) : starts(keys + 1), items(items_) {
    for_each([&](std::uint32_t key, std::uint32_t) { ++starts[key + 1]; });
    for (std::size_t key = 0; key < keys; ++key) starts[key + 1] += starts[key];
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for_each([&](std::uint32_t key, std::uint32_t item) { items[next[key]++] = item; });
  }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t key) const noexcept {
    return {items.data() + starts[key], static_cast<std::size_t>(starts[key + 1] - starts[key])};
  }
};

// Sorting out which parts of a graph make up derivations of the goal, and in which order.
class Trimmer {
 public:
  Trimmer(const Structure& parts, const std::vector<bool>* keep)
      : parts_(parts),
        nodes_(parts.labels.size()),
        edges_(parts.heads.size()),
        allowed_(keep),
        by_head_(nodes_, edges_,
                 [&](const auto& use) {
                   for (std::uint32_t e = 0; e < edges_; ++e) use(parts.heads[e], e);
                 }),
        by_tail_(nodes_, parts.tails.values().size(), [&](const auto& use) {
          for (std::uint32_t e = 0; e < edges_; ++e)
            for (const NodeId tail : parts.tails[e]) use(tail, e);
        }) {}

  Origin run(NodeId goal) {
    find_complete_edges();
    find_needed_nodes(goal);
    Origin order;
    if (!needed_[goal]) return order;
    order.nodes = sorted_nodes();
    for (const NodeId node : order.nodes)
      for (const EdgeId edge : by_head_[node])
        if (complete_[edge]) order.edges.push_back(edge);
    return order;
  }

 private:
  // Bottom-up: an edge is complete if all its tails can be derived.
  void find_complete_edges() {
    complete_.assign(edges_, false);
    derived_.assign(nodes_, false);
    std::vector<std::uint32_t> missing(edges_);
    std::vector<NodeId> agenda;
    const auto complete = [&](EdgeId edge) {
      if (allowed_ != nullptr && !(*allowed_)[edge]) return;
      complete_[edge] = true;
      const NodeId head = parts_.heads[edge];
      if (derived_[head]) return;
      derived_[head] = true;
      agenda.push_back(head);
    };
    for (EdgeId edge = 0; edge < edges_; ++edge) {
      missing[edge] = static_cast<std::uint32_t>(parts_.tails[edge].size());
      if (missing[edge] == 0) complete(edge);
    }
    while (!agenda.empty()) {
      const NodeId node = agenda.back();
      agenda.pop_back();
      for (const EdgeId edge : by_tail_[node])
        if (--missing[edge] == 0) complete(edge);
    }
  }

  // Top-down: which nodes take part in a derivation of the goal.
  void find_needed_nodes(NodeId goal) {
    needed_.assign(nodes_, false);
    if (!derived_[goal]) return;
    std::vector<NodeId> agenda{goal};
    needed_[goal] = true;
    while (!agenda.empty()) {
      const NodeId node = agenda.back();
      agenda.pop_back();
      for (const EdgeId edge : by_head_[node]) {
        if (!complete_[edge]) continue;
        for (const NodeId tail : parts_.tails[edge]) {
          if (needed_[tail]) continue;
          needed_[tail] = true;
          agenda.push_back(tail);
        }
      }
    }
  }

  [[nodiscard]] std::vector<NodeId> sorted_nodes() const {
    std::vector<NodeId> order;
    if (in_order()) {
      for (NodeId node = 0; node < nodes_; ++node)
        if (needed_[node]) order.push_back(node);
      return order;
    }
    std::vector<std::uint32_t> pending(nodes_);
    std::size_t total = 0;
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;  // the smallest id first
    for (NodeId node = 0; node < nodes_; ++node) {
      if (!needed_[node]) continue;
      ++total;
      for (const EdgeId edge : by_head_[node])
        if (complete_[edge]) pending[node] += static_cast<std::uint32_t>(parts_.tails[edge].size());
      if (pending[node] == 0) ready.push(node);
    }
    std::vector<bool> placed(nodes_);
    while (!ready.empty()) {
      const NodeId node = ready.top();
      ready.pop();
      order.push_back(node);
      placed[node] = true;
      for (const EdgeId edge : by_tail_[node]) {
        const NodeId head = parts_.heads[edge];
        if (complete_[edge] && needed_[head] && --pending[head] == 0) ready.push(head);
      }
    }
    if (order.size() != total) refuse_cycle(placed);
    return order;
  }

  [[nodiscard]] bool in_order() const {
    for (EdgeId edge = 0; edge < edges_; ++edge) {
      if (!complete_[edge] || !needed_[parts_.heads[edge]]) continue;
      for (const NodeId tail : parts_.tails[edge])
        if (tail >= parts_.heads[edge]) return false;
    }
    return true;
  }

  // Every node that could not be placed has a tail that could not either: following those runs into a cycle.
  [[noreturn]] void refuse_cycle(const std::vector<bool>& placed) const {
    const auto stuck = [&](NodeId node) { return needed_[node] && !placed[node]; };
    NodeId node = 0;
    while (!stuck(node)) ++node;
    std::vector<NodeId> walk;
    std::vector<bool> seen(nodes_);
    while (!seen[node]) {
      seen[node] = true;
      walk.push_back(node);
      const NodeId here = node;
      for (const EdgeId edge : by_head_[here]) {
        if (!complete_[edge]) continue;
        const auto tails = parts_.tails[edge];
        const auto found = std::find_if(tails.begin(), tails.end(), stuck);
        if (found == tails.end()) continue;
        node = *found;
        break;
      }
    }
    std::string cycle;
    for (auto at = std::find(walk.begin(), walk.end(), node); at != walk.end(); ++at)
      cycle += std::to_string(*at) + " <- ";
    throw InputError("a cycle: " + cycle + std::to_string(node) + " (each built from the next)", "forest",
                     "a node must not be a part of itself; drop one of the edges");
  }

  const Structure& parts_;
  std::size_t nodes_, edges_;
  const std::vector<bool>* allowed_;
  Incidence by_head_, by_tail_;
  std::vector<bool> complete_, derived_, needed_;
};

Forest gathered(const Structure& from, std::span<const double> scores, const Origin& order) {
  auto into = std::make_shared<Structure>();
  const std::size_t nodes = order.nodes.size(), edges = order.edges.size();
  std::vector<NodeId> renamed(from.labels.size());
  into->labels.reserve(nodes);
  into->coverage_words = from.coverage_words;
  into->coverage.reserve(nodes * from.coverage_words);
  for (std::size_t node = 0; node < nodes; ++node) {
    const NodeId old = order.nodes[node];
    renamed[old] = static_cast<NodeId>(node);
    into->labels.push_back(from.labels[old]);
    const auto* words = from.coverage.data() + std::size_t{old} * from.coverage_words;
    into->coverage.insert(into->coverage.end(), words, words + from.coverage_words);
  }
  std::size_t tails = 0, symbols = 0, features = 0, links = 0;
  for (const EdgeId old : order.edges) {
    tails += from.tails[old].size();
    symbols += from.targets[old].size();
    features += from.features[old].size();
    links += from.links[old].size();
  }
  into->first_edge.assign(nodes + 1, 0);
  into->heads.reserve(edges);
  into->tails.reserve(edges, tails);
  into->rules.reserve(edges);
  into->spans.reserve(edges);
  into->targets.reserve(edges, symbols);
  into->features.reserve(edges, features);
  into->values.reserve(features);
  into->links.reserve(edges, links);
  std::vector<double> kept;
  kept.reserve(edges);
  std::vector<NodeId> row;
  for (const EdgeId old : order.edges) {
    const NodeId head = renamed[from.heads[old]];
    ++into->first_edge[head + 1];
    into->heads.push_back(head);
    row.clear();
    for (const NodeId tail : from.tails[old]) row.push_back(renamed[tail]);
    into->tails.push_back(row);
    into->rules.push_back(from.rules[old]);
    into->spans.push_back(from.spans[old]);
    into->targets.push_back(from.targets[old]);
    into->features.push_back(from.features[old]);
    const auto first = from.values.begin() + from.features.start(old);
    into->values.insert(into->values.end(), first, first + static_cast<std::ptrdiff_t>(from.features[old].size()));
    into->links.push_back(from.links[old]);
    kept.push_back(scores[old]);
  }
  for (std::size_t node = 0; node < nodes; ++node) into->first_edge[node + 1] += into->first_edge[node];
  return {std::move(into), std::move(kept)};
}

}  // namespace

std::size_t Structure::bytes() const noexcept {
  return labels.capacity() * sizeof(NodeLabel) + coverage.capacity() * sizeof(std::uint64_t) +
         first_edge.capacity() * sizeof(EdgeId) + heads.capacity() * sizeof(NodeId) + tails.bytes() +
         rules.capacity() * sizeof(RuleId) + spans.capacity() * sizeof(SourceSpan) + targets.bytes() +
         features.bytes() + values.capacity() * sizeof(double) + links.bytes();
}

Forest Forest::reweighted(std::span<const double> weights) const {
  std::vector<double> scores(edges());
  const auto ids = structure_->features.values();
  const auto starts = structure_->features.starts();
  for (std::size_t edge = 0; edge < scores.size(); ++edge) {
    double score = 0;
    for (std::uint32_t at = starts[edge]; at < starts[edge + 1]; ++at)
      if (ids[at] < weights.size()) score += weights[ids[at]] * structure_->values[at];
    scores[edge] = score;
  }
  return rescored(std::move(scores));
}

NodeId ForestBuilder::add_node(const NodeLabel& label, std::span<const std::uint64_t> coverage) {
  if (nodes() >= kMostIds) throw InputError("a forest of more than 4 billion nodes");
  if (nodes() == 0) parts_.coverage_words = static_cast<std::uint32_t>(coverage.size());
  if (coverage.size() != parts_.coverage_words)
    throw InputError("coverage sets of different sizes", "node " + std::to_string(nodes()),
                     "give every node a coverage set of the same size, or none");
  parts_.labels.push_back(label);
  parts_.coverage.insert(parts_.coverage.end(), coverage.begin(), coverage.end());
  return static_cast<NodeId>(nodes() - 1);
}

EdgeId ForestBuilder::add_edge(const NewEdge& edge) {
  if (edges() >= kMostIds) throw InputError("a forest of more than 4 billion edges");
  parts_.heads.push_back(edge.head);
  parts_.tails.push_back(edge.tails);
  parts_.rules.push_back(edge.rule);
  parts_.spans.push_back(edge.span);
  parts_.targets.push_back(edge.target);
  parts_.features.push_back(edge.features);
  parts_.values.insert(parts_.values.end(), edge.values.begin(), edge.values.end());
  parts_.links.push_back(edge.links);
  scores_.push_back(edge.score);
  return static_cast<EdgeId>(edges() - 1);
}

EdgeId ForestBuilder::add_checked_edge(const NewEdge& edge) {
  if (const char* problem = edge_problem(edge, nodes())) throw InputError(problem, "edge " + std::to_string(edges()));
  return add_edge(edge);
}

Forest ForestBuilder::finish(NodeId goal, Origin* origin) const {
  if (goal >= nodes()) throw InputError("the goal is not a node", "forest");
  Origin order = Trimmer(parts_, nullptr).run(goal);
  Forest forest = order.nodes.empty() ? Forest() : gathered(parts_, scores_, order);
  if (origin != nullptr) *origin = std::move(order);
  return forest;
}

void ForestBuilder::clear() noexcept {
  parts_.labels.clear();
  parts_.coverage.clear();
  parts_.heads.clear();
  parts_.tails.clear();
  parts_.rules.clear();
  parts_.spans.clear();
  parts_.targets.clear();
  parts_.features.clear();
  parts_.values.clear();
  parts_.links.clear();
  scores_.clear();
}

const char* edge_problem(const NewEdge& edge, std::size_t nodes) {
  if (edge.head >= nodes) return "the head is not a node";
  for (const NodeId tail : edge.tails)
    if (tail >= nodes) return "a tail is not a node";
  std::size_t found = 0;
  std::vector<bool> seen(edge.tails.size());
  for (const WordId symbol : edge.target) {
    if (!is_tail(symbol)) continue;
    const std::size_t index = tail_index(symbol);
    if (index >= edge.tails.size()) return "the target names a tail that the edge does not have";
    if (seen[index]) return "the target names a tail twice";
    seen[index] = true;
    ++found;
  }
  if (found != edge.tails.size()) return "the target must name every tail once";
  if (edge.features.size() != edge.values.size()) return "features and values differ in number";
  for (const double value : edge.values)
    if (!std::isfinite(value)) return "a feature value is not a finite number";
  if (!std::isfinite(edge.score)) return "the score is not a finite number";
  if (edge.span.start > edge.span.end) return "the source span ends before it starts";
  for (const Link& link : edge.links) {
    if (link.source >= edge.span.end - edge.span.start) return "a link leaves the source span";
    if (link.target >= edge.target.size() || is_tail(edge.target[link.target]))
      return "a link points at no word of the target";
  }
  return nullptr;
}

Forest restricted(const Forest& forest, const std::vector<bool>& keep) {
  if (forest.empty()) return forest;
  const Origin order = Trimmer(forest.structure(), &keep).run(forest.goal());
  return order.nodes.empty() ? Forest() : gathered(forest.structure(), forest.scores(), order);
}

}  // namespace dragoman::forest
