#pragma once
// Bottom-up search: partial translations ("nodes") in cells by label and span, built from the nodes of smaller cells by
// cube pruning. (Chiang 2007; Huang and Chiang 2007.)
//
// A bundle spans a cube: its options, and for each nonterminal the nodes of a cell, all of them best first. Cube
// pruning is lazy: a position of the cube enters the queue with an estimate that asks no state feature; only when it
// comes to the top is it built and, if still best, taken. Every position has one predecessor, one step back along the
// last axis on which it has gone at all, so none is ever queued twice.
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
#include "search/option.hpp"
#include "search/queue.hpp"
#include "search/recombination.hpp"

namespace dragoman::search {

using features::StateId;
using ChartNodeId = std::uint32_t;
inline constexpr std::uint32_t kNoChartNode = ~std::uint32_t{0};

struct ChartNode {
  double score;     // of everything below it, with what state features expect where they cannot know yet
  double priority;  // score (+ what finishing costs, when complete)
  std::uint32_t option;
  std::uint32_t first_tail;  // nodes by nonterminal in source order
  CellId cell;
  ChartNodeId arc;  // next of the nodes that recombined with this one and lost; a list
};

// One sentence's search. `Extender` holds the state features:
//   std::size_t states() const;                                                  how many state ids a node carries
//   bool combine(const Option&, Tails tails, StateId* to, double& score);        tails(i): states of a part; false if
//                                                                                there can be no such node
//   double finish(const StateId*);
template <typename Extender>
class ChartSearch {
 public:
  // Runs the search; afterwards `goal_nodes` are the complete nodes, best first (empty: no way through).
  void run(const HieroSettings& settings, const Chart& chart, const OptionGroups& options, CellId goal,
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
    kept_.clear();
    kept_begins_.assign(1, 0);
    statistics_ = {};
    for (CellId cell = 0; cell < chart.size(); ++cell) {
      fill(cell);
      close();
    }
  }

  [[nodiscard]] std::span<const ChartNodeId> goal_nodes() const noexcept { return kept(goal_); }
  // The nodes of a cell, best first.
  [[nodiscard]] std::span<const ChartNodeId> kept(CellId cell) const noexcept {
    return std::span(kept_).subspan(kept_begins_[cell], kept_begins_[cell + 1] - kept_begins_[cell]);
  }
  [[nodiscard]] const ChartNode& node(ChartNodeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] std::span<const ChartNodeId> tails(const ChartNode& node) const noexcept {
    return std::span(tails_).subspan(node.first_tail, arity(node));
  }
  [[nodiscard]] const StateId* states(ChartNodeId id) const noexcept {
    return states_.data() + std::size_t{id} * width_;
  }
  [[nodiscard]] const SearchStatistics& statistics() const noexcept { return statistics_; }

 private:
  // A position of a cube; coordinates are the option's and then one per nonterminal.
  struct Position {
    std::uint32_t bundle;
    std::uint32_t coordinates;  // where they are
    std::uint32_t last;         // the last axis on which it has gone at all
    ChartNodeId node;           // kNoChartNode until it is built
  };
  static constexpr ChartNodeId kImpossible = kNoChartNode - 1;

  [[nodiscard]] std::size_t arity(const ChartNode& node) const noexcept {
    const auto after = static_cast<std::size_t>(&node - nodes_.data()) + 1;
    return (after < nodes_.size() ? nodes_[after].first_tail : tails_.size()) - node.first_tail;
  }
  [[nodiscard]] ChartNodeId tail(const Bundle& bundle, const std::uint32_t* coordinates, std::uint32_t index) const {
    return kept_[kept_begins_[chart_->tails(bundle)[index]] + coordinates[index + 1]];
  }

  [[nodiscard]] Queued queued(std::uint32_t id) noexcept {
    ++statistics_.queued;
    const Position& position = positions_[id];
    const Bundle& bundle = chart_->bundles()[position.bundle];
    const std::uint32_t* const at = coordinates_.data() + position.coordinates;
    double key = (*options_)[bundle.first_option + at[0]].estimate;
    for (std::uint32_t i = 0; i < bundle.arity; ++i) key += nodes_[tail(bundle, at, i)].score;
    return {key, id};
  }

  void fill(CellId id) {
    filling_ = id;
    const ChartCell& cell = (*chart_)[id];
    positions_.clear();
    coordinates_.clear();
    queue_.clear();
    for (std::uint32_t number = cell.first_bundle; number < cell.first_bundle + cell.bundles; ++number) {
      const Bundle& bundle = chart_->bundles()[number];
      const auto tails = chart_->tails(bundle);
      if (std::any_of(tails.begin(), tails.end(),
                      [&](CellId tail) { return kept_begins_[tail] == kept_begins_[tail + 1]; }))
        continue;
      positions_.push_back({number, static_cast<std::uint32_t>(coordinates_.size()), 0, kNoChartNode});
      coordinates_.resize(coordinates_.size() + bundle.arity + 1, 0);
      queue_.append(queued(static_cast<std::uint32_t>(positions_.size() - 1)));
    }
    recombination_.clear(std::min<std::size_t>(settings_->pop_limit, positions_.size() * 8));
    queue_.arrange();
    double lowest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t pops = 0; !queue_.empty() && pops < settings_->pop_limit;) {
      const std::uint32_t at = queue_.top().cell;
      if (positions_[at].node == kNoChartNode) {
        const ChartNodeId node = build(positions_[at]);
        positions_[at].node = node;
        if (node != kImpossible) {
          queue_.replace_top({nodes_[node].priority, at});
          if (queue_.top().cell != at) continue;
        }
      }
      queue_.pop();
      if (positions_[at].node != kImpossible) {
        const double priority = nodes_[positions_[at].node].priority;
        if (priority < lowest) break;
        if (pops == 0) lowest = priority - settings_->margin;
        ++pops;
        insert(positions_[at].node);
      }
      push_successors(at);
    }
  }

