#pragma once
// Partial translations of a chart ("nodes") and how a rule makes one of others; what searches that fill charts share.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/hash.hpp"
#include "features/feature.hpp"
#include "search/chart.hpp"
#include "search/decoded.hpp"
#include "search/hiero_settings.hpp"
#include "search/node.hpp"
#include "search/option.hpp"
#include "search/recombination.hpp"

namespace dragoman::search {

using features::StateId;

struct ChartNode {
  double score;     // of everything below it, with what state features expect where they cannot know yet
  double priority;  // score (+ what finishing costs, when complete)
  std::uint32_t option;
  std::uint32_t first_tail;  // nodes by nonterminal in source order
  CellId cell;
  NodeId arc;  // next of the nodes that recombined with this one and lost; a list
};

// `Extender` holds the state features:
//   std::size_t states() const;                                                  how many state ids a node carries
//   bool combine(const Option&, Tails tails, std::size_t arity, StateId* to, double& score);
//                                                 tails(i): states of a part; false if there can be no such node
//   double finish(const StateId*);                                               minus infinity: not allowed
template <typename Extender>
class ChartNodes {
 public:
  // The complete nodes, best first (empty: no way through).
  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return goal_nodes_; }
  [[nodiscard]] const ChartNode& node(NodeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] std::span<const NodeId> tails(const ChartNode& node) const noexcept {
    const auto after = static_cast<std::size_t>(&node - nodes_.data()) + 1;
    const std::size_t end = after < nodes_.size() ? nodes_[after].first_tail : tails_.size();
    return std::span(tails_).subspan(node.first_tail, end - node.first_tail);
  }
  [[nodiscard]] const StateId* states(NodeId id) const noexcept { return states_.data() + std::size_t{id} * width_; }
  [[nodiscard]] const SearchStatistics& statistics() const noexcept { return statistics_; }

 protected:
  // A position of a cube; coordinates are the option's and then one per nonterminal. Every position has one
  // predecessor, one step back along the last axis on which it has gone at all, so none is ever queued twice.
  struct Position {
    std::uint32_t bundle;
    std::uint32_t coordinates;  // where they are
    std::uint32_t last;         // the last axis on which it has gone at all
    NodeId node;                // kNone until it is built
  };
  static constexpr NodeId kImpossible = kNone - 1;

  void begin(const HieroSettings& settings, const Chart& chart, const OptionGroups& options, CellId goal,
             Extender& extender) {
    settings_ = &settings;
    chart_ = &chart;
    options_ = &options;
    goal_ = goal;
    extender_ = &extender;
    width_ = extender.states();
    nodes_.clear();
    states_.clear();
    tails_.clear();
    goal_nodes_.clear();
    statistics_ = {};
  }

  // The node of a cell that an option makes of `tail(i)`, one per nonterminal.
  template <typename Tail>
  NodeId build(CellId cell, std::uint32_t number, std::uint32_t arity, const Tail& tail) {
    const Option& option = (*options_)[number];
    const auto first_tail = static_cast<std::uint32_t>(tails_.size());
    double score = option.score;
    for (std::uint32_t i = 0; i < arity; ++i) {
      tails_.push_back(tail(i));
      score += nodes_[tails_.back()].score;
    }
    const auto id = static_cast<NodeId>(nodes_.size());
    states_.resize(states_.size() + width_);
    double more = 0;
    bool possible = extender_->combine(
        option, [&](std::size_t i) { return states(tails_[first_tail + i]); }, arity,
        states_.data() + std::size_t{id} * width_, more);
    score += more;
    double priority = score;
    if (possible && cell == goal_) {
      priority += extender_->finish(states(id));
      possible = priority > -std::numeric_limits<double>::infinity();
    }
    if (!possible) {
      tails_.resize(first_tail);
      states_.resize(std::size_t{id} * width_);
      return kImpossible;
    }
    ++statistics_.built;
    nodes_.push_back({score, priority, number, first_tail, cell, kNone});
    return id;
  }

  // The node with the same states in a table of those of its cell; the node itself if it is the first.
  NodeId& find_same(Recombination& known, NodeId id) {
    const StateId* const own = states(id);
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < width_; ++i) hash = (hash ^ own[i]) * 0x9e3779b97f4a7c15ULL;
    return known.find(mix(hash), id, [&](NodeId other) { return std::equal(own, own + width_, states(other)); });
  }

  const HieroSettings* settings_ = nullptr;
  const Chart* chart_ = nullptr;
  const OptionGroups* options_ = nullptr;
  CellId goal_ = 0;
  Extender* extender_ = nullptr;
  std::size_t width_ = 0;
  std::vector<ChartNode> nodes_;
  std::vector<StateId> states_;  // `width_` per node
  std::vector<NodeId> tails_;    // node by node
  std::vector<NodeId> goal_nodes_;
  SearchStatistics statistics_;
};

}  // namespace dragoman::search
