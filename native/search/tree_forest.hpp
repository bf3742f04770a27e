#pragma once
// What the writers of forests share whose nodes are the spans of trees: pieces, words, and the values that edges fire.
// A sentence that was translated in pieces gets one edge above theirs.
#include <cstdint>
#include <memory>
#include <vector>

#include "common/vocabulary.hpp"
#include "features/feature.hpp"
#include "forest/forest.hpp"

namespace dragoman::search {

using features::FeatureVector;

class TreeForestWriter {
 public:
  [[nodiscard]] forest::Forest finish();
  // Target words get ids of a small vocabulary of their own, since a forest outlives its sentence.
  [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const noexcept { return words_; }

 protected:
  // A sentence of `length` words.
  TreeForestWriter(forest::ForestBuilder& builder, std::size_t length)
      : builder_(builder), length_(length), words_(std::make_shared<Vocabulary>()) {
    builder_.clear();
  }

  // The goal of the next piece.
  forest::NodeId add_goal(std::uint32_t start, std::uint32_t length);
  void add_edge(forest::NewEdge edge);  // with `tails_`, `target_`, `links_`, `values_`

  forest::ForestBuilder& builder_;
  std::size_t length_;
  std::shared_ptr<Vocabulary> words_;
  std::vector<forest::NodeId> tails_;
  std::vector<WordId> target_;
  std::vector<forest::Link> links_;
  FeatureVector values_;

 private:
  std::vector<forest::NodeId> goals_;  // of the pieces
  std::vector<forest::FeatureId> features_;
  std::vector<double> numbers_;
};

}  // namespace dragoman::search
