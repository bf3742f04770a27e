#pragma once
// Bottom-up search: nodes in cells by label and span, built from the nodes of smaller cells by cube pruning. (Chiang
// 2007; Huang and Chiang 2007.)
//
// A bundle spans a cube: its options, and for each nonterminal the nodes of a cell, all of them best first. Cube
// pruning is lazy: a position of the cube enters the queue with an estimate that asks no state feature; only when it
// comes to the top is it built and, if still best, taken.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/chart_nodes.hpp"
#include "search/queue.hpp"
#include "search/recombination.hpp"
#include "search/space_limits.hpp"

namespace dragoman::search {

// One sentence's search.
template <typename Extender>
class ChartSearch final : public ChartNodes<Extender> {
 public:
  void run(const HieroSettings& settings, const Chart& chart, const OptionGroups& options, CellId goal,
           Extender& extender) {
    this->begin(settings, chart, options, goal, extender);
    watch_.begin(settings.space);
    kept_.clear();
    kept_begins_.assign(1, 0);
    for (CellId cell = 0; cell < chart.size(); ++cell) {
      watch_.check(nodes_.size());
      fill(cell);
      close();
    }
    const auto complete = std::span(kept_).subspan(kept_begins_[goal], kept_begins_[goal + 1] - kept_begins_[goal]);
    goal_nodes_.assign(complete.begin(), complete.end());
  }

 private:
  using Nodes = ChartNodes<Extender>;
  using Nodes::chart_;
  using Nodes::goal_nodes_;
  using Nodes::nodes_;
  using Nodes::options_;
  using Nodes::settings_;
  using Nodes::statistics_;
  using typename Nodes::Position;

  [[nodiscard]] NodeId tail(const Bundle& bundle, const std::uint32_t* coordinates, std::uint32_t index) const {
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
      positions_.push_back({number, static_cast<std::uint32_t>(coordinates_.size()), 0, kNone});
      coordinates_.resize(coordinates_.size() + bundle.arity + 1, 0);
      queue_.append(queued(static_cast<std::uint32_t>(positions_.size() - 1)));
    }
    recombination_.clear(std::min<std::size_t>(settings_->pop_limit, positions_.size() * 8));
    queue_.arrange();
    double lowest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t pops = 0; !queue_.empty() && pops < settings_->pop_limit;) {
      if (pops % 1024 == 1023) watch_.check(nodes_.size());
      const std::uint32_t at = queue_.top().cell;
      if (positions_[at].node == kNone) {
        positions_[at].node = build(id, positions_[at]);
        if (positions_[at].node != Nodes::kImpossible) {
          queue_.replace_top({nodes_[positions_[at].node].priority, at});
          if (queue_.top().cell != at) continue;
        }
      }
      queue_.pop();
      if (positions_[at].node != Nodes::kImpossible) {
        const double priority = nodes_[positions_[at].node].priority;
        if (priority < lowest) break;
        if (pops == 0) lowest = priority - settings_->margin;
        ++pops;
        insert(positions_[at].node);
      }
      push_successors(at);
    }
  }

  NodeId build(CellId cell, const Position& position) {
    const Bundle& bundle = chart_->bundles()[position.bundle];
    const std::uint32_t* const at = coordinates_.data() + position.coordinates;
    return Nodes::build(cell, bundle.first_option + at[0], bundle.arity,
                        [&](std::uint32_t i) { return tail(bundle, at, i); });
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
      positions_.push_back({positions_[from].bundle, begin, axis, kNone});
      queue_.push(queued(static_cast<std::uint32_t>(positions_.size() - 1)));
    }
  }
  [[nodiscard]] std::uint32_t extent(const Bundle& bundle, std::uint32_t axis) const noexcept {
    if (axis == 0) return bundle.options;
    const CellId cell = chart_->tails(bundle)[axis - 1];
    return kept_begins_[cell + 1] - kept_begins_[cell];
  }

  // Recombination: equal states; the better node stays, the other becomes its arc.
  void insert(NodeId id) {
    NodeId& winner = this->find_same(recombination_, id);
    if (winner == id) return;
    ++statistics_.recombined;
    ChartNode &fresh = nodes_[id], &stored = nodes_[winner];
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
    std::sort(ranked_.begin(), ranked_.end(), [](const Queued& a, const Queued& b) { return a.before(b); });
    std::size_t keep = std::min<std::size_t>(ranked_.size(), settings_->beam);
    while (keep > 1 && ranked_[keep - 1].key < ranked_[0].key - settings_->margin) --keep;
    statistics_.pruned += ranked_.size() - keep;
    statistics_.kept += keep;
    for (std::size_t i = 0; i < keep; ++i) kept_.push_back(ranked_[i].cell);
    kept_begins_.push_back(static_cast<std::uint32_t>(kept_.size()));
  }

  std::vector<NodeId> kept_;                // cell by cell, best first
  std::vector<std::uint32_t> kept_begins_;  // in `kept_`, per cell
  std::vector<Position> positions_;
  std::vector<std::uint32_t> coordinates_;
  Queue queue_;
  Recombination recombination_;
  SpaceWatch watch_;
  std::vector<Queued> ranked_;
};

}  // namespace dragoman::search