  void push_successors(std::uint32_t from) {
    const Bundle& bundle = chart_->bundles()[positions_[from].bundle];
    for (std::uint32_t axis = positions_[from].last; axis <= bundle.arity; ++axis) {
      const std::uint32_t next = coordinates_[positions_[from].coordinates + axis] + 1;
      if (next >= extent(bundle, axis)) continue;
      const auto begin = static_cast<std::uint32_t>(coordinates_.size());
      for (std::uint32_t i = 0; i <= bundle.arity; ++i)
        coordinates_.push_back(coordinates_[positions_[from].coordinates + i]);
      coordinates_[begin + axis] = next;
      positions_.push_back({positions_[from].bundle, begin, axis, kNoChartNode});
      queue_.push(queued(static_cast<std::uint32_t>(positions_.size() - 1)));
    }
  }
  [[nodiscard]] std::uint32_t extent(const Bundle& bundle, std::uint32_t axis) const noexcept {
    if (axis == 0) return bundle.options;
    const CellId cell = chart_->tails(bundle)[axis - 1];
    return kept_begins_[cell + 1] - kept_begins_[cell];
  }

  ChartNodeId build(const Position& position) {
    const Bundle& bundle = chart_->bundles()[position.bundle];
    const std::uint32_t* const at = coordinates_.data() + position.coordinates;
    const std::uint32_t number = bundle.first_option + at[0];
    const Option& option = (*options_)[number];
    const auto first_tail = static_cast<std::uint32_t>(tails_.size());
    double score = option.score;
    for (std::uint32_t i = 0; i < bundle.arity; ++i) {
      tails_.push_back(tail(bundle, at, i));
      score += nodes_[tails_.back()].score;
    }
    const auto id = static_cast<ChartNodeId>(nodes_.size());
    states_.resize(states_.size() + width_);
    double more = 0;
    const bool possible = extender_->combine(
        option, [&](std::size_t i) { return states(tails_[first_tail + i]); }, bundle.arity,
        states_.data() + std::size_t{id} * width_, more);
    if (!possible) {
      tails_.resize(first_tail);
      states_.resize(std::size_t{id} * width_);
      return kImpossible;
    }
    ++statistics_.built;
    score += more;
    double priority = score;
    if (filling_ == goal_) priority += extender_->finish(states(id));
    nodes_.push_back({score, priority, number, first_tail, filling_, kNoChartNode});
    return id;
  }

  // Recombination: equal states; the better node stays, the other becomes its arc.
  void insert(ChartNodeId id) {
    ChartNode& fresh = nodes_[id];
    const StateId* const own = states(id);
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < width_; ++i) hash = (hash ^ own[i]) * 0x9e3779b97f4a7c15ULL;
    ChartNodeId& winner = recombination_.find(
        mix(hash), id, [&](ChartNodeId other) { return std::equal(own, own + width_, states(other)); });
    if (winner == id) return;
    ++statistics_.recombined;
    ChartNode& stored = nodes_[winner];
    if (fresh.score > stored.score) {
      fresh.arc = winner;  // the old winner, and behind it all that it had beaten
      winner = id;
    } else {
      fresh.arc = stored.arc;
      stored.arc = id;
    }
  }

  // The cell is complete: keep the best nodes, best first.
  void close() {
    ranked_.clear();
    for (const auto& winner : recombination_.winners()) ranked_.push_back({nodes_[winner.node].priority, winner.node});
    const auto better = [](const Ranked& a, const Ranked& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.node < b.node;
    };
    std::sort(ranked_.begin(), ranked_.end(), better);
    std::size_t keep = std::min<std::size_t>(ranked_.size(), settings_->beam);
    while (keep > 1 && ranked_[keep - 1].priority < ranked_[0].priority - settings_->margin) --keep;
    statistics_.pruned += ranked_.size() - keep;
    statistics_.kept += keep;
    for (std::size_t i = 0; i < keep; ++i) kept_.push_back(ranked_[i].node);
    kept_begins_.push_back(static_cast<std::uint32_t>(kept_.size()));
  }

  struct Ranked {
    double priority;
    ChartNodeId node;
  };

  const HieroSettings* settings_ = nullptr;
  const Chart* chart_ = nullptr;
  const OptionGroups* options_ = nullptr;
  CellId goal_ = 0, filling_ = 0;
  Extender* extender_ = nullptr;
  std::size_t width_ = 0;
  std::vector<ChartNode> nodes_;
  std::vector<StateId> states_;             // `width_` per node
  std::vector<ChartNodeId> tails_;          // node by node
  std::vector<ChartNodeId> kept_;           // cell by cell, best first
  std::vector<std::uint32_t> kept_begins_;  // in `kept_`, per cell
  std::vector<Position> positions_;
  std::vector<std::uint32_t> coordinates_;
  Queue queue_;
  Recombination recombination_;
  std::vector<Ranked> ranked_;
  SearchStatistics statistics_;
};

}  // namespace dragoman::search
