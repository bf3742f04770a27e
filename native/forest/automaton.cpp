#include "forest/automaton.hpp"

#include <cmath>
#include <string>

namespace dragoman::forest {

std::optional<Arc> HistoryAutomaton::step(StateId state, WordId word) {
  const std::uint32_t known = arcs_.find(state, word);
  if (known != kAbsent) return Arc{known, 0};
  const auto history = histories_[state];
  next_.assign(history.begin(), history.end());
  next_.push_back(word);
  if (next_.size() > length_) next_.erase(next_.begin());
  return Arc{arcs_.insert(state, word, histories_.insert(next_)), 0};
}

OccurrenceAutomaton::OccurrenceAutomaton(std::span<const WordId> pattern)
    : pattern_(pattern), failure_(pattern.size() + 1) {
  for (std::size_t read = 1; read < pattern.size(); ++read) {
    StateId border = failure_[read];
    while (border > 0 && pattern[border] != pattern[read]) border = failure_[border];
    failure_[read + 1] = border + (pattern[border] == pattern[read] ? 1 : 0);
  }
}

std::optional<Arc> OccurrenceAutomaton::step(StateId state, WordId word) const noexcept {
  if (state == pattern_.size()) return Arc{state, 0};
  while (state > 0 && pattern_[state] != word) state = failure_[state];
  return Arc{state + (pattern_[state] == word ? 1 : 0), 0};
}

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
