#pragma once
// What chart search leaves behind: the values that features fired, and the forest of all translations it kept, node by
// node as in its cells.
#include <span>
#include <unordered_map>
#include <vector>

#include "forest/forest.hpp"
#include "search/chart_extender.hpp"
#include "search/chart_nodes.hpp"
#include "search/hiero_sentence.hpp"
#include "search/tree_forest.hpp"

namespace dragoman::search {

using HieroNodes = ChartNodes<ChartExtender>;

// A finished search of one sentence, looked at again.
class ChartView {
 public:
  ChartView(const HieroSentence& sentence, ChartExtender& extender, const HieroNodes& search)
      : sentence_(sentence), extender_(extender), search_(search) {}

  [[nodiscard]] const HieroSentence& sentence() const noexcept { return sentence_; }
  [[nodiscard]] const HieroNodes& search() const noexcept { return search_; }

  // All that the step which made a node fired.
  void step_values(NodeId id, FeatureVector& values) const {
    const ChartNode& node = search_.node(id);
    const auto tails = search_.tails(node);
    sentence_.option_values(node.option, values);
    extender_.combine_values(
        sentence_.options()[node.option], [&](std::size_t i) { return search_.states(tails[i]); }, tails.size(),
        values);
  }
  void final_values(NodeId id, FeatureVector& values) const { extender_.finish_values(search_.states(id), values); }
  // What the step itself added to the scores of its parts.
  [[nodiscard]] double step_score(NodeId id) const noexcept {
    const ChartNode& node = search_.node(id);
    double score = node.score;
    for (const NodeId tail : search_.tails(node)) score -= search_.node(tail).score;
    return score;
  }

 private:
  const HieroSentence& sentence_;
  ChartExtender& extender_;
  const HieroNodes& search_;
};

class HieroForestWriter final : public TreeForestWriter {
 public:
  // A sentence of `length` words.
  HieroForestWriter(forest::ForestBuilder& builder, std::size_t length) : TreeForestWriter(builder, length) {}

  // The next piece, which begins at word `offset`.
  void add_piece(const ChartView& view, std::uint32_t offset);

 private:
  forest::NodeId node_of(NodeId id);
  void add_step(forest::NodeId head, NodeId id);

  const ChartView* view_ = nullptr;  // of the piece at hand
  std::uint32_t offset_ = 0;
  std::unordered_map<NodeId, forest::NodeId> ids_;
  std::vector<NodeId> open_;  // nodes whose edges are still to be written
};

}  // namespace dragoman::search
