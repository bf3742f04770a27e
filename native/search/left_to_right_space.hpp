#pragma once
// All derivations of a sentence by left-to-right rules, as a forest: as long as no feature looks at what was written
// before, what may be done to a span does not depend on when it is expanded, so one node per span stands for all lists
// of open spans that it is part of. With heights (see Heights) there is a node per span and height of its subtree.
#include <cstdint>
#include <map>
#include <vector>

#include "search/left_to_right_sentence.hpp"
#include "search/space_limits.hpp"
#include "search/tree_forest.hpp"

namespace dragoman::search {

class LeftToRightSpaceWriter final : public TreeForestWriter {
 public:
  // A sentence of `length` words.
  LeftToRightSpaceWriter(forest::ForestBuilder& builder, std::size_t length) : TreeForestWriter(builder, length) {}

  // The next piece, which begins at word `offset`; false if it has no derivation. `height` is the feature of heights,
  // or kNoFeature. Throws LimitReached for more derivations than `limits` allow.
  bool add_piece(LeftToRightSentence& sentence, std::uint32_t offset, FeatureId height, double height_weight,
                 const SpaceLimits& limits);

 private:
  using Heights = std::map<std::uint32_t, forest::NodeId>;  // nodes of a span; without heights, all of them are 0

  void find_spans();
  void expand(Span span);
  // The edges of an application, whose parts from the number `part` on are still to be chosen.
  void choose(const Application& application, std::size_t part, std::uint32_t highest, double measured);
  void add_options(const Application& application, std::uint32_t height, double measured);
  [[nodiscard]] Heights& nodes(Span span) noexcept {
    return nodes_[std::size_t{span.start} * (sentence_->length() + 1) + span.end];
  }

  LeftToRightSentence* sentence_ = nullptr;
  std::uint32_t offset_ = 0;
  FeatureId height_ = 0;
  double height_weight_ = 0;
  SpaceWatch watch_;
  std::size_t edges_ = 0;
  std::vector<std::vector<Span>> spans_;  // that a derivation may leave open, by width
  std::vector<Heights> nodes_;            // by start and end
};

}  // namespace dragoman::search
