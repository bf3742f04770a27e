#pragma once
// One derivation of a forest: its edges from the goal down, each before the derivations of its tails, left to right.
// Arities make the tree unambiguous, also where one node is derived twice in different ways.
#include <span>
#include <utility>
#include <vector>

#include "forest/forest.hpp"

namespace dragoman::forest {

// A list of derivations.
struct Derivations {
  Rows<EdgeId> edges;
  std::vector<double> scores;

  [[nodiscard]] std::size_t size() const noexcept { return scores.size(); }
};

// The target words of a derivation, and for each which step (position in the list of edges) wrote it, as which of the
// symbols of that edge's target side.
struct Yield {
  std::vector<WordId> words;
  std::vector<std::uint32_t> steps, symbols;
};

// For each step, where the derivations of its tails start: row k of step i is the step that derives tail k.
[[nodiscard]] Rows<std::uint32_t> child_steps(const Forest& forest, std::span<const EdgeId> derivation);
[[nodiscard]] Yield yield_of(const Forest& forest, std::span<const EdgeId> derivation);

// Source and target positions of all word links, sorted, each once.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> links_of(const Forest& forest,
                                                                            std::span<const EdgeId> derivation,
                                                                            const Yield& yield);

// Says what is wrong with a list of edges that should be a derivation of the goal, or nullptr.
[[nodiscard]] const char* derivation_problem(const Forest& forest, std::span<const EdgeId> edges);

}  // namespace dragoman::forest
