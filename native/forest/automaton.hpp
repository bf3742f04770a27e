#pragma once
// Deterministic weighted automata over target words, for intersection with a forest. Any class with `start`, `step` and
// `final` will do; states may be made up as they are reached.
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "forest/sequences.hpp"

namespace dragoman::forest {

using StateId = std::uint32_t;

struct Arc {
  StateId state = 0;
  double score = 0;
};

// `step` gives the arc for a word, nothing if there is none; `final` the score of ending here, nothing if one may not.
template <typename A>
concept Automaton = requires(A a, StateId state, WordId word) {
  { a.start() } -> std::same_as<StateId>;
  { a.step(state, word) } -> std::same_as<std::optional<Arc>>;
  { a.final(state) } -> std::same_as<std::optional<double>>;
};

// Accepts exactly one string; a state is a position.
class StringAutomaton {
 public:
  explicit StringAutomaton(std::span<const WordId> words) : words_(words) {}
  static StateId start() noexcept { return 0; }
  [[nodiscard]] std::optional<Arc> step(StateId state, WordId word) const noexcept {
    if (state >= words_.size() || words_[state] != word) return std::nullopt;
    return Arc{state + 1, 0};
  }
  [[nodiscard]] std::optional<double> final(StateId state) const noexcept {
    if (state != words_.size()) return std::nullopt;
    return 0.0;
  }

 private:
  std::span<const WordId> words_;
};

// States and arcs written out. A state may have one arc for all words that have no arc of their own.
class ExplicitAutomaton {
 public:
  StateId add_state();  // the first one is the start
  void add_arc(StateId from, WordId word, Arc arc);
  void set_otherwise(StateId from, Arc arc);
  void set_final(StateId state, double score);

  [[nodiscard]] std::size_t states() const noexcept { return finals_.size(); }
  static StateId start() noexcept { return 0; }
  [[nodiscard]] std::optional<Arc> step(StateId state, WordId word) const noexcept;
  [[nodiscard]] std::optional<double> final(StateId state) const noexcept { return finals_[state]; }

 private:
  void check(StateId from, const Arc& arc) const;

  PairMap index_;
  std::vector<Arc> arcs_;
  std::vector<std::optional<Arc>> otherwise_;
  std::vector<std::optional<double>> finals_;
};

}  // namespace dragoman::forest
