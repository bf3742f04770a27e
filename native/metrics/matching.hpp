#pragma once
// Word alignment of a hypothesis and a reference in stages, for METEOR (Banerjee and Lavie 2005): each stage sees what
// earlier stages left, takes as many matches as possible and, among the largest sets of matches, one with the fewest
// crossings (and of those, one whose words have moved least).
#include <array>

#include "metrics/relations.hpp"

namespace dragoman::metrics {

enum class Stage : std::uint8_t { kExact, kStem, kSynonym, kParaphrase };
inline constexpr std::size_t kStages = 4;
inline constexpr std::size_t kMaxMatchingWords = 4096;  // longer segments are refused: the search is quadratic

struct Match {
  std::int32_t hypothesis, hypothesis_length, reference, reference_length;
  Stage stage;
};

struct MatchingOptions {
  std::array<bool, kStages> stages{true, true, true, false};
  std::size_t exact_up_to = 12;  // ambiguous words up to which all choices are tried
  std::size_t beam = 40;         // choices kept otherwise
};

class StagedMatcher {
 public:
  // Sorted by position in the hypothesis.
  [[nodiscard]] const std::vector<Match>& match(Words hypothesis, Words reference, const WordRelations& relations,
                                                const PhrasePairs& paraphrases, const MatchingOptions& options);

 private:
  struct Choice {  // one way to have treated the words so far
    std::int64_t covered, crossings, distance;
    std::int32_t next;    // first free position of the hypothesis
    std::int32_t parent;  // in trail_
    std::vector<std::uint64_t> used;
  };
  struct Step {
    std::int32_t parent, candidate;
  };

  void match_words(Stage stage, Words hypothesis, Words reference, const WordRelations& relations,
                   const MatchingOptions& options);
  void match_phrases(Words hypothesis, Words reference, const PhrasePairs& paraphrases, const MatchingOptions& options);
  [[nodiscard]] std::int64_t crossings_with_matches(std::int32_t hypothesis, std::int32_t reference) const noexcept;
  void keep_best(std::vector<Choice>& choices, std::size_t beam);

  std::vector<Match> matches_;
  std::vector<std::uint8_t> hypothesis_taken_, reference_taken_;
  std::vector<Step> trail_;
};

[[nodiscard]] std::int64_t count_chunks(std::span<const Match> matches) noexcept;

}  // namespace dragoman::metrics
