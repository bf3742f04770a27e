#pragma once
// How a phrase-based decoder searches: all that may change from one call to the next. What is costly to build, tables
// and features, is in `PhraseModel`.
#include <cstdint>
#include <limits>

#include "features/distortion.hpp"
#include "search/syntax_limits.hpp"

namespace dragoman::search {

enum class UnknownPolicy : std::uint8_t { kCopy, kMark, kDrop };

struct SearchSettings {
  enum class Algorithm : std::uint8_t { kCube, kStack };
  // Which states two nodes must share to be one: those of all features, or those of language models only.
  enum class Recombine : std::uint8_t { kExact, kPharaoh };

  Algorithm algorithm = Algorithm::kCube;
  Recombine recombine = Recombine::kExact;
  std::uint32_t beam = 1000;                                   // nodes kept per stack
  std::uint32_t pop_limit = 1000;                              // nodes taken per stack by cube pruning
  double threshold = std::numeric_limits<double>::infinity();  // how far below the best of its stack a node may lie
  features::DistortionSettings distortion;
  std::uint32_t option_limit = 20;      // options of a span
  std::uint32_t max_phrase_length = 7;  // source words of an option
  UnknownPolicy unknown = UnknownPolicy::kCopy;
  HardSyntax hard_syntax = HardSyntax::kFree;  // spans that rules may cover
  std::uint32_t max_sentence_length = 250;     // words that search takes at once
  bool split = true;                           // translate longer sentences piece by piece; else refuse them
  std::uint32_t late_steps = 0;                // steps that late features are asked about after search; 0: in search
  bool check_features = false;                 // score all that search kept from scratch, and throw where it differs
};

}  // namespace dragoman::search
