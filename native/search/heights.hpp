#pragma once
// The height of a derivation that grows from left to right (Watanabe, Tsukada and Isozaki 2006): of every rule with
// several nonterminals, the heights of the subtrees that must be finished before its last one is begun. Subtrees are
// seen only in part until they are finished, so a state remembers how deep each open span lies, which of them are to be
// measured, and how high those that are being measured have become; what a step adds is how much higher they get.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/hash.hpp"
#include "common/interned.hpp"
#include "common/memo.hpp"
#include "features/feature.hpp"

namespace dragoman::search {

using features::StateId;

class Heights {
 public:
  void clear() {
    states_.clear();
    memo_.clear();
  }

  // One span, which is not measured.
  StateId start() {
    next_.spans.assign(1, {0, 0});
    next_.open.clear();
    return intern();
  }

  struct Step {
    double more;  // by how much heights grow
    StateId next;
  };
  // The next span is expanded by a rule of this arity; depends on nothing else.
  [[nodiscard]] Step extend(StateId from, std::uint32_t arity) {
    const Memo::Entry& found = memo_.get(from, arity, [&](double& more, StateId& next) {
      next_ = states_[from];
      more = expand(arity);
      next = intern();
    });
    return {found.score, found.next};
  }

 private:
  struct Entry {
    std::uint32_t depth, measured;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  struct Open {  // a subtree that is being measured: depth of its root, its height so far, spans below it
    std::uint32_t depth, height, below;
    friend bool operator==(const Open&, const Open&) = default;
  };
  struct State {
    std::vector<Entry> spans;  // the next one last
    std::vector<Open> open;
    friend bool operator==(const State&, const State&) = default;
  };

  double expand(std::uint32_t arity) {
    const Entry top = next_.spans.back();
    next_.spans.pop_back();
    const auto below = static_cast<std::uint32_t>(next_.spans.size());
    if (top.measured != 0) next_.open.push_back({top.depth, 0, below});
    std::uint32_t more = 0;
    for (Open& open : next_.open) {
      const std::uint32_t height = top.depth - open.depth + 1;
      if (height <= open.height) continue;
      more += height - open.height;
      open.height = height;
    }
    for (std::uint32_t i = arity; i-- > 0;) next_.spans.push_back({top.depth + 1, i + 1 < arity ? 1u : 0u});
    const auto size = static_cast<std::uint32_t>(next_.spans.size());
    std::erase_if(next_.open, [&](const Open& open) { return open.below == size; });
    return more;
  }

  // Depths count from the highest that is left, so that states differ only in what matters.
  StateId intern() {
    std::uint32_t least = ~std::uint32_t{0};
    for (const Entry& entry : next_.spans) least = std::min(least, entry.depth);
    for (const Open& open : next_.open) least = std::min(least, open.depth);
    std::uint64_t hash = next_.spans.size();
    for (Entry& entry : next_.spans) {
      entry.depth -= least;
      hash = combine(hash, entry.depth << 1 | entry.measured);
    }
    for (Open& open : next_.open) {
      open.depth -= least;
      hash = combine(combine(combine(hash, open.depth), open.height), open.below);
    }
    return states_.intern(next_, hash);
  }

  Interned<State> states_;
  Memo memo_;
  State next_;
};

}  // namespace dragoman::search
