#pragma once
// What a decoder found for a sentence.
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/vocabulary.hpp"
#include "features/feature.hpp"
#include "features/language_model.hpp"
#include "forest/forest.hpp"
#include "search/proof.hpp"

namespace dragoman::search {

struct SearchStatistics {
  std::uint64_t built = 0, recombined = 0, pruned = 0, kept = 0, queued = 0, rules_matched = 0;

  SearchStatistics& operator+=(const SearchStatistics& other) noexcept {
    built += other.built;
    recombined += other.recombined;
    pruned += other.pruned;
    kept += other.kept;
    queued += other.queued;
    rules_matched += other.rules_matched;
    return *this;
  }
};

// One rule of a translation, in target order.
struct Step {
  std::uint32_t source_start, source_end;  // of its own words
  std::uint32_t target_start, target_end;
  bool unknown;
  double score;                                                // of this step, all features
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // sentence positions
  features::FeatureVector values;
  std::vector<std::uint32_t> positions = {};         // its own words, if nonterminals lie between them
  std::vector<std::uint32_t> target_positions = {};  // the words it wrote, if others stand between them
  std::uint32_t span_start = 0, span_end = 0;        // with all that its nonterminals cover
};

struct Decoded {
  double score = 0;
  std::vector<std::string> target;
  std::vector<Step> steps;
  features::FeatureVector final_values;  // fired by completing the sentence
  SearchStatistics statistics;
  features::LanguageModelCost language_models;
  double seconds = 0;
  std::vector<std::string> source;              // of a lattice: the words of the path that was translated
  std::vector<std::vector<std::string>> paths;  // of a lattice: source sides of its forest's rules, by their numbers
  std::shared_ptr<forest::Forest> forest;       // if asked for
  std::shared_ptr<Vocabulary> words;            // of the forest's target side
  std::size_t pieces = 0;                       // in which it was translated
  bool reached = true;                          // false: no derivation of any reference, if some were given
  std::vector<std::uint32_t> unwritten;         // if not: words of the nearest reference that no rule here writes ...
  std::vector<std::uint32_t> untranslated;      // ... and words of the sentence that no rule turns into words of one
  std::size_t nearest = 0;                      // its number
  std::shared_ptr<const Proof> proof;           // of exact search
  std::exception_ptr error;                     // what went wrong with this sentence; the others are not touched by it
};

}  // namespace dragoman::search
