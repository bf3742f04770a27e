#pragma once
// The best translations of one sentence straight from its search, as a list with feature vectors: what tuners would
// take from the forest, which holds some thousand steps of which their lists use a few dozen. So only the shape of the
// search is laid out, and features are asked for the values of the steps that some translation of the list takes.
#include <vector>

#include "common/interned.hpp"
#include "forest/kbest.hpp"
#include "forest/kbest_lists.hpp"
#include "search/phrase_view.hpp"

namespace dragoman::search {

// One object serves one thread, sentence after sentence, and keeps its memory.
class PhraseKBest {
 public:
  // One list. The search must have come to an end.
  [[nodiscard]] forest::KBestLists list(const SearchView& view, const forest::KBestOptions& options);

 private:
  // A step of the search, or, beyond the last of them, an end.
  using EdgeId = forest::EdgeId;

  void lay_out(const Search& search);
  void add_edge(NodeId tail, double score, NodeId step);
  [[nodiscard]] std::size_t text_of(const SearchView& view, std::span<const EdgeId> derivation);
  void fire_steps(const SearchView& view);
  void number_features();
  void add_rows(forest::KBestLists& list);

  std::vector<std::uint32_t> numbers_;  // of the nodes that lead to an end, + 1; 0 for all others
  std::vector<NodeId> open_;
  std::vector<EdgeId> first_edge_;
  std::vector<std::uint32_t> tail_starts_;
  std::vector<forest::NodeId> tails_;
  std::vector<double> scores_;
  std::vector<NodeId> steps_;  // per edge the node that it led to; for ends the complete one
  EdgeId first_end_ = 0;
  forest::KBest search_;

  forest::Rows<EdgeId> derivations_;
  Interned<std::vector<WordId>> texts_;
  std::vector<WordId> words_;

  std::vector<std::uint32_t> fired_by_;      // per edge: 0, or 1 + the row of its values
  std::vector<std::uint32_t> fired_starts_;  // of rows in `fired_`, and the end
  FeatureVector fired_;                      // first features by id, then by their place in `features_`
  std::vector<FeatureId> features_;          // of this sentence, ascending
  std::vector<std::uint32_t> places_;        // by feature id: its place, + 1, where it is one of them; else 0
  std::vector<double> sums_;                 // of the translation at hand, by place
  std::vector<std::uint64_t> touched_;       // which of them count, as bits
};

}  // namespace dragoman::search
