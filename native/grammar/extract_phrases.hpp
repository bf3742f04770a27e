#pragma once
// Consistent phrase pairs of a word-aligned sentence pair (Och, Tillmann and Ney 1999; Koehn, Och and Marcu 2003): at
// least one link inside, and none that leaves. Words without links may stand at any edge.
#include <cstdint>
#include <vector>

#include "grammar/aligned_pair.hpp"

namespace dragoman::grammar {

struct PhraseLimits {
  int max_source = 7, max_target = 7;
  double max_ratio = 0;     // longer side / shorter side; 0 for no limit
  bool only_tight = false;  // no unaligned words at the edges
};

struct PhraseSpans {
  int source_begin, source_end, target_begin, target_end;  // half-open
};

// Calls use(PhraseSpans) for each pair of spans, in order of target begin, target end, source begin (leftwards), source
// end.
template <typename Use>
void for_each_phrase(const AlignedPair& pair, const PhraseLimits& limits, Use&& use) {
  const int source_size = pair.source_size(), target_size = pair.target_size();
  for (int u = 0; u < target_size; ++u) {
    Range hull{kLongestSentence + 1, -1};
    if (limits.only_tight && pair.of_target(u).empty()) continue;
    for (int v = u; v < std::min(target_size, u + limits.max_target); ++v) {
      const Range& linked = pair.of_target(v);
      hull.first = std::min(hull.first, linked.first);
      hull.last = std::max(hull.last, linked.last);
      if (hull.empty()) continue;
      if (hull.last - hull.first >= limits.max_source) break;  // the hull only grows
      if (limits.only_tight && linked.empty()) continue;
      bool consistent = true;
      for (int i = hull.first; i <= hull.last && consistent; ++i) {
        const Range& back = pair.of_source(i);
        consistent = back.empty() || (back.first >= u && back.last <= v);
      }
      if (!consistent) continue;
      for (int lo = hull.first; lo >= 0 && (lo == hull.first || pair.of_source(lo).empty()); --lo) {
        if (hull.last - lo >= limits.max_source) break;
        for (int hi = hull.last; hi < source_size && (hi == hull.last || pair.of_source(hi).empty()); ++hi) {
          const int source_words = hi - lo + 1, target_words = v - u + 1;
          if (source_words > limits.max_source) break;
          const bool lopsided = limits.max_ratio > 0 && std::max(source_words, target_words) >
                                                            limits.max_ratio * std::min(source_words, target_words);
          if (!lopsided) use(PhraseSpans{lo, hi + 1, u, v + 1});
          if (limits.only_tight) break;
        }
        if (limits.only_tight) break;
      }
    }
  }
}

}  // namespace dragoman::grammar
