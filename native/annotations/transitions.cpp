#include "annotations/transitions.hpp"

#include <functional>
#include <utility>

namespace dragoman::annotations {

void State::start(std::size_t tokens) {
  stack_.assign(1, 0);
  buffer_.clear();
  for (std::size_t token = tokens; token > 0; --token) buffer_.push_back(static_cast<std::int32_t>(token));
  nodes_.assign(tokens + 1, Node{});
  swaps_ = 0;
}

void State::attach(std::int32_t child, std::int32_t head, Label label) {
  Node& below = nodes_[static_cast<std::size_t>(child)];
  Node& above = nodes_[static_cast<std::size_t>(head)];
  below.head = head;
  below.label = label;
  const std::uint64_t mark = mix(std::uint64_t{label} + 1);
  const auto place = [child](std::int32_t& outer, std::int32_t& inner, bool further) {
    if (outer < 0 || further) {
      inner = std::exchange(outer, child);
    } else {
      inner = child;
    }
  };
  if (child < head) {
    place(above.left, above.left2, child < above.left);
    ++above.lefts;
    above.left_labels += mark;
  } else {
    place(above.right, above.right2, child > above.right);
    ++above.rights;
    above.right_labels += mark;
  }
}

void State::apply(Action action) {
  if (action == kShift) {
    stack_.push_back(buffer_.back());
    buffer_.pop_back();
  } else if (action == kSwap) {
    buffer_.push_back(stack_[stack_.size() - 2]);
    stack_.erase(stack_.end() - 2);
    ++swaps_;
  } else {
    const auto label = static_cast<Label>((action - kArcs) / 2);
    const std::int32_t upper = stack_.back(), lower = stack_[stack_.size() - 2];
    if (action == left_arc(label)) {
      attach(lower, upper, label);
      stack_.erase(stack_.end() - 2);
    } else {
      attach(upper, lower, label);
      stack_.pop_back();
    }
  }
}

namespace {

// Heads with the root's place at 0, and what follows from them.
struct Gold {
  std::vector<std::int32_t> heads;
  std::vector<std::int32_t> waiting;     // dependents that are not attached yet
  std::vector<std::size_t> order;        // of tokens when the tree is drawn without crossings
  std::vector<std::int32_t> components;  // the top of the largest part that can be built without a swap
};

// The arc that a tree allows between the two upper nodes of the stack: 0 none, 1 left, 2 right.
[[nodiscard]] int arc(const State& state, const Gold& gold, const std::vector<std::int32_t>& waiting) {
  const std::int32_t upper = state.top(0), lower = state.top(1);
  if (lower < 0) return 0;
  if (state.can_go_left() && gold.heads[lower] == upper && waiting[lower] == 0) return 1;
  if (state.can_go_right() && gold.heads[upper] == lower && waiting[upper] == 0) return 2;
  return 0;
}

[[nodiscard]] Gold examine(std::span<const std::int32_t> heads) {
  const std::size_t tokens = heads.size();
  Gold gold;
  gold.heads.assign(tokens + 1, -1);
  gold.waiting.assign(tokens + 1, 0);
  std::vector<std::vector<std::int32_t>> below(tokens + 1);
  for (std::size_t token = 1; token <= tokens; ++token) {
    gold.heads[token] = heads[token - 1] + 1;
    ++gold.waiting[gold.heads[token]];
    below[gold.heads[token]].push_back(static_cast<std::int32_t>(token));
  }
  gold.order.assign(tokens + 1, 0);
  std::size_t placed = 0;
  std::vector<std::pair<std::int32_t, bool>> agenda{{0, false}};  // a node, and whether only its own place is left
  while (!agenda.empty()) {
    const auto [node, alone] = agenda.back();
    agenda.pop_back();
    if (alone) {
      gold.order[node] = placed++;
      continue;
    }
    const auto& children = below[node];
    for (auto child = children.rbegin(); child != children.rend() && *child > node; ++child) {
      agenda.emplace_back(*child, false);
    }
    agenda.emplace_back(node, true);
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      if (*child < node) agenda.emplace_back(*child, false);
    }
  }
  State state;
  state.start(tokens);
  auto waiting = gold.waiting;
  for (;;) {  // attach what can be attached without a swap
    const int found = arc(state, gold, waiting);
    if (found != 0) {
      --waiting[gold.heads[found == 1 ? state.top(1) : state.top(0)]];
      state.apply(found == 1 ? left_arc(0) : right_arc(0));
    } else if (state.can_shift()) {
      state.apply(kShift);
    } else {
      break;
    }
  }
  gold.components.assign(tokens + 1, 0);
  for (std::size_t token = 1; token <= tokens; ++token) {
    auto at = static_cast<std::int32_t>(token);
    while (state.node(at).head > 0) at = state.node(at).head;
    gold.components[token] = at;
  }
  return gold;
}

}  // namespace

std::vector<Action> oracle(std::span<const std::int32_t> heads, std::span<const Label> labels) {
  Gold gold = examine(heads);
  std::vector<Action> actions;
  State state;
  state.start(heads.size());
  while (!state.finished()) {
    Action action = kShift;
    const int found = arc(state, gold, gold.waiting);
    if (found != 0) {
      const std::int32_t child = found == 1 ? state.top(1) : state.top(0);
      --gold.waiting[gold.heads[child]];
      action = found == 1 ? left_arc(labels[child - 1]) : right_arc(labels[child - 1]);
    } else if (state.can_swap() && gold.order[state.top(1)] > gold.order[state.top(0)] &&
               (!state.can_shift() || gold.components[state.top(0)] != gold.components[state.next(0)])) {
      action = kSwap;
    } else if (!state.can_shift()) {
      return {};  // not a tree that these actions can build (a swap limit was met)
    }
    state.apply(action);
    actions.push_back(action);
  }
  return actions;
}

}  // namespace dragoman::annotations
