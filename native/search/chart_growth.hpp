#pragma once
// Cube growing: cells are filled on demand, from the goal down. A cell that is asked for its next best node takes
// positions from its queue, for which cells below are asked for theirs, and gives a node away once no position that
// waits looks better; so cells that no good translation needs stay small. Positions are ordered by estimates that ask
// no state feature; how much better nodes of the cell turned out than they looked is granted to those that wait. Still,
// a node may come after a worse one with the same states, on which others rest already; so scores are summed up once
// more when all is built. (Huang and Chiang 2007.)
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
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
    slots_.clear();
    grow(goal, std::min(settings.pop_limit, settings.beam));
    settle();
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
    double surprise = 0;           // how much better a node has turned out than it looked, at most
    std::vector<NodeId> kept;      // the best of those with the same states, as they were given away
    std::vector<NodeId> released;  // all that were given away
    std::vector<Position> positions;
    std::vector<std::uint32_t> coordinates;
    Queue waiting, built;
    Recombination known;

    void clear() {
      opened = false;
      taken = 0;
      surprise = 0;
      kept.clear();
      released.clear();
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
      if (cell.taken % 256 == 0) stop_if_interrupted();
      const auto [key, at] = cell.waiting.top();
      cell.waiting.pop();
      const Position position = cell.positions[at];
      const Bundle& bundle = chart_->bundles()[position.bundle];
      const std::uint32_t* const coordinates = cell.coordinates.data() + position.coordinates;
      const NodeId node = this->build(id, bundle.first_option + coordinates[0], bundle.arity, [&](std::uint32_t i) {
        return cells_[chart_->tails(bundle)[i]].kept[coordinates[i + 1]];
      });
      if (node != Nodes::kImpossible) {
        ++cell.taken;
        cell.surprise = std::max(cell.surprise, nodes_[node].priority - key);
        cell.built.push({nodes_[node].priority, node});
      }
      push_successors(id, at);
      release(cell,
              cell.waiting.empty() ? -std::numeric_limits<double>::infinity() : cell.waiting.top().key + cell.surprise);
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

  // Gives away what is no worse than all that waits; the better of two with the same states stands for both.
  void release(Growing& cell, double bound) {
    while (!cell.built.empty() && cell.built.top().key >= bound) {
      const NodeId id = cell.built.top().cell;
      cell.built.pop();
      if (!cell.kept.empty() && nodes_[id].priority < nodes_[cell.kept[0]].priority - settings_->margin) {
        ++statistics_.pruned;
        continue;
      }
      const NodeId first = this->find_same(cell.known, id);
      if (slots_.size() < nodes_.size()) slots_.resize(nodes_.size(), 0);
      cell.released.push_back(id);
      if (first == id) {
        slots_[id] = static_cast<std::uint32_t>(cell.kept.size());
        cell.kept.push_back(id);
        continue;
      }
      ++statistics_.recombined;
      slots_[id] = slots_[first];
      NodeId& best = cell.kept[slots_[id]];
      if (nodes_[id].score > nodes_[best].score) best = id;
    }
  }

  // Scores of all that was given away, from below: every part is the best of its states.
  void settle() {
    steps_.clear();
    for (const ChartNode& node : nodes_) {
      double step = node.score;
      for (const NodeId tail : this->tails(node)) step -= nodes_[tail].score;
      steps_.push_back(step);
    }
    for (CellId id = 0; id < chart_->size(); ++id) {
      Growing& cell = cells_[id];
      for (const NodeId member : cell.released) {
        ChartNode& node = nodes_[member];
        const double finishing = node.priority - node.score;
        node.score = steps_[member];
        for (std::size_t i = 0; i < this->tails(node).size(); ++i) {
          NodeId& tail = this->tails_[node.first_tail + i];
          tail = cells_[nodes_[tail].cell].kept[slots_[tail]];
          node.score += nodes_[tail].score;
        }
        node.priority = node.score + finishing;
      }
      for (const NodeId member : cell.released) {
        NodeId& best = cell.kept[slots_[member]];
        if (nodes_[member].score > nodes_[best].score) best = member;
      }
      for (const NodeId member : cell.released) {
        const NodeId best = cell.kept[slots_[member]];
        if (member == best) continue;
        nodes_[member].arc = nodes_[best].arc;
        nodes_[best].arc = member;
      }
    }
  }

  std::vector<Growing> cells_;
  std::vector<std::uint32_t> slots_;  // of a node that was given away, its place or that of a better one in `kept`
  std::vector<double> steps_;         // what the rule of a node added to its parts
};

}  // namespace dragoman::search
