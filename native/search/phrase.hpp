#pragma once
// Phrase-based search: partial translations ("nodes") in stacks by number of covered source words, extended by cube
// pruning (the default) or exhaustively. (Koehn 2004; Huang and Chiang 2007; Green, Cer and Manning 2014.)
//
// Cube pruning here is lazy. Nodes of equal coverage and last end form a bundle; a bundle and the options of one span
// form a grid, best nodes and best options first. A cell enters the queue with an estimate that costs no language model
// query; only when it comes to the top is it built and, if still best, taken. Every cell has one predecessor (to its
// left, or above it in the first column), so none is ever queued twice.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/interned.hpp"
#include "features/distortion.hpp"
#include "search/coverage.hpp"
#include "search/future_cost.hpp"
#include "search/option.hpp"

namespace dragoman::search {

using features::StateId;
using NodeId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct SearchSettings {
  enum class Algorithm : std::uint8_t { kCube, kStack };
  Algorithm algorithm = Algorithm::kCube;
  std::uint32_t beam = 1000;                                   // nodes kept per stack
  std::uint32_t pop_limit = 1000;                              // nodes built per stack by cube pruning
  double threshold = std::numeric_limits<double>::infinity();  // how far below the best of its stack a node may lie
  features::DistortionSettings distortion;
  double distortion_weight = 0;
};

struct Node {
  double score;     // of everything translated so far
  double priority;  // score + future cost (+ what finishing costs, when complete)
  NodeId previous;
  std::uint32_t option;
  std::uint32_t coverage;  // interned
  std::uint32_t states;    // where its feature states lie
  NodeId arc;              // next of the nodes that recombined with this one and lost; a list
};

struct SearchStatistics {
  std::uint64_t built = 0, recombined = 0, pruned = 0, kept = 0, queued = 0;
};

// One sentence's search. `Extender` holds the state features:
//   std::size_t states() const;                                    how many state ids a node carries
//   void start(StateId*);
//   double extend(const StateId* from, const Option&, const Coverage& before, StateId* to);
//   double finish(const StateId*);
template <typename Extender>
class PhraseSearch {
 public:
  // Runs the search; afterwards `goal_nodes` are the complete nodes, best first (empty: no way through).
  void run(const SearchSettings& settings, const OptionChart& options, Extender& extender) {
    settings_ = &settings;
    options_ = &options;
    extender_ = &extender;
    width_ = extender.states();
    length_ = options.length();
    reset();
    const FutureCost future(length_, [&](std::uint32_t start, std::uint32_t end) {
      return options.best_estimate({static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end)});
    });
    future_ = &future;
    seed();
    for (std::uint32_t covered = 0; covered <= length_; ++covered) {
      if (covered > 0 && settings.algorithm == SearchSettings::Algorithm::kCube) fill_by_cube(covered);
      close(covered);
      if (covered == length_) break;
      if (settings.algorithm == SearchSettings::Algorithm::kCube)
        spread_grids(covered);
      else
        expand(covered);
    }
  }

  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return stacks_[length_]; }
  [[nodiscard]] const Node& node(NodeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] const StateId* states(const Node& node) const noexcept { return states_.data() + node.states; }
  [[nodiscard]] const Coverage& coverage(const Node& node) const noexcept { return coverages_[node.coverage]; }
  [[nodiscard]] const std::vector<NodeId>& stack(std::uint32_t covered) const noexcept { return stacks_[covered]; }
  [[nodiscard]] const SearchStatistics& statistics() const noexcept { return statistics_; }

 private:
  struct Grid {
    std::uint32_t first_node, nodes;  // in the sorted stack of the bundle
    std::uint32_t stack;
    std::uint32_t first_option, options;
    std::uint32_t coverage;  // after the options' span
    double future;           // of that coverage
  };
  struct Cell {
    double key;
    std::uint32_t grid;
    std::uint32_t row, column;
    NodeId node;                                                    // kNone until it is built
    friend bool operator<(const Cell& a, const Cell& b) noexcept {  // heap order: best key, then first made
      if (a.key != b.key) return a.key < b.key;
      if (a.grid != b.grid) return a.grid > b.grid;
      return a.row != b.row ? a.row > b.row : a.column > b.column;
    }
  };

  void reset() {
    nodes_.clear();
    states_.clear();
    coverages_.clear();
    future_of_.clear();
    stacks_.resize(length_ + 1);
    grids_.resize(length_ + 1);
    for (auto& stack : stacks_) stack.clear();
    for (auto& grids : grids_) grids.clear();
    tables_.resize(length_ + 1);
    for (auto& table : tables_) table.clear();
    statistics_ = {};
  }

  void seed() {
    states_.resize(width_);
    extender_->start(states_.data());
    const std::uint32_t coverage = intern(Coverage{});
    const double priority = length_ == 0 ? finish(states_.data(), 0) : future_of_[coverage];
    nodes_.push_back({0, priority, kNone, kNone, coverage, 0, kNone});
    stacks_[0].push_back(0);
  }

  std::uint32_t intern(const Coverage& coverage) {
    return coverages_.intern(coverage, coverage.hash(),
                             [&](std::uint32_t) { future_of_.push_back(future_->of(coverage)); });
  }

  [[nodiscard]] int end_of(const Node& node) const noexcept {
    return node.option == kNone ? 0 : (*options_)[node.option].span.end;
  }

  [[nodiscard]] double distortion(const Node& node, const Option& option) const noexcept {
    return -settings_->distortion_weight * features::jump_cost(settings_->distortion, coverages_[node.coverage],
                                                               end_of(node), option.span, static_cast<int>(length_));
  }

  // What a cell may be worth, without asking the state features.
  [[nodiscard]] double estimate(const Grid& grid, const Node& node, const Option& option) const noexcept {
    return node.score + option.estimate + distortion(node, option) + grid.future;
  }

  // Builds the node for (previous, option); its states are the last ones in `states_`.
  NodeId build(NodeId previous, std::uint32_t option_id, std::uint32_t coverage, double future) {
    ++statistics_.built;
    const Option& option = (*options_)[option_id];
    const Node from = nodes_[previous];
    const auto offset = static_cast<std::uint32_t>(states_.size());
    states_.resize(offset + width_);
    double score = from.score + option.score + distortion(from, option);
    score +=
        extender_->extend(states_.data() + from.states, option, coverages_[from.coverage], states_.data() + offset);
    double priority = score + future;
    if (coverages_[coverage].first_gap == length_) priority += finish(states_.data() + offset, option.span.end);
    const auto id = static_cast<NodeId>(nodes_.size());
    nodes_.push_back({score, priority, previous, option_id, coverage, offset, kNone});
    return id;
  }

  double finish(const StateId* states, int end) {
    double score = extender_->finish(states);
    if (settings_->distortion.final_jump)
      score -= settings_->distortion_weight * std::abs(static_cast<int>(length_) - end);
    return score;
  }

  // Recombination: equal coverage, last end and states; the better node stays, the other becomes its arc.
  struct Table {
    std::vector<NodeId> slots;
    std::size_t used = 0;
    void clear() {
      std::fill(slots.begin(), slots.end(), kNone);
      used = 0;
    }
  };

  [[nodiscard]] std::uint64_t key_hash(const Node& node) const noexcept {
    std::uint64_t hash = combine(node.coverage, static_cast<std::uint64_t>(end_of(node)));
    for (std::size_t i = 0; i < width_; ++i) hash = combine(hash, states_[node.states + i]);
    return hash;
  }
  [[nodiscard]] bool same_key(const Node& a, const Node& b) const noexcept {
    return a.coverage == b.coverage && end_of(a) == end_of(b) &&
           std::equal(states_.begin() + a.states, states_.begin() + a.states + static_cast<std::ptrdiff_t>(width_),
                      states_.begin() + b.states);
  }

  void insert(std::uint32_t covered, NodeId id) {
    Table& table = tables_[covered];
    if (table.used * 2 >= table.slots.size()) regrow(table);
    std::size_t slot = key_hash(nodes_[id]) & (table.slots.size() - 1);
    for (; table.slots[slot] != kNone; slot = (slot + 1) & (table.slots.size() - 1)) {
      Node& stored = nodes_[table.slots[slot]];
      Node& fresh = nodes_[id];
      if (!same_key(stored, fresh)) continue;
      ++statistics_.recombined;
      if (fresh.score > stored.score) {
        fresh.arc = table.slots[slot];  // the old winner, and behind it all that it had beaten
        table.slots[slot] = id;
      } else {
        fresh.arc = stored.arc;
        stored.arc = id;
      }
      return;
    }
    table.slots[slot] = id;
    ++table.used;
  }

  void regrow(Table& table) {
    std::vector<NodeId> old(std::max<std::size_t>(256, table.slots.size() * 2), kNone);
    old.swap(table.slots);
    for (const NodeId id : old) {
      if (id == kNone) continue;
      std::size_t slot = key_hash(nodes_[id]) & (table.slots.size() - 1);
      while (table.slots[slot] != kNone) slot = (slot + 1) & (table.slots.size() - 1);
      table.slots[slot] = id;
    }
  }

  // The stack is complete: keep the best nodes, in bundles, best first within each.
  void close(std::uint32_t covered) {
    std::vector<NodeId>& stack = stacks_[covered];
    for (const NodeId id : tables_[covered].slots)
      if (id != kNone) stack.push_back(id);
    prune(stack);
    statistics_.kept += stack.size();
    if (covered == length_) {
      std::sort(stack.begin(), stack.end(), [&](NodeId a, NodeId b) { return better(a, b); });
      return;
    }
    std::sort(stack.begin(), stack.end(), [&](NodeId a, NodeId b) {
      const Node &left = nodes_[a], &right = nodes_[b];
      if (left.coverage != right.coverage) return left.coverage < right.coverage;
      if (end_of(left) != end_of(right)) return end_of(left) < end_of(right);
      return better(a, b);
    });
  }

  [[nodiscard]] bool better(NodeId a, NodeId b) const noexcept {
    return nodes_[a].priority != nodes_[b].priority ? nodes_[a].priority > nodes_[b].priority : a < b;
  }

  void prune(std::vector<NodeId>& stack) {
    const std::size_t before = stack.size();
    if (stack.size() > settings_->beam) {
      std::nth_element(stack.begin(), stack.begin() + settings_->beam, stack.end(),
                       [&](NodeId a, NodeId b) { return better(a, b); });
      stack.resize(settings_->beam);
    }
    if (settings_->threshold < std::numeric_limits<double>::infinity() && !stack.empty()) {
      double best = -std::numeric_limits<double>::infinity();
      for (const NodeId id : stack) best = std::max(best, nodes_[id].priority);
      std::erase_if(stack, [&](NodeId id) { return nodes_[id].priority < best - settings_->threshold; });
    }
    statistics_.pruned += before - stack.size();
  }

  // Calls use(span, first option, last option) for all spans that may follow a node of this coverage and end.
  template <typename Use>
  void for_each_span(const Coverage& coverage, int end, const Use& use) const {
    const int limit = settings_->distortion.limit;
    const std::uint32_t last_start =
        limit < 0 ? length_ : std::min(length_, coverage.first_gap + static_cast<std::uint32_t>(limit) + 1);
    for (std::uint32_t start = coverage.first_gap; start < last_start || start == coverage.first_gap; ++start) {
      if (start >= length_) break;
      const std::uint32_t last_end = std::min(length_, start + options_->longest());
      for (std::uint32_t stop = start + 1; stop <= last_end; ++stop) {
        const Span span{static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(stop)};
        if (!coverage.admits(span)) break;
        const auto [first, last] = options_->of(span);
        if (first != last && within_limit(settings_->distortion, coverage, end, span)) use(span, first, last);
      }
    }
  }

  void spread_grids(std::uint32_t covered) {
    const std::vector<NodeId>& stack = stacks_[covered];
    for (std::size_t first = 0; first < stack.size();) {
      const Node& head = nodes_[stack[first]];
      std::size_t last = first + 1;
      while (last < stack.size() && nodes_[stack[last]].coverage == head.coverage &&
             end_of(nodes_[stack[last]]) == end_of(head))
        ++last;
      const Coverage coverage = coverages_[head.coverage];
      for_each_span(coverage, end_of(head), [&](Span span, std::uint32_t begin, std::uint32_t end) {
        const std::uint32_t after = intern(coverage.with(span));
        grids_[covered + span.end - span.start].push_back({static_cast<std::uint32_t>(first),
                                                           static_cast<std::uint32_t>(last - first), covered, begin,
                                                           end - begin, after, future_of_[after]});
      });
      first = last;
    }
  }

  [[nodiscard]] Cell queued(std::uint32_t grid_id, std::uint32_t row, std::uint32_t column, std::uint32_t covered) {
    const Grid& grid = grids_[covered][grid_id];
    const Node& node = nodes_[stacks_[grid.stack][grid.first_node + row]];
    ++statistics_.queued;
    return {estimate(grid, node, (*options_)[grid.first_option + column]), grid_id, row, column, kNone};
  }

  void fill_by_cube(std::uint32_t covered) {
    heap_.clear();
    const std::vector<Grid>& grids = grids_[covered];
    for (std::uint32_t id = 0; id < grids.size(); ++id) heap_.push_back(queued(id, 0, 0, covered));
    std::make_heap(heap_.begin(), heap_.end());
    std::uint32_t pops = 0;
    while (!heap_.empty() && pops < settings_->pop_limit) {
      std::pop_heap(heap_.begin(), heap_.end());
      Cell cell = heap_.back();
      heap_.pop_back();
      const Grid& grid = grids[cell.grid];
      if (cell.node == kNone) {
        const NodeId previous = stacks_[grid.stack][grid.first_node + cell.row];
        cell.node = build(previous, grid.first_option + cell.column, grid.coverage, grid.future);
        cell.key = nodes_[cell.node].priority;
        if (!heap_.empty() && cell < heap_.front()) {
          push(cell);
          continue;
        }
      }
      ++pops;
      insert(covered, cell.node);
      if (cell.column + 1 < grid.options) push(queued(cell.grid, cell.row, cell.column + 1, covered));
      if (cell.column == 0 && cell.row + 1 < grid.nodes) push(queued(cell.grid, cell.row + 1, 0, covered));
    }
  }

  void push(const Cell& cell) {
    heap_.push_back(cell);
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Exhaustive expansion of a stack.
  void expand(std::uint32_t covered) {
    const std::vector<NodeId> stack = stacks_[covered];
    for (const NodeId id : stack) {
      const Node node = nodes_[id];
      const Coverage coverage = coverages_[node.coverage];
      for_each_span(coverage, end_of(node), [&](Span span, std::uint32_t begin, std::uint32_t end) {
        const std::uint32_t after = intern(coverage.with(span));
        for (std::uint32_t option = begin; option < end; ++option)
          insert(covered + span.end - span.start, build(id, option, after, future_of_[after]));
      });
    }
  }

  const SearchSettings* settings_ = nullptr;
  const OptionChart* options_ = nullptr;
  Extender* extender_ = nullptr;
  const FutureCost* future_ = nullptr;
  std::size_t width_ = 0;
  std::uint32_t length_ = 0;
  std::vector<Node> nodes_;
  std::vector<StateId> states_;
  Interned<Coverage> coverages_;
  std::vector<double> future_of_;
  std::vector<std::vector<NodeId>> stacks_;
  std::vector<std::vector<Grid>> grids_;
  std::vector<Table> tables_;
  std::vector<Cell> heap_;
  SearchStatistics statistics_;
};

}  // namespace dragoman::search
