#pragma once
// What a phrase-based search leaves behind, step by step, and the values that features fired.
#include <cstdlib>
#include <vector>

#include "forest/forest.hpp"
#include "search/extender.hpp"
#include "search/phrase.hpp"
#include "search/sentence.hpp"

namespace dragoman::search {

using Search = PhraseSearch<Extender>;

// A finished search of one sentence, looked at again; see ForestWriter.
class SearchView {
 public:
  SearchView(const PhraseModel& model, const features::DistortionSettings& distortion, const Sentence& sentence,
             Extender& extender, const Search& search)
      : model_(model), distortion_(distortion), sentence_(sentence), extender_(extender), search_(search) {}

  void option_values(NodeId id, FeatureVector& values) const { sentence_.option_values(step(id), values); }
  void place_values(NodeId id, FeatureVector& values) const {
    const NodeId previous = node(id).previous;
    const Place& place = search_.place(node(previous));
    extender_.extend_values(search_.states(previous), step(id), place.coverage, values);
    const double jump = features::jump_cost(distortion_, place, step(id).span, static_cast<int>(length()));
    if (jump != 0) values.emplace_back(model_.distortion, -jump);
  }
  void final_values(NodeId id, FeatureVector& values) const {
    extender_.finish_values(search_.states(id), values);
    const int jump = static_cast<int>(length()) - static_cast<int>(search_.place(node(id)).end);
    if (distortion_.final_jump && jump != 0) values.emplace_back(model_.distortion, -std::abs(jump));
  }
  // The same of one of the state features beyond language models and reordering.
  void state_values(std::size_t feature, NodeId previous, const Option& option, FeatureVector& values) const {
    extender_.other_values(feature, search_.states(previous), option, values);
  }
  void state_end_values(std::size_t feature, NodeId id, FeatureVector& values) const {
    extender_.other_end_values(feature, search_.states(id), values);
  }

  [[nodiscard]] const Sentence& sentence() const noexcept { return sentence_; }
  [[nodiscard]] const Search& search() const noexcept { return search_; }
  [[nodiscard]] std::uint32_t length() const noexcept { return sentence_.chart().length(); }
  [[nodiscard]] std::size_t options() const noexcept { return sentence_.chart().all().size(); }
  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return search_.goal_nodes(); }
  [[nodiscard]] const Node& node(NodeId id) const noexcept { return search_.node(id); }
  [[nodiscard]] bool is_start(NodeId id) const noexcept { return node(id).option == kNone; }
  [[nodiscard]] const Option& step(NodeId id) const noexcept { return sentence_.chart()[node(id).option]; }
  [[nodiscard]] forest::NodeLabel label(NodeId id) const noexcept {
    const std::uint32_t covered = search_.place(node(id)).coverage.count();
    if (is_start(id)) return {0, 0, covered, 0};
    return {step(id).span.start, step(id).span.end, covered, 0};
  }
  [[nodiscard]] bool covers(NodeId id, std::uint32_t position) const noexcept {
    return search_.place(node(id)).coverage.covers(position);
  }
  // By its place in the chart: ids are given before the chart is cut to its best options.
  [[nodiscard]] std::uint32_t option(NodeId id) const noexcept { return node(id).option; }
  // In a lattice the number of its path tells more.
  [[nodiscard]] std::uint32_t rule(NodeId id) const noexcept {
    return step(id).path != 0 ? step(id).path - 1 : step(id).rule;
  }
  [[nodiscard]] forest::SourceSpan span(NodeId id) const noexcept { return {step(id).span.start, step(id).span.end}; }
  [[nodiscard]] std::span<const WordId> target(NodeId id) const noexcept { return sentence_.target(step(id)); }
  [[nodiscard]] std::string_view spell(WordId word) const { return sentence_.spell_target(word); }
  void links(NodeId id, std::vector<forest::Link>& links) const {
    links.clear();
    for (const grammar::Link link : sentence_.links(step(id))) links.push_back({link.source, link.target});
  }

 private:
  const PhraseModel& model_;
  const features::DistortionSettings& distortion_;
  const Sentence& sentence_;
  Extender& extender_;
  const Search& search_;
};

}  // namespace dragoman::search
