#pragma once
// The derivation whose target is closest to references, by sentence BLEU with smoothed higher precisions (Lin and Och
// 2004, "BLEU+1"). The optimum is out of reach in general: clipping and brevity look at the whole sentence. Dynamic
// programming with a beam comes close: an item is a partial target, known by its matched n-grams (clipped, exactly),
// its length and its boundary words; items of one node compete by BLEU+1 with the reference length scaled down to the
// share of the sentence that the node produces on average.
#include <span>
#include <vector>

#include "forest/derivation.hpp"

namespace dragoman::forest {

inline constexpr std::size_t kBleuOrder = 4;

// BLEU+1 of a string: first precision as it is, the others with one added to matches and totals; the closest reference
// length, the shorter of two equally close.
[[nodiscard]] double sentence_bleu(std::span<const WordId> words, const Rows<WordId>& references);

struct Oracle {
  std::vector<EdgeId> derivation;
  double bleu = 0;
};
// What is sought: the highest gain alone, or the highest sum of the model score and of the gain in reference words,
// each with its factor. With a negative factor of the gain, what the model likes in spite of the references.
struct OracleAim {
  double model = 0, gain = 1;
};
// Of derivations equally good, the one with the higher model score. `references` holds at least one.
[[nodiscard]] Oracle bleu_oracle(const Forest& forest, const Rows<WordId>& references, std::size_t beam,
                                 const OracleAim& aim = {});

}  // namespace dragoman::forest
