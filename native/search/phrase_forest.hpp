#pragma once
// What a phrase-based search leaves behind, step by step: the values that features fired, and the forest of all
// translations it kept.
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/vocabulary.hpp"
#include "forest/forest.hpp"
#include "search/extender.hpp"
#include "search/phrase.hpp"
#include "search/sentence.hpp"

namespace dragoman::search {

using Search = PhraseSearch<Extender>;

// A finished search of one sentence, looked at again.
class SearchView {
 public:
  SearchView(const PhraseModel& model, const features::DistortionSettings& distortion, const Sentence& sentence,
             Extender& extender, const Search& search)
      : model_(model), distortion_(distortion), sentence_(sentence), extender_(extender), search_(search) {}

  // All that the step from `previous` by `option` fired: what the option fires wherever it stands, and the rest.
  void step_values(NodeId previous, const Option& option, FeatureVector& values) const {
    sentence_.option_values(option, values);
    place_values(previous, option, values);
  }
  void place_values(NodeId previous, const Option& option, FeatureVector& values) const;
  // All that completing `node` fires.
  void final_values(NodeId node, FeatureVector& values) const;
  // The same of one of the state features beyond language models and reordering.
  void state_values(std::size_t feature, NodeId previous, const Option& option, FeatureVector& values) const {
    extender_.other_values(feature, search_.states(previous), option, values);
  }
  void state_end_values(std::size_t feature, NodeId node, FeatureVector& values) const {
    extender_.other_end_values(feature, search_.states(node), values);
  }

  [[nodiscard]] const Sentence& sentence() const noexcept { return sentence_; }
  [[nodiscard]] const Search& search() const noexcept { return search_; }
  [[nodiscard]] std::uint32_t length() const noexcept { return sentence_.chart().length(); }

 private:
  const PhraseModel& model_;
  const features::DistortionSettings& distortion_;
  const Sentence& sentence_;
  Extender& extender_;
  const Search& search_;
};

// Writes the forest: every node that leads to a complete translation, and every edge that ended in it, whether it won
// its recombination or lost. A sentence that was translated in pieces gets one edge above theirs. Target words get ids
// of a small vocabulary of their own, since a forest outlives its sentence.
class PhraseForestWriter {
 public:
  // A sentence of `length` words.
  PhraseForestWriter(forest::ForestBuilder& builder, std::size_t length)
      : builder_(builder), length_(length), words_(std::make_shared<Vocabulary>()) {
    builder_.clear();
  }

  // The next piece, which begins at word `offset`.
  void add_piece(const SearchView& view, std::uint32_t offset);
  [[nodiscard]] forest::Forest finish();
  [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const noexcept { return words_; }

 private:
  [[nodiscard]] std::vector<std::uint64_t> bits(const Coverage& coverage) const;
  forest::NodeId node_of(NodeId id);
  void add_step(forest::NodeId head, const Node& node);
  void add_final(forest::NodeId goal, NodeId complete);
  // An edge that fires `values_` and those of an option, which are in order already.
  void add_edge(forest::NewEdge edge, std::span<const WordId> target, std::span<const grammar::Link> links,
                std::span<const FeatureVector::value_type> option_values);
  [[nodiscard]] const FeatureVector& option_values(const Option& option);

  forest::ForestBuilder& builder_;
  std::size_t length_;
  std::shared_ptr<Vocabulary> words_;
  std::vector<forest::NodeId> goals_;  // of the pieces
  const SearchView* view_ = nullptr;   // of the piece at hand
  std::uint32_t offset_ = 0;
  std::unordered_map<NodeId, forest::NodeId> ids_;
  std::vector<NodeId> open_;                  // nodes whose edges are still to be written
  std::vector<FeatureVector> option_values_;  // by feature, per option; empty until it is needed
  FeatureVector values_;
  std::vector<WordId> target_;
  std::vector<forest::FeatureId> features_;
  std::vector<double> numbers_;
  std::vector<forest::Link> links_;
};

}  // namespace dragoman::search
