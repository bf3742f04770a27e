#pragma once
// Exact inference for any acyclic forest of derivations and language models that are not part of it: the best
// derivation with a bound, or samples. Hierarchical decoding is this: the forest is what the rules make of a sentence.
// (Aziz, Dymetman and Venkatapathy 2013.)
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/vocabulary.hpp"
#include "forest/forest.hpp"
#include "search/bounded_contexts.hpp"
#include "search/os_star.hpp"
#include "search/proof.hpp"

namespace dragoman::search {

struct ForestOptimum {
  std::vector<forest::EdgeId> derivation;  // from the goal down; empty if what was known already is the best
  Proof proof;
  std::vector<forest::EdgeId> last;                // what promised most at the end; empty if nothing was left
  std::vector<std::vector<std::string>> contexts;  // that were registered, in order
};

struct ForestSamples {
  std::vector<std::vector<forest::EdgeId>> derivations;  // in the order of their first draws
  std::vector<std::uint32_t> draws;
  SampleRun run;
  std::vector<std::vector<std::string>> contexts;
};

// `words` spells the target side; `known` is the score of a derivation that was found otherwise, or minus infinity.
[[nodiscard]] ForestOptimum optimize_forest(const forest::Forest& space, const VocabularyView& words,
                                            std::span<const BoundedModel> models, const ExactSettings& settings,
                                            double known);
[[nodiscard]] ForestSamples sample_forest(const forest::Forest& space, const VocabularyView& words,
                                          std::span<const BoundedModel> models, const SampleSettings& settings,
                                          std::uint64_t item);

}  // namespace dragoman::search
