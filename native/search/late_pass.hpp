#pragma once
// A second pass over what a search from left to right kept, for features that are too slow to be asked about everything
// that it tried: a forest is rescored, step by step from its beginning, with the states of these features in addition
// (Huang and Chiang 2007). Of the steps, only those of the best derivations under the other features are looked at.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "features/feature.hpp"
#include "search/node.hpp"

namespace dragoman::search {

using features::StateId;

// `Node` has `score`, `priority`, `previous`, `option` (kNone: the start) and `arc`, a list of those that lost to it.
// Each has `width` states.
template <typename Node>
class LatePass {
 public:
  static constexpr std::size_t kKept = 10;  // nodes that one becomes, at most

  // Replaces nodes, states and goals. `extend(from, option, to)` and `finish(states)` say what late features add; `to`
  // has the states of the other features already.
  template <typename Extend, typename Finish>
  void run(std::vector<Node>& nodes, std::vector<StateId>& states, std::size_t width, std::vector<NodeId>& goals,
           std::size_t most_steps, const Extend& extend, const Finish& finish) {
    old_ = &nodes;
    sort_from_start(goals);
    const double least = least_marginal(goals, most_steps);
    made_nodes_.clear();
    made_states_.clear();
    begins_.assign(nodes.size(), 0);
    counts_.assign(nodes.size(), 0);
    winners_.clear();
    for (const NodeId id : order_) {
      found_.clear();
      for (NodeId arc = id; arc != kNone; arc = nodes[arc].arc) {
        if (nodes[arc].option == kNone) {
          found_.push_back(copy(nodes[arc], {states.data() + arc * width, width}));
          continue;
        }
        if (nodes[arc].score + after_[id] < least) continue;
        const NodeId previous = nodes[arc].previous;
        const double step = nodes[arc].score - nodes[previous].score;
        for (std::uint32_t i = 0; i < counts_[previous]; ++i) {
          const NodeId from = winners_[begins_[previous] + i];
          const NodeId made = copy(nodes[arc], {states.data() + arc * width, width});
          Node& node = made_nodes_[made];
          node.previous = from;
          node.score = made_nodes_[from].score + step +
                       extend(made_states_.data() + from * width, node.option, made_states_.data() + made * width);
          insert(made, width);
        }
      }
      std::ranges::stable_sort(found_, std::greater{}, [&](NodeId node) { return made_nodes_[node].score; });
      if (found_.size() > kKept) found_.resize(kKept);
      begins_[id] = static_cast<std::uint32_t>(winners_.size());
      counts_[id] = static_cast<std::uint32_t>(found_.size());
      winners_.insert(winners_.end(), found_.begin(), found_.end());
    }
    std::vector<NodeId> ends;
    for (const NodeId goal : goals)
      for (std::uint32_t i = 0; i < counts_[goal]; ++i) {
        const NodeId end = winners_[begins_[goal] + i];
        const double rest = nodes[goal].priority - nodes[goal].score + finish(made_states_.data() + end * width);
        made_nodes_[end].priority = made_nodes_[end].score + rest;
        ends.push_back(end);
      }
    std::ranges::stable_sort(ends, std::greater{}, [&](NodeId node) { return made_nodes_[node].priority; });
    goals = std::move(ends);
    nodes.swap(made_nodes_);
    states.swap(made_states_);
  }

 private:
  // All nodes that lead to a goal, each behind those that it is made of.
  void sort_from_start(std::span<const NodeId> goals) {
    order_.clear();
    seen_.assign(old_->size(), 0);
    for (const NodeId goal : goals) open_.push_back({goal, goal});
    while (!open_.empty()) {
      auto& [id, arc] = open_.back();
      if (seen_[id] == kSorted || arc == kNone) {
        if (seen_[id] != kSorted) order_.push_back(id);
        seen_[id] = kSorted;
        open_.pop_back();
        continue;
      }
      const NodeId previous = (*old_)[arc].previous;
      const bool starts = (*old_)[arc].option == kNone;
      arc = (*old_)[arc].arc;
      if (!starts && seen_[previous] != kSorted) open_.push_back({previous, previous});
    }
  }

  // The score that the best derivation with a step must have if only so many steps are looked at.
  double least_marginal(std::span<const NodeId> goals, std::size_t most_steps) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    after_.assign(old_->size(), kNever);
    for (const NodeId goal : goals) after_[goal] = (*old_)[goal].priority - (*old_)[goal].score;
    std::vector<double> marginals;
    for (auto id = order_.rbegin(); id != order_.rend(); ++id)
      for (NodeId arc = *id; arc != kNone; arc = (*old_)[arc].arc) {
        const Node& node = (*old_)[arc];
        if (node.option == kNone) continue;
        marginals.push_back(node.score + after_[*id]);
        double& before = after_[node.previous];
        before = std::max(before, node.score - (*old_)[node.previous].score + after_[*id]);
      }
    if (marginals.size() <= most_steps) return kNever;
    const auto last = marginals.begin() + static_cast<std::ptrdiff_t>(most_steps - 1);
    std::nth_element(marginals.begin(), last, marginals.end(), std::greater{});
    // A derivation is summed up in another order than its marginals: the best one must not get lost by rounding.
    const double best = *std::max_element(marginals.begin(), marginals.end());
    return std::min(*last, best - 1e-9 * (1 + std::abs(best)));
  }

  NodeId copy(const Node& node, std::span<const StateId> states) {
    const auto id = static_cast<NodeId>(made_nodes_.size());
    made_nodes_.push_back(node);
    made_nodes_.back().arc = kNone;
    copied_.assign(states.begin(), states.end());
    made_states_.insert(made_states_.end(), copied_.begin(), copied_.end());
    return id;
  }

  void insert(NodeId made, std::size_t width) {
    const auto same = [&](NodeId other) {
      return std::equal(made_states_.begin() + static_cast<std::ptrdiff_t>(made * width),
                        made_states_.begin() + static_cast<std::ptrdiff_t>((made + 1) * width),
                        made_states_.begin() + static_cast<std::ptrdiff_t>(other * width));
    };
    const auto known = std::ranges::find_if(found_, same);
    if (known == found_.end()) {
      found_.push_back(made);
    } else if (made_nodes_[made].score > made_nodes_[*known].score) {
      made_nodes_[made].arc = *known;
      *known = made;
    } else {
      made_nodes_[made].arc = made_nodes_[*known].arc;
      made_nodes_[*known].arc = made;
    }
  }

  static constexpr std::uint8_t kSorted = 1;

  const std::vector<Node>* old_ = nullptr;
  std::vector<NodeId> order_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::pair<NodeId, NodeId>> open_;  // a node, and the next of its arcs to be followed
  std::vector<double> after_;                    // the best way from a node to the end
  std::vector<Node> made_nodes_;
  std::vector<StateId> made_states_, copied_;
  std::vector<std::uint32_t> begins_, counts_;  // what a node has become, in `winners_`
  std::vector<NodeId> winners_, found_;
};

}  // namespace dragoman::search
