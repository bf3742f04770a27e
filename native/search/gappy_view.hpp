#pragma once
// What a search with gaps leaves behind, step by step, and the values that features fired; see ForestWriter.
#include <vector>

#include "search/gappy_search.hpp"

namespace dragoman::search {

class GappyView {
 public:
  GappyView(const GappyModel& model, const GappySentence& sentence, Extender& extender, const GappySearch& search)
      : model_(model), sentence_(sentence), extender_(extender), search_(search) {}

  void option_values(NodeId id, FeatureVector& values) const { sentence_.option_values(node(id).option, values); }
  void place_values(NodeId id, FeatureVector& values) const {
    const NodeId previous = node(id).previous;
    extender_.extend_values(search_.states(previous), step(id), search_.place(node(previous)).coverage, values);
    if (const double jump = search_.jump_of_step(id); jump != 0) values.emplace_back(model_.distortion, -jump);
    if (const double words = search_.gap_words_of_step(id); words != 0)
      values.emplace_back(model_.target_gap_words, -words);
    if (const double size = search_.gap_size_of_step(id); size != 0) values.emplace_back(model_.target_sizes, size);
    const GappyOrder order = search_.order_of_step(id);
    if (order.contained) values.emplace_back(model_.contained, 1);
    if (order.source_crossings > 0) values.emplace_back(model_.source_crossings, -1.0 * order.source_crossings);
    if (order.target_crossings > 0) values.emplace_back(model_.target_crossings, -1.0 * order.target_crossings);
  }
  void final_values(NodeId id, FeatureVector& values) const {
    extender_.finish_values(search_.states(id), values);
    if (const double jump = search_.final_jump(id); jump != 0) values.emplace_back(model_.distortion, -jump);
  }

  [[nodiscard]] const GappySentence& sentence() const noexcept { return sentence_; }
  [[nodiscard]] std::uint32_t length() const noexcept { return sentence_.length(); }
  [[nodiscard]] std::size_t options() const noexcept { return sentence_.options(); }
  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return search_.goal_nodes(); }
  [[nodiscard]] const GappySearch::Node& node(NodeId id) const noexcept { return search_.node(id); }
  [[nodiscard]] bool is_start(NodeId id) const noexcept { return node(id).option == kNone; }
  [[nodiscard]] bool is_later(NodeId id) const noexcept { return sentence_.is_later(node(id).option); }
  [[nodiscard]] const Option& step(NodeId id) const noexcept { return sentence_.option(node(id).option); }
  [[nodiscard]] forest::NodeLabel label(NodeId id) const noexcept {
    const std::uint32_t covered = search_.place(node(id)).coverage.count();
    if (is_start(id)) return {0, 0, covered, 0};
    return {step(id).span.start, step(id).span.end, covered, 0};
  }
  [[nodiscard]] bool covers(NodeId id, std::uint32_t position) const noexcept {
    return search_.place(node(id)).coverage.covers(position);
  }
  [[nodiscard]] std::uint32_t option(NodeId id) const noexcept { return node(id).option; }
  [[nodiscard]] std::uint32_t rule(NodeId id) const noexcept { return step(id).rule; }
  [[nodiscard]] forest::SourceSpan span(NodeId id) const noexcept { return {step(id).span.start, step(id).span.end}; }
  [[nodiscard]] std::span<const WordId> target(NodeId id) const noexcept { return sentence_.target(step(id)); }
  [[nodiscard]] std::string_view spell(WordId word) const { return sentence_.spell_target(word); }
  void links(NodeId id, std::vector<forest::Link>& links) const { sentence_.links_of(node(id).option, links); }

 private:
  const GappyModel& model_;
  const GappySentence& sentence_;
  Extender& extender_;
  const GappySearch& search_;
};

}  // namespace dragoman::search
