#pragma once
// Phrase-based search: partial translations ("nodes") in stacks by number of covered source words, extended by cube
// pruning (the default) or exhaustively. (Koehn 2004; Huang and Chiang 2007; Green, Cer and Manning 2014.)
//
// Nodes that cover the same words and end at the same word form a bundle; a bundle and the options of one span form a
// grid, best nodes and best options first. A stack is filled from all grids that lead to it. Cube pruning here is lazy:
// a cell enters the queue with an estimate that costs no language model query; only when it comes to the top is it
// built and, if still best, taken. Every cell has one predecessor (to its left, or above it in the first column), so
// none is ever queued twice.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/interned.hpp"
#include "common/parallel.hpp"
#include "features/coverage.hpp"
#include "features/distortion.hpp"
#include "search/decoded.hpp"
#include "search/future_cost.hpp"
#include "search/late_pass.hpp"
#include "search/node.hpp"
#include "search/option.hpp"
#include "search/phrase_limits.hpp"
#include "search/prefix_beams.hpp"
#include "search/queue.hpp"
#include "search/recombination.hpp"
#include "search/search_settings.hpp"
#include "search/stack.hpp"

namespace dragoman::search {

using features::StateId;

using features::Place;

// Calls use(span, first option, last option) for all spans that may follow; `order` says more of that if it is not
// null.
template <typename Use>
void for_each_span(const features::DistortionSettings& distortion, const SourceOrder* order, const OptionChart& options,
                   const Place& from, const Use& use) {
  const Coverage& coverage = from.coverage;
  const std::uint32_t length = options.length();
  const std::uint32_t last_start =
      distortion.limit < 0 ? length
                           : std::min(length, coverage.first_gap + static_cast<std::uint32_t>(distortion.limit) + 1);
  for (std::uint32_t start = coverage.first_gap; start < last_start; ++start) {
    const std::uint32_t last_end = std::min(length, start + options.longest());
    for (std::uint32_t stop = start + 1; stop <= last_end; ++stop) {
      const Span span{static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(stop)};
      if (!coverage.admits(span)) break;
      const auto [first, last] = options.of(span);
      if (first != last && within_limit(distortion, coverage, static_cast<int>(from.end), span) &&
          (order == nullptr || order->follows(coverage, span)))
        use(span, first, last);
    }
  }
}

struct Node {
  double score;     // of everything translated so far
  double priority;  // score + future cost (+ what finishing costs, when complete)
  NodeId previous;
  std::uint32_t option;
  std::uint32_t place;  // interned
  NodeId arc;           // next of the nodes that recombined with this one and lost; a list
};

// One sentence's search. `Extender` holds the state features:
//   std::size_t states() const;                                    how many state ids a node carries
//   std::size_t language_model_states() const;                     how many of them, the first, are language models'
//   void start(StateId*);
//   double extend(const StateId* from, const Option&, const Coverage& before, StateId* to);
//   double finish(const StateId*);
template <typename Extender>
class PhraseSearch {
 public:
  // Runs the search; afterwards `goal_nodes` are the complete nodes, best first (empty: no way through). Where `limits`
  // say what is to be written, `target(option)` gives the words of an option.
  template <typename Target>
  void run(const SearchSettings& settings, double distortion_weight, const OptionChart& options, Extender& extender,
           const PhraseLimits* limits, const Target& target) {
    settings_ = &settings;
    distortion_weight_ = distortion_weight;
    options_ = &options;
    extender_ = &extender;
    order_ = limits != nullptr && limits->order.any() ? &limits->order : nullptr;
    forced_ = limits != nullptr && !limits->references.empty();
    reference_state_ = extender.states();
    width_ = extender.states() + (forced_ ? 1 : 0);
    compared_ =
        settings.recombine == SearchSettings::Recombine::kExact || forced_ ? width_ : extender.language_model_states();
    length_ = options.length();
    reset();
    future_.compute(length_, options.longest(), [&](std::uint32_t start, std::uint32_t end) {
      return options.best_estimate({static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end)});
    });
    seed();
    if (forced_ && length_ == 0 && !limits->references.is_complete(ReferencePrefixes::kStart)) drop_start();
    if (limits != nullptr && !limits->prefix.empty()) {
      drop_start();
      if (length_ == 0 || !write_prefix(*limits, target)) return drop_all();
    }
    for (std::uint32_t covered = 1; covered <= length_; ++covered) {
      stop_if_interrupted();
      spread_grids(covered - 1);
      const bool by_cube = settings.algorithm == SearchSettings::Algorithm::kCube && !forced_;
      recombination_.clear(by_cube ? settings.pop_limit : settings.beam);
      if (covered < seeds_.size())
        for (const NodeId id : seeds_[covered]) insert(id);
      if (forced_)
        fill_by_references(covered, limits->references, target);
      else if (by_cube)
        fill_by_cube(covered);
      else
        fill_exhaustively(covered);
      close();
    }
  }

