#pragma once
// The states of the parser and what leads from one to the next. Tokens are numbered from 1, the root's place is 0.
#include <cstdint>
#include <span>
#include <vector>

#include "annotations/perceptron.hpp"

namespace dragoman::annotations {

using Action = std::uint16_t;  // shift, swap, then a left and a right arc for each label
constexpr Action kShift = 0, kSwap = 1, kArcs = 2;

[[nodiscard]] constexpr std::size_t action_count(std::size_t labels) noexcept { return kArcs + 2 * labels; }
[[nodiscard]] constexpr Action left_arc(Label label) noexcept { return static_cast<Action>(kArcs + 2 * label); }
[[nodiscard]] constexpr Action right_arc(Label label) noexcept { return static_cast<Action>(kArcs + 2 * label + 1); }

struct Node {
  std::int32_t head = -1;
  Label label = 0;
  std::uint16_t lefts = 0, rights = 0;                          // dependents so far, on each side
  std::int32_t left = -1, left2 = -1, right = -1, right2 = -1;  // outermost dependents and their neighbours
  std::uint64_t left_labels = 0, right_labels = 0;              // which labels they have, as one hash
};

class State {
 public:
  void start(std::size_t tokens);
  [[nodiscard]] bool finished() const noexcept { return buffer_.empty() && stack_.size() == 1; }
  [[nodiscard]] bool can_shift() const noexcept { return !buffer_.empty(); }
  [[nodiscard]] bool can_swap() const noexcept {
    return stack_.size() > 2 && top(1) < top(0) && swaps_ < 2 * nodes_.size();
  }
  [[nodiscard]] bool can_go_left() const noexcept { return stack_.size() > 2; }
  // The root takes one dependent, the last.
  [[nodiscard]] bool can_go_right() const noexcept {
    return stack_.size() > 2 || (stack_.size() == 2 && buffer_.empty());
  }
  void apply(Action action);

  // The n-th node from the top of the stack, from the front of the buffer; -1 beyond.
  [[nodiscard]] std::int32_t top(std::size_t n) const noexcept {
    return n < stack_.size() ? stack_[stack_.size() - 1 - n] : -1;
  }
  [[nodiscard]] std::int32_t next(std::size_t n) const noexcept {
    return n < buffer_.size() ? buffer_[buffer_.size() - 1 - n] : -1;
  }
  [[nodiscard]] const Node& node(std::int32_t at) const noexcept { return nodes_[static_cast<std::size_t>(at)]; }
  [[nodiscard]] std::size_t tokens() const noexcept { return nodes_.size() - 1; }

 private:
  void attach(std::int32_t child, std::int32_t head, Label label);

  std::vector<std::int32_t> stack_, buffer_;  // the buffer's front is its back
  std::vector<Node> nodes_;
  std::size_t swaps_ = 0;
};

// The actions that build a tree; heads are within the sentence, -1 for the root. Swaps come as late as they can.
[[nodiscard]] std::vector<Action> oracle(std::span<const std::int32_t> heads, std::span<const Label> labels);

}  // namespace dragoman::annotations
