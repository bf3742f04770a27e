#pragma once
// How a left-to-right decoder of hierarchical rules searches: all that may change from one call to the next.
#include <cstdint>
#include <limits>

#include "search/search_settings.hpp"
#include "search/space_limits.hpp"

namespace dragoman::search {

struct LeftToRightSettings {
  // Cube pruning, or every way to extend every node of a stack.
  enum class Algorithm : std::uint8_t { kCube, kStack };
  // Which nodes share a cube: those that expand the same span next, or those that have all spans in common.
  enum class Grouping : std::uint8_t { kFirstSpan, kAllSpans };
  // Rules that may be followed by one more nonterminal on both sides, by how they end; see RuleEnd.
  enum class RightBoundary : std::uint8_t { kNone, kWord, kSame, kAny };
  enum class GlueWhen : std::uint8_t { kAlways, kNoRegular };
  enum class FutureRules : std::uint8_t { kLexical, kHierarchical };

  Algorithm algorithm = Algorithm::kCube;
  Grouping grouping = Grouping::kFirstSpan;
  std::uint32_t beam = 500;                                    // nodes kept per stack
  std::uint32_t pop_limit = 500;                               // nodes taken per stack by cube pruning
  double threshold = std::numeric_limits<double>::infinity();  // how far below the best of its stack a node may lie
  bool lazy = false;                                           // score cells of cubes only when they come to the top
  std::uint32_t queue_diversity = 1;                           // cells that each cube puts into the queue at first
  std::uint32_t queue_patience = 0;      // cells in a row that are no better, after which it puts no more; 0: any
  std::uint32_t option_limit = 20;       // options of a source side
  std::uint32_t glue_option_limit = 10;  // of those without nonterminals, used as glue
  GlueWhen glue_when = GlueWhen::kAlways;
  RightBoundary right_boundary = RightBoundary::kSame;
  bool split_boundary = false;    // rules that end alike take a nonterminal of their own for what follows
  bool boundary_feature = false;  // count rules that were followed by one more nonterminal
  std::uint32_t max_span = 10;    // words that an extracted rule covers; 0: any number
  FutureRules future_rules = FutureRules::kLexical;
  bool reordering_features = false;
  bool exact_height = false;  // nodes recombine only if the heights to come are the same
  UnknownPolicy unknown = UnknownPolicy::kCopy;
  HardSyntax hard_syntax = HardSyntax::kFree;  // spans that rules may cover
  std::uint32_t max_sentence_length = 250;     // words that search takes at once
  bool split = true;                           // translate longer sentences piece by piece; else refuse them
  SpaceLimits space;                           // of a search that keeps everything
};

}  // namespace dragoman::search
