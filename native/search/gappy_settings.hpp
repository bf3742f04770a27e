#pragma once
// How a decoder of phrases with gaps searches.
#include <cstdint>
#include <limits>

#include "features/distortion.hpp"
#include "search/search_settings.hpp"

namespace dragoman::search {

struct GappySettings {
  // Where a jump begins that follows a phrase with gaps: behind its last word, behind its first run of words, behind
  // the nearer of the two, or half way between them.
  enum class Jump : std::uint8_t { kLast, kFirst, kNearest, kAverage };
  // Which partial translations are one: those with the same pending runs, or with as many pending phrases.
  enum class Recombine : std::uint8_t { kExact, kNumber };

  std::uint32_t beam = 400;                                    // nodes kept per stack
  std::uint32_t pop_limit = 400;                               // nodes taken per stack by cube pruning
  double threshold = std::numeric_limits<double>::infinity();  // how far below the best of its stack a node may lie
  features::DistortionSettings distortion;
  Jump jump = Jump::kLast;
  Recombine recombine = Recombine::kExact;
  std::uint32_t option_limit = 20;      // options of a source side
  std::uint32_t max_phrase_length = 7;  // source words of an option without gaps
  std::uint32_t max_source_span = 12;   // from the first to the last word of one with gaps
  std::uint32_t max_target_span = 12;   // the same in what is written
  std::uint32_t max_pending = 2;        // phrases that are not written to their end yet
  bool order_features = false;          // of phrases with many gaps, that cross, or lie in each other
  UnknownPolicy unknown = UnknownPolicy::kCopy;
  HardSyntax hard_syntax = HardSyntax::kFree;  // spans that rules may cover
  std::uint32_t max_sentence_length = 250;     // words that search takes at once
  bool split = true;                           // translate longer sentences piece by piece; else refuse them
};

}  // namespace dragoman::search