  // After the search, features that waited are asked about the best of the steps that were kept.
  void ask_late(std::size_t most_steps) {
    std::vector<NodeId> goals(goal_nodes().begin(), goal_nodes().end());
    late_.run(
        nodes_, states_, width_, goals, most_steps,
        [&](const StateId* from, std::uint32_t option, StateId* to) {
          return extender_->extend_late(from, (*options_)[option], to);
        },
        [&](const StateId* from) { return extender_->finish_late(from); });
    kept_ = std::move(goals);
    stack_begins_.assign(length_ + 1, 0);
    stack_begins_.push_back(static_cast<std::uint32_t>(kept_.size()));
  }

  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return stack(length_); }
  [[nodiscard]] std::span<const NodeId> stack(std::uint32_t covered) const noexcept {
    return std::span(kept_).subspan(stack_begins_[covered], stack_begins_[covered + 1] - stack_begins_[covered]);
  }
  [[nodiscard]] const Node& node(NodeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] const StateId* states(NodeId id) const noexcept { return states_.data() + id * width_; }
  [[nodiscard]] const Place& place(const Node& node) const noexcept { return places_[node.place]; }
  [[nodiscard]] const SearchStatistics& statistics() const noexcept { return statistics_; }

 private:
  struct Grid {
    std::uint32_t first_node, nodes;  // the bundle, in `kept_`
    std::uint32_t first_option, options;
    std::uint32_t place;        // after the options' span
    double distortion, future;  // the same for all cells
  };
  struct Cell {
    std::uint32_t grid, row, column;
    NodeId node;  // kNone until it is built
  };
  void reset() {
    nodes_.clear();
    states_.clear();
    places_.clear();
    future_of_.clear();
    kept_.clear();
    stack_begins_.assign(1, 0);
    grids_.resize(length_ + 1);
    for (auto& grids : grids_) grids.clear();
    seeds_.clear();
    statistics_ = {};
  }
  // The start is not translated from, but from what was made of it; or nothing at all is.
  void drop_start() {
    kept_.clear();
    stack_begins_.assign({0, 0});
  }
  void drop_all() {
    kept_.clear();
    stack_begins_.assign(length_ + 2, 0);
  }

  void seed() {
    states_.resize(width_);
    extender_->start(states_.data());
    if (forced_) states_[reference_state_] = ReferencePrefixes::kStart;
    const std::uint32_t place = intern(Place{});
    const double priority = length_ == 0 ? finish(0, 0) : future_of_[place];
    nodes_.push_back({0, priority, kNone, kNone, place, kNone});
    kept_.push_back(0);
    stack_begins_.push_back(1);
    ++statistics_.kept;
  }

  std::uint32_t intern(const Place& place) {
    return places_.intern(place, place.hash(),
                          [&](std::uint32_t) { future_of_.push_back(future_.of(place.coverage)); });
  }

  // The next stack: sizes of bundles times spans say which grids it comes from.
  void spread_grids(std::uint32_t covered) {
    const std::uint32_t stop = stack_begins_[covered + 1];
    for (std::uint32_t first = stack_begins_[covered]; first < stop;) {
      const std::uint32_t at = nodes_[kept_[first]].place;
      std::uint32_t last = first + 1;
      while (last < stop && nodes_[kept_[last]].place == at) ++last;
      const Place from = places_[at];
      for_each_span(settings_->distortion, order_, *options_, from,
                    [&](Span span, std::uint32_t begin, std::uint32_t end) {
                      const std::uint32_t place = intern(next_place(from, span));
                      if (future_of_[place] == -std::numeric_limits<double>::infinity())
                        return;  // nothing fills its gaps
                      const double distortion = distortion_score(from, span);
                      grids_[covered + span.end - span.start].push_back(
                          {first, last - first, begin, end - begin, place, distortion, future_of_[place]});
                    });
      first = last;
    }
  }

  [[nodiscard]] double distortion_score(const Place& from, Span span) const noexcept {
    return -distortion_weight_ * features::jump_cost(settings_->distortion, from, span, static_cast<int>(length_));
  }
  [[nodiscard]] Place next_place(const Place& from, Span span) const noexcept {
    return features::place_after(settings_->distortion, from, span, static_cast<int>(length_));
  }

  [[nodiscard]] Queued queued(std::uint32_t id) noexcept {
    ++statistics_.queued;
    const Cell& cell = cells_[id];
    const Grid& grid = (*filling_)[cell.grid];
    const Node& node = nodes_[kept_[grid.first_node + cell.row]];
    const Option& option = (*options_)[grid.first_option + cell.column];
    return {node.score + option.estimate + grid.distortion + grid.future, id};
  }

  void fill_by_cube(std::uint32_t covered) {
    filling_ = &grids_[covered];
    queue_.clear();
    cells_.clear();
    for (std::uint32_t grid = 0; grid < filling_->size(); ++grid) {
      cells_.push_back({grid, 0, 0, kNone});
      queue_.append(queued(grid));
    }
    queue_.arrange();
    for (std::uint32_t pops = 0; !queue_.empty() && pops < settings_->pop_limit;) {
      if (pops % 1024 == 1023) stop_if_interrupted();
      const std::uint32_t id = queue_.top().cell;
      Cell& cell = cells_[id];
      const Grid& grid = (*filling_)[cell.grid];
      if (cell.node == kNone) {
        cell.node = build(grid, cell.row, cell.column);
        queue_.replace_top({nodes_[cell.node].priority, id});
        if (queue_.top().cell != id) continue;
      }
      ++pops;
      insert(cell.node);
      const Cell below{cell.grid, cell.row + 1, 0, kNone};
      const bool opens_row = cell.column == 0 && below.row < grid.nodes;
      if (++cell.column < grid.options) {
        cell.node = kNone;
        queue_.replace_top(queued(id));
      } else {
        queue_.pop();
      }
      if (opens_row) {
        cells_.push_back(below);
        queue_.push(queued(static_cast<std::uint32_t>(cells_.size() - 1)));
      }
    }
  }

  void fill_exhaustively(std::uint32_t covered) {
    for (const Grid& grid : grids_[covered])
      for (std::uint32_t row = 0; row < grid.nodes; ++row)
        for (std::uint32_t column = 0; column < grid.options; ++column) insert(build(grid, row, column));
  }

  // All that can still become a reference, and at the end is one.
  template <typename Target>
  void fill_by_references(std::uint32_t covered, const ReferencePrefixes& references, const Target& target) {
    for (const Grid& grid : grids_[covered])
      for (std::uint32_t row = 0; row < grid.nodes; ++row) {
        const ReferencePrefixes::Prefix before = states(kept_[grid.first_node + row])[reference_state_];
        for (std::uint32_t column = 0; column < grid.options; ++column) {
          const ReferencePrefixes::Prefix after =
              references.extend(before, target((*options_)[grid.first_option + column]));
          if (after == ReferencePrefixes::kNoPrefix || (covered == length_ && !references.is_complete(after))) continue;
          const NodeId id = build(grid, row, column);
          states_[id * width_ + reference_state_] = after;
          insert(id);
        }
      }
  }

  // Partial translations that begin with the prefix, by the number of words they cover; see PrefixBeams.
  template <typename Target>
  bool write_prefix(const PhraseLimits& limits, const Target& target) {
    const auto add = [&](NodeId node, std::uint32_t written, std::uint32_t id, bool far) {
      const Option& option = (*options_)[id];
      const Place from = places_[nodes_[node].place];
      const std::uint32_t after = limits.prefix.after(written, target(option));
      if (!from.coverage.admits(option.span) ||
          !(far || within_limit(settings_->distortion, from.coverage, static_cast<int>(from.end), option.span)) ||
          (order_ != nullptr && !order_->follows(from.coverage, option.span)))
        return;
      const Place next = next_place(from, option.span);
      if (next.coverage.first_gap == length_ && after < limits.prefix.length()) return;  // nothing is left to write it
      const std::uint32_t place = intern(next);
      ++statistics_.queued;
      beams_.add(after, {nodes_[node].score + option.estimate + distortion_score(from, option.span) + future_of_[place],
                         node, place, id});
    };
    const auto expand = [&](NodeId node, std::uint32_t written, PrefixBeams::Means means) {
      const auto& options = means == PrefixBeams::Means::kMadeUp ? limits.made_up[written] : limits.fitting[written];
      for (const std::uint32_t id : options) add(node, written, id, means != PrefixBeams::Means::kUsual);
    };
    const auto take = [&](const PrefixBeams::Candidate& found) {
      const Span span = (*options_)[found.option].span;
      insert(make(found.node, found.option, found.place, distortion_score(places_[nodes_[found.node].place], span)));
    };
    const auto close = [&](std::vector<NodeId>& kept) {
      rank(false);
      for (const RankedNode& ranked : ranked_) kept.push_back(ranked.node);
      recombination_.clear(settings_->pop_limit);
    };
    recombination_.clear(settings_->pop_limit);
    if (!beams_.run(0, limits.prefix.length(), settings_->pop_limit, expand, take, close)) return false;
    seeds_.assign(length_ + 1, {});
    for (const NodeId node : beams_.written()) seeds_[place(nodes_[node]).coverage.count()].push_back(node);
    return true;
  }

  NodeId build(const Grid& grid, std::uint32_t row, std::uint32_t column) {
    return make(kept_[grid.first_node + row], grid.first_option + column, grid.place, grid.distortion);
  }

  NodeId make(NodeId previous, std::uint32_t option_id, std::uint32_t place, double distortion) {
    ++statistics_.built;
    const Option& option = (*options_)[option_id];
    const auto id = static_cast<NodeId>(nodes_.size());
    states_.resize(states_.size() + width_);
    const Node& from = nodes_[previous];
    const double score =
        from.score + option.score + distortion +
        extender_->extend(states(previous), option, places_[from.place].coverage, states_.data() + id * width_);
    double priority = score + future_of_[place];
    if (places_[place].coverage.first_gap == length_) priority += finish(id, option.span.end);
    nodes_.push_back({score, priority, previous, option_id, place, kNone});
    return id;
  }

  double finish(NodeId id, int end) {
    double score = extender_->finish(states(id));
    if (settings_->distortion.final_jump) score -= distortion_weight_ * std::abs(static_cast<int>(length_) - end);
    return score;
  }

  void insert(NodeId id) {
    const bool known = recombine(
        recombination_, nodes_, id, [this](NodeId node) { return nodes_[node].place; },
        [this](NodeId node) { return states(node); }, compared_);
    statistics_.recombined += known ? 1 : 0;
  }

  // The stack is complete: keep the best nodes, bundle by bundle, best first within each.
  void close() {
    rank(stack_begins_.size() == length_ + 1);
    for (const RankedNode& ranked : ranked_) kept_.push_back(ranked.node);
    stack_begins_.push_back(static_cast<std::uint32_t>(kept_.size()));
  }
  // The nodes to keep; of complete ones, any place will do.
  void rank(bool complete) {
    ranked_.clear();
    for (const auto& winner : recombination_.winners()) {
      const Node& node = nodes_[winner.node];
      ranked_.push_back({node.priority, complete ? 0 : node.place, winner.node});
    }
    statistics_.pruned += prune(ranked_, settings_->beam, settings_->threshold);
    std::sort(ranked_.begin(), ranked_.end(), RankedNode::by_bundle);
    statistics_.kept += ranked_.size();
  }

  const SearchSettings* settings_ = nullptr;
  double distortion_weight_ = 0;
  const OptionChart* options_ = nullptr;
  Extender* extender_ = nullptr;
  const SourceOrder* order_ = nullptr;
  bool forced_ = false;
  std::size_t width_ = 0, compared_ = 0, reference_state_ = 0;
  std::uint32_t length_ = 0;
  FutureCost future_;
  std::vector<Node> nodes_;
  std::vector<StateId> states_;  // `width_` per node
  Interned<Place> places_;
  std::vector<double> future_of_;            // by place
  std::vector<NodeId> kept_;                 // stack by stack, bundle by bundle, best first
  std::vector<std::uint32_t> stack_begins_;  // in `kept_`
  std::vector<std::vector<Grid>> grids_;     // by the number of words covered afterwards
  std::vector<std::vector<NodeId>> seeds_;   // what has written the prefix, by the number of words covered
  PrefixBeams beams_;
  const std::vector<Grid>* filling_ = nullptr;
  std::vector<Cell> cells_;
  Queue queue_;
  Recombination recombination_;
  std::vector<RankedNode> ranked_;
  LatePass<Node> late_;
  SearchStatistics statistics_;
};

}  // namespace dragoman::search
