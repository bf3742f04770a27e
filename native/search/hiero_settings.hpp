#pragma once
// How a chart decoder searches: all that may change from one call to the next.
#include <cstdint>
#include <limits>

#include "search/search_settings.hpp"
#include "search/space_limits.hpp"

namespace dragoman::search {

struct HieroSettings {
  // How cells are filled: all of them, from small to large, or each as far as those above it ask for more.
  enum class Algorithm : std::uint8_t { kPruning, kGrowing };

  Algorithm algorithm = Algorithm::kPruning;
  std::uint32_t beam = 400;                                 // nodes kept per cell
  std::uint32_t pop_limit = 400;                            // nodes taken per cell
  double margin = std::numeric_limits<double>::infinity();  // how far below the best of its cell a node may lie
  std::uint32_t option_limit = 20;                          // options of a source side
  std::uint32_t max_span = 0;                               // words that a rule may cover; 0: as the table says
  bool check_left_hand_sides = false;                       // rules must be called as syntax calls what they cover
  UnknownPolicy unknown = UnknownPolicy::kCopy;
  HardSyntax hard_syntax = HardSyntax::kFree;  // spans that rules may cover
  std::uint32_t max_sentence_length = 400;     // words that search takes at once
  bool split = true;                           // translate longer sentences piece by piece; else refuse them
  SpaceLimits space;                           // of a search that keeps everything
};

}  // namespace dragoman::search
