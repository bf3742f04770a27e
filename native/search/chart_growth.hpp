#pragma once
// Cube growing: cells are filled on demand, from the goal down. A cell that is asked for its next best node takes
// positions from its queue, for which cells below are asked for theirs, and gives a node away once no position that
// waits looks better; so cells that no good translation needs stay small. Positions are ordered by estimates that ask
// no state feature, so what is given away is nearly, but not always, the next best. (Huang and Chiang 2007.)
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/chart_nodes.hpp"
#include "search/queue.hpp"
#include "search/recombination.hpp"

namespace dragoman::search {

// One sentence's search. No cell takes more than `pop_limit` positions.
template <typename Extender>
class ChartGrowth final : public ChartNodes<Extender> {
 public:
  void run(const HieroSettings& settings, const Chart& chart, const OptionGroups& options, CellId goal,
           Extender& extender) {
    this->begin(settings, chart, options, goal, extender);
    if (cells_.size() < chart.size()) cells_.resize(chart.size());
    for (CellId cell = 0; cell < chart.size(); ++cell) cells_[cell].clear();
    grow(goal, std::min(settings.pop_limit, settings.beam));
    for (const NodeId node : cells_[goal].kept) goal_nodes_.push_back(node);
    std::stable_sort(goal_nodes_.begin(), goal_nodes_.end(),
                     [&](NodeId a, NodeId b) { return nodes_[a].priority > nodes_[b].priority; });
    for (CellId cell = 0; cell < chart.size(); ++cell) statistics_.kept += cells_[cell].kept.size();
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

  struct Growing {
    bool opened = false;
    std::uint32_t taken = 0;
    std::vector<NodeId> kept;  // as they were given away
    std::vector<Position> positions;
    std::vector<std::uint32_t> coordinates;
    Queue waiting, built;
    Recombination known;

    void clear() {
      opened = false;
      taken = 0;
      kept.clear();
      positions.clear();
      coordinates.clear();
      waiting.clear();
      built.clear();
    }
  };

  // Whether the cell has `wanted` nodes, after it was asked for them.
  bool grow(CellId id, std::uint32_t wanted) {
    Growing& cell = cells_[id];
    if (!cell.opened) open(id);
    while (cell.kept.size() < wanted && cell.taken < settings_->pop_limit && !cell.waiting.empty()) {
      const std::uint32_t at = cell.waiting.top().cell;
      cell.waiting.pop();
      const Position position = cell.positions[at];
      const Bundle& bundle = chart_->bundles()[position.bundle];
      const std::uint32_t* const coordinates = cell.coordinates.data() + position.coordinates;
      const NodeId node = this->build(id, bundle.first_option + coordinates[0], bundle.arity, [&](std::uint32_t i) {
        return cells_[chart_->tails(bundle)[i]].kept[coordinates[i + 1]];
      });
      if (node != Nodes::kImpossible) {
        ++cell.taken;
        cell.built.push({nodes_[node].priority, node});
      }
      push_successors(id, at);
      release(cell, cell.waiting.empty() ? -std::numeric_limits<double>::infinity() : cell.waiting.top().key);
    }
    if (cell.kept.size() < wanted) release(cell, -std::numeric_limits<double>::infinity());
    return cell.kept.size() >= wanted;
  }

  void open(CellId id) {
    Growing& cell = cells_[id];
    cell.opened = true;
    cell.known.clear(0);
    const ChartCell& place = (*chart_)[id];
    for (std::uint32_t number = place.first_bundle; number < place.first_bundle + place.bundles; ++number) {
      const Bundle& bundle = chart_->bundles()[number];
      const auto tails = chart_->tails(bundle);
      if (!std::all_of(tails.begin(), tails.end(), [&](CellId tail) { return grow(tail, 1); })) continue;
      const auto begin = static_cast<std::uint32_t>(cell.coordinates.size());
      cell.coordinates.resize(begin + bundle.arity + 1, 0);
      push(cell, {number, begin, 0, kNone});
    }
  }

  void push(Growing& cell, const Position& position) {
    ++statistics_.queued;
    const Bundle& bundle = chart_->bundles()[position.bundle];
    const std::uint32_t* const at = cell.coordinates.data() + position.coordinates;
    double key = (*options_)[bundle.first_option + at[0]].estimate;
    for (std::uint32_t i = 0; i < bundle.arity; ++i)
      key += nodes_[cells_[chart_->tails(bundle)[i]].kept[at[i + 1]]].score;
    cell.positions.push_back(position);
    cell.waiting.push({key, static_cast<std::uint32_t>(cell.positions.size() - 1)});
  }

  void push_successors(CellId id, std::uint32_t from) {
    Growing& cell = cells_[id];
    const Position position = cell.positions[from];
    const Bundle& bundle = chart_->bundles()[position.bundle];
    for (std::uint32_t axis = position.last; axis <= bundle.arity; ++axis) {
      const std::uint32_t next = cell.coordinates[position.coordinates + axis] + 1;
      const bool there = axis == 0 ? next < bundle.options : grow(chart_->tails(bundle)[axis - 1], next + 1);
      if (!there) continue;
      const auto begin = static_cast<std::uint32_t>(cell.coordinates.size());
      for (std::uint32_t i = 0; i <= bundle.arity; ++i)
        cell.coordinates.push_back(cell.coordinates[position.coordinates + i]);
      cell.coordinates[begin + axis] = next;
      push(cell, {position.bundle, begin, axis, kNone});
    }
  }

  // Gives away what is no worse than all that waits. What is built later and has the states of a node that others rest
  // on already cannot replace it.
  void release(Growing& cell, double bound) {
    while (!cell.built.empty() && cell.built.top().key >= bound) {
      const NodeId id = cell.built.top().cell;
      cell.built.pop();
      if (!cell.kept.empty() && nodes_[id].priority < nodes_[cell.kept[0]].priority - settings_->margin) {
        ++statistics_.pruned;
        continue;
      }
      const NodeId winner = this->find_same(cell.known, id);
      if (winner == id) {
        cell.kept.push_back(id);
      } else if (nodes_[id].score <= nodes_[winner].score) {
        ++statistics_.recombined;
        nodes_[id].arc = nodes_[winner].arc;
        nodes_[winner].arc = id;
      } else {
        ++statistics_.pruned;
      }
    }
  }

  std::vector<Growing> cells_;
};

}  // namespace dragoman::search
