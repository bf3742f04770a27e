#pragma once
// The k best derivations, found one by one (Huang and Chiang 2005, algorithm 3). A node looks for its next derivation
// only when some derivation above needs it, so k derivations of a forest of E edges cost about E + k d log k for
// derivations of d edges.
//
// The order is total and the same everywhere: higher score first, then the smaller edge, then the better derivations
// of the tails from left to right. A candidate has exactly one parent (decrement the last rank that is not zero), so
// none is made twice and no table of seen ones is needed.
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "forest/derivation.hpp"

namespace dragoman::forest {

// The best derivation; empty if there is none.
[[nodiscard]] std::vector<EdgeId> best_derivation(const Forest& forest);

// Enumerates the derivations of a forest, or of anything with a shape, which must outlive it. One object may serve many
// forests, one after the other, and keeps its memory.
class KBest {
 public:
  KBest() = default;
  explicit KBest(const Shape& shape) { reset(shape); }

  // Begins with the derivations of another forest.
  void reset(const Shape& shape);
  // The next derivation of the goal, best first, valid until the next call; empty when there are no more.
  [[nodiscard]] std::span<const EdgeId> next();
  // Of the derivation that came last.
  [[nodiscard]] double score() const noexcept { return item(shape_.goal(), asked_ - 1).score; }

 private:
  struct Item {  // an edge and, for each tail, which of its derivations; ranks lie in `ranks_`
    double score;
    EdgeId edge;
    std::uint32_t ranks;
  };
  struct Node {  // nodes that were asked for more than their best derivation
    std::vector<Item> found, heap;
    bool started = false, exhausted = false;
  };
  struct Waiting {  // a node, and which tail of its last derivation is next to be advanced
    NodeId node;
    std::size_t tail;
  };

  [[nodiscard]] bool later(const Item& a, const Item& b) const noexcept;
  Node& opened(NodeId node);
  [[nodiscard]] bool known(NodeId node, std::size_t rank) const noexcept;
  [[nodiscard]] bool exhausted(NodeId node) const noexcept;
  [[nodiscard]] const Item& item(NodeId node, std::size_t rank) const noexcept;
  [[nodiscard]] double score_of(EdgeId edge, std::uint32_t ranks) const noexcept;
  void push(Node& node, Item item);
  void start(Node& state, NodeId node);
  void enter(NodeId node);
  void extend(NodeId node);

  Shape shape_;
  std::vector<Item> best_;
  std::vector<std::uint32_t> slots_;  // per node: 0, or 1 + index into open_
  std::vector<Node> open_;            // the first `opened_` of them
  std::size_t opened_ = 0;
  std::vector<std::uint32_t> ranks_;
  std::size_t asked_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<std::pair<NodeId, std::size_t>> walk_;
  std::vector<EdgeId> derivation_;
};

struct KBestOptions {
  std::size_t k = 1;
  bool distinct = false;         // one derivation, the best, of each target string
  std::size_t most_pops = 3000;  // with `distinct`: derivations looked at before giving up
};

[[nodiscard]] Derivations k_best(const Forest& forest, const KBestOptions& options);

}  // namespace dragoman::forest
