#pragma once
// The k best derivations, found one by one (Huang and Chiang 2005, algorithm 3). A node looks for its next derivation
// only when some derivation above needs it, so k derivations of a forest of E edges cost about E + k d log k for
// derivations of d edges.
//
// The order is total and the same everywhere: higher score first, then the smaller edge, then the better derivations
// of the tails from left to right. A candidate has exactly one parent (decrement the last rank that is not zero), so
// none is made twice and no table of seen ones is needed.
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "forest/derivation.hpp"

namespace dragoman::forest {

// The best derivation of each node: its edge and score; ties go to the smaller edge.
struct Best {
  std::vector<EdgeId> edges;
  std::vector<double> scores;

  explicit Best(const Forest& forest);
};

// The best derivation; empty if there is none.
[[nodiscard]] std::vector<EdgeId> best_derivation(const Forest& forest);

// Enumerates the derivations of a forest, which must outlive it.
class KBest {
 public:
  explicit KBest(const Forest& forest);

  // Appends the next derivation of the goal to `into`; false when there are no more.
  bool next(Derivations& into);

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

  [[nodiscard]] bool later(const Item& a, const Item& b) const noexcept;
  Node& opened(NodeId node);
  [[nodiscard]] bool known(NodeId node, std::size_t rank) const noexcept;
  [[nodiscard]] bool exhausted(NodeId node) const noexcept;
  [[nodiscard]] const Item& item(NodeId node, std::size_t rank) const noexcept;
  [[nodiscard]] double score_of(EdgeId edge, std::uint32_t ranks) const noexcept;
  void push(Node& node, Item item);
  void start(Node& state, NodeId node);
  void extend(NodeId node);

  const Forest& forest_;
  std::vector<Item> best_;
  std::vector<std::uint32_t> slots_;  // per node: 0, or 1 + index into open_
  std::deque<Node> open_;
  std::vector<std::uint32_t> ranks_;
  std::size_t asked_ = 0;
};

struct KBestOptions {
  std::size_t k = 1;
  bool distinct = false;         // one derivation, the best, of each target string
  std::size_t most_pops = 3000;  // with `distinct`: derivations looked at before giving up
};

[[nodiscard]] Derivations k_best(const Forest& forest, const KBestOptions& options);

}  // namespace dragoman::forest
