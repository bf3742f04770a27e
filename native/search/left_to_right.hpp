#pragma once
// Left-to-right search with hierarchical rules: a node is a target prefix and a list of source spans still to be
// translated, of which the first is expanded next. Rules write their words first and leave their nonterminals as spans,
// so the target grows at its end only, as with phrases: one language model history per node, and one stack per number
// of source words covered. (Watanabe, Tsukada and Isozaki 2006; Siahbani, Sankaran and Sarkar 2013; Siahbani and Sarkar
// 2014.)
//
// Nodes that expand the same span form a bundle; a bundle and what may be done to that span (an application) form a
// grid, best nodes and best options first. All rules of a grid leave the same spans in the same order, so its cells
// differ in the node, the rule and its language model score only.
#include <cstdint>
#include <span>
#include <vector>

#include "search/cube_merge.hpp"
#include "search/decoded.hpp"
#include "search/extender.hpp"
#include "search/heights.hpp"
#include "search/left_to_right_sentence.hpp"
#include "search/left_to_right_settings.hpp"
#include "search/node.hpp"
#include "search/prefix_beams.hpp"
#include "search/recombination.hpp"
#include "search/span_lists.hpp"
#include "search/stack.hpp"

namespace dragoman::search {

class LeftToRightSearch {
 public:
  struct Node {
    double score;     // of everything translated so far
    double priority;  // score + future cost (+ what finishing costs, when complete)
    NodeId previous;
    std::uint32_t option, application;
    ListId spans;
    NodeId arc;  // next of the nodes that recombined with this one and lost; a list
  };

  // Runs the search; afterwards `goal_nodes` are the complete nodes, best first (empty: no way through).
  void run(const LeftToRightSettings& settings, double height_weight, LeftToRightSentence& sentence,
           Extender& extender);

  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return stack(sentence_->length()); }
  [[nodiscard]] std::span<const NodeId> stack(std::uint32_t covered) const noexcept {
    return std::span(kept_).subspan(stack_begins_[covered], stack_begins_[covered + 1] - stack_begins_[covered]);
  }
  [[nodiscard]] const Node& node(NodeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] const StateId* states(NodeId id) const noexcept { return states_.data() + id * width_; }
  [[nodiscard]] const SpanLists& lists() const noexcept { return lists_; }
  // By how much the step to a node raised the height of the derivation.
  [[nodiscard]] double height_of_step(NodeId id);
  [[nodiscard]] const SearchStatistics& statistics() const noexcept { return statistics_; }

 private:
  struct Grid {
    std::uint32_t first_node, nodes;  // the bundle, in `kept_`
    std::uint32_t application;
  };
  void reset();
  void seed();
  // The next stack: bundles times applications say which grids it, and those behind it, come from.
  void spread_grids(std::uint32_t covered);
  // Partial translations that begin with the prefix, by the number of words they cover; see PrefixBeams.
  bool write_prefix();
  void fill_by_cube(std::uint32_t covered);
  void fill_exhaustively(std::uint32_t covered);
  // kNone if no reference goes on like this.
  NodeId build(const Grid& grid, std::uint32_t row, std::uint32_t column);
  NodeId make(NodeId previous, std::uint32_t application, std::uint32_t option_id);
  void insert(NodeId id);
  void close();
  // The nodes to keep.
  void rank();
  [[nodiscard]] std::uint64_t bundle(ListId list) const noexcept;

  const LeftToRightSettings* settings_ = nullptr;
  LeftToRightSentence* sentence_ = nullptr;
  Extender* extender_ = nullptr;
  double height_weight_ = 0;
  bool forced_ = false;
  // States of features, then of references, then of heights; the last is not compared unless it must be.
  std::size_t width_ = 0, compared_ = 0, reference_state_ = 0, height_state_ = 0;
  SpanLists lists_;
  Heights heights_;
  std::vector<Node> nodes_;
  std::vector<StateId> states_;              // `width_` per node
  std::vector<NodeId> kept_;                 // stack by stack, bundle by bundle, best first
  std::vector<std::uint32_t> stack_begins_;  // in `kept_`
  std::vector<std::vector<Grid>> grids_;     // by the number of words covered afterwards
  std::vector<std::vector<NodeId>> seeds_;   // what has written the prefix, by the number of words covered
  PrefixBeams beams_;
  CubeMerge merge_;
  SpaceWatch watch_;
  Recombination recombination_;
  std::vector<RankedNode> ranked_;
  SearchStatistics statistics_;
};

}  // namespace dragoman::search
