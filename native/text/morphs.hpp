#pragma once
// Pieces of words in the least space (Creutz and Lagus 2007, the baseline method): a list of pieces, spelled out letter
// by letter, and every word as a row of pieces, both in the bits of an ideal code. Words are taken in random order;
// each is cut in two where that saves most, the halves again, until a pass over all words saves next to nothing.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::text {

struct MorphSettings {
  double weight = 1;         // of the words against the list of pieces: more cuts less
  double least_gain = 5e-3;  // nats a word that a pass must save for another to follow
  int passes = 20;           // at most
  std::uint64_t seed = 1;
};

struct MorphList {
  std::vector<std::pair<std::string, std::int64_t>> pieces;  // with their counts, most frequent first, then by letters
  double cost = 0;                                           // of list and words, in nats
  int passes = 0;
};

// Learns from different words (UTF-8) with their counts, which are positive.
[[nodiscard]] MorphList learn_morphs(const std::vector<std::string_view>& words,
                                     const std::vector<std::int64_t>& counts, const MorphSettings& settings,
                                     const StopCallback& stop);

}  // namespace dragoman::text
