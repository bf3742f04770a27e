#pragma once
// Rules for words of a prefix that no rule of the table writes there: prefix and source are aligned by how well single
// words translate each other, both directions must agree, and short pairs of words are taken that no link leaves. Their
// scores are lexical weights. (Green, Cer and Manning 2014; the alignment is that of Brown et al. 1993, first model.)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "grammar/symbols.hpp"

namespace dragoman::search {

// Log probabilities of a word given the one that it is linked to.
struct WordScores {
  double inverse, direct;  // of the source word, of the target word
};

struct SyntheticRule {
  static constexpr std::uint32_t kLongestSource = 3, kLongestTarget = 10;

  std::uint32_t start, end;          // source words
  std::uint32_t first, last;         // words of the prefix
  std::vector<grammar::Link> links;  // within the pair
  WordScores scores;                 // lexical weights
};

// What a word costs that nothing translates.
inline const double kLexicalFloor = std::log(1e-5);

// `scores(source, target)` gives a pointer to WordScores, or null if the words do not translate each other. Pairs begin
// and end with linked source words; their target may have words without links at its edges, which are what is missing.
template <typename Scores>
[[nodiscard]] std::vector<SyntheticRule> synthetic_rules(std::uint32_t length, std::uint32_t written,
                                                         const Scores& scores) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> of_target(written, kNone), of_source(length, kNone);
  const auto nearer = [](std::uint32_t at, std::uint32_t one, std::uint32_t other) {
    return std::abs(static_cast<int>(at) - static_cast<int>(one)) <
           std::abs(static_cast<int>(at) - static_cast<int>(other));
  };
  // The best partner of each word; of equally good ones the nearer, then the first.
  for (std::uint32_t i = 0; i < length; ++i)
    for (std::uint32_t j = 0; j < written; ++j) {
      const WordScores* found = scores(i, j);
      if (found == nullptr) continue;
      const auto better = [&](double one, double other, std::uint32_t at, std::uint32_t a, std::uint32_t b) {
        return one > other || (one == other && nearer(at, a, b));
      };
      if (of_target[j] == kNone || better(found->direct, scores(of_target[j], j)->direct, j, i, of_target[j]))
        of_target[j] = i;
      if (of_source[i] == kNone || better(found->inverse, scores(i, of_source[i])->inverse, i, j, of_source[i]))
        of_source[i] = j;
    }
  const auto linked = [&](std::uint32_t j) { return of_target[j] != kNone && of_source[of_target[j]] == j; };

  std::vector<SyntheticRule> rules;
  for (std::uint32_t first = 0; first < written; ++first) {
    std::uint32_t start = kNone, end = 0;
    for (std::uint32_t last = first + 1; last <= std::min(written, first + SyntheticRule::kLongestTarget); ++last) {
      if (linked(last - 1)) {
        start = std::min(start, of_target[last - 1]);
        end = std::max(end, of_target[last - 1] + 1);
      }
      if (start == kNone) continue;
      if (end - start > SyntheticRule::kLongestSource) break;
      SyntheticRule rule{start, end, first, last, {}, {0, 0}};
      bool closed = true;
      for (std::uint32_t i = start; i < end; ++i) {
        const std::uint32_t j = of_source[i];
        const bool has_link = j != kNone && of_target[j] == i;
        closed = closed && (!has_link || (j >= first && j < last));
        rule.scores.inverse += has_link ? std::max(kLexicalFloor, scores(i, j)->inverse) : kLexicalFloor;
        if (has_link && closed)
          rule.links.push_back({static_cast<decltype(grammar::Link::source)>(i - start),
                                static_cast<decltype(grammar::Link::target)>(j - first)});
      }
      if (!closed) continue;
      for (std::uint32_t j = first; j < last; ++j)
        rule.scores.direct += linked(j) ? std::max(kLexicalFloor, scores(of_target[j], j)->direct) : kLexicalFloor;
      rules.push_back(std::move(rule));
    }
  }
  return rules;
}

}  // namespace dragoman::search
