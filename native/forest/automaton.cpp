#include "forest/automaton.hpp"

#include <cmath>
#include <string>

namespace dragoman::forest {

StateId ExplicitAutomaton::add_state() {
  otherwise_.emplace_back();
  finals_.emplace_back();
  return static_cast<StateId>(states() - 1);
}

void ExplicitAutomaton::check(StateId from, const Arc& arc) const {
  if (from >= states() || arc.state >= states())
    throw InputError("an arc from or to a state that does not exist", "state " + std::to_string(from));
  if (!std::isfinite(arc.score))
    throw InputError("the score of an arc is not a finite number", "state " + std::to_string(from));
}

void ExplicitAutomaton::add_arc(StateId from, WordId word, Arc arc) {
  check(from, arc);
  if (index_.insert(from, word, static_cast<std::uint32_t>(arcs_.size())) != arcs_.size())
    throw InputError("two arcs for one word", "state " + std::to_string(from), "make the automaton deterministic");
  arcs_.push_back(arc);
}

void ExplicitAutomaton::set_otherwise(StateId from, Arc arc) {
  check(from, arc);
  otherwise_[from] = arc;
}

void ExplicitAutomaton::set_final(StateId state, double score) {
  check(state, {state, score});
  finals_[state] = score;
}

std::optional<Arc> ExplicitAutomaton::step(StateId state, WordId word) const noexcept {
  const std::uint32_t found = index_.find(state, word);
  return found == kAbsent ? otherwise_[state] : std::optional<Arc>(arcs_[found]);
}

}  // namespace dragoman::forest
