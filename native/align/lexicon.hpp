#pragma once
// Word translation probabilities of one direction: t(generated word | given word), and t(generated word | NULL). A word
// pair that was never seen together, or is less probable than the floor, has the floor's probability; tables can hence
// be cut at the floor when they are stored, without changing any alignment.
#include <vector>

#include "align/counts.hpp"
#include "align/pairs.hpp"

namespace dragoman::align {

inline constexpr float kFloor = 1e-7F;

struct Lexicon {
  std::vector<float> probability;  // by slot
  std::vector<float> null;         // by generated word
  std::vector<double> totals;      // expected count of each given word, kept for later updates
  double null_total = 0;

  [[nodiscard]] float at(Slot slot) const noexcept { return slot == kAbsent ? kFloor : probability[slot]; }
  [[nodiscard]] float null_at(WordId word) const noexcept { return word < null.size() ? null[word] : kFloor; }
};

struct LexicalCounts {
  FixedCounts pairs;  // by slot
  FixedCounts null;   // by generated word
};

// What an earlier corpus taught, as counts; empty for a model trained from nothing.
struct LexicalBackground {
  std::vector<double> pairs, null;
};

// The same start for all: EM's first step then sees co-occurrence alone.
[[nodiscard]] Lexicon uniform_lexicon(const PairIndex& pairs, std::size_t given_words, std::size_t generated_words);

// M-step. `alpha` > 0 is the Dirichlet parameter of variational Bayes (Beal 2003; Riley and Gildea 2012), 0 gives
// maximum likelihood. `forward` says that rows are given and columns generated.
void estimate(Lexicon& lexicon, const LexicalCounts& counts, const LexicalBackground& background,
              const PairIndex& pairs, bool forward, double alpha, int threads);

}  // namespace dragoman::align
