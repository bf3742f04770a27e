#pragma once
// What a left-to-right search leaves behind, step by step, and the values that features fired; see ForestWriter.
#include <vector>

#include "forest/forest.hpp"
#include "search/extender.hpp"
#include "search/left_to_right.hpp"
#include "search/left_to_right_sentence.hpp"

namespace dragoman::search {

class LeftToRightView {
 public:
  LeftToRightView(const LeftToRightModel& model, const LeftToRightSentence& sentence, Extender& extender,
                  LeftToRightSearch& search)
      : model_(model), sentence_(sentence), extender_(extender), search_(search) {}

  // An option fires the same wherever it stands, but for the penalty that counts it.
  void option_values(NodeId id, FeatureVector& values) const {
    sentence_.option_values(chosen(id), kNoFeature, values);
  }
  void place_values(NodeId id, FeatureVector& values) const {
    extender_.extend_values(search_.states(node(id).previous), chosen(id), {}, values);
    values.emplace_back(sentence_.penalty(application(id)), 1);
    sentence_.application_values(application(id), values);
    if (const double more = search_.height_of_step(id); more != 0) values.emplace_back(model_.height, more);
  }
  void final_values(NodeId id, FeatureVector& values) const { extender_.finish_values(search_.states(id), values); }

  [[nodiscard]] std::uint32_t length() const noexcept { return sentence_.length(); }
  [[nodiscard]] std::size_t options() const noexcept { return sentence_.options().all().size(); }
  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return search_.goal_nodes(); }
  [[nodiscard]] const LeftToRightSearch::Node& node(NodeId id) const noexcept { return search_.node(id); }
  [[nodiscard]] bool is_start(NodeId id) const noexcept { return node(id).previous == kNone; }
  [[nodiscard]] const Option& chosen(NodeId id) const noexcept { return sentence_.options()[node(id).option]; }
  [[nodiscard]] const Application& application(NodeId id) const noexcept {
    return sentence_.application(node(id).application);
  }
  [[nodiscard]] forest::NodeLabel label(NodeId id) const noexcept {
    std::uint32_t covered = length();
    for (ListId list = node(id).spans; list != SpanLists::kEmpty; list = search_.lists().rest(list)) {
      const Span span = search_.lists().first(list);
      covered -= static_cast<std::uint32_t>(span.end - span.start);
    }
    if (is_start(id)) return {0, 0, covered, 0};
    return {application(id).span.start, application(id).span.end, covered, 0};
  }
  [[nodiscard]] bool covers(NodeId id, std::uint32_t position) const noexcept {
    for (ListId list = node(id).spans; list != SpanLists::kEmpty; list = search_.lists().rest(list)) {
      const Span span = search_.lists().first(list);
      if (span.start <= position && position < span.end) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint32_t option(NodeId id) const noexcept { return chosen(id).id; }
  [[nodiscard]] std::uint32_t rule(NodeId id) const noexcept { return chosen(id).rule; }
  [[nodiscard]] forest::SourceSpan span(NodeId id) const noexcept {
    return {application(id).span.start, application(id).span.end};
  }
  [[nodiscard]] std::span<const WordId> target(NodeId id) const noexcept { return sentence_.target(chosen(id)); }
  [[nodiscard]] std::string_view spell(WordId word) const { return sentence_.spell_target(word); }
  void links(NodeId id, std::vector<forest::Link>& links) const {
    sentence_.links_of(application(id), chosen(id), links);
  }

 private:
  const LeftToRightModel& model_;
  const LeftToRightSentence& sentence_;
  Extender& extender_;
  LeftToRightSearch& search_;
};

}  // namespace dragoman::search
