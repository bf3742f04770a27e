#pragma once
// The forest of a search that writes the target from left to right: every node that leads to a complete translation,
// and every edge that ended in it, whether it won its recombination or lost. A sentence that was translated in pieces
// gets one edge above theirs. Target words get ids of a small vocabulary of their own, since a forest outlives its
// sentence.
#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/vocabulary.hpp"
#include "features/feature.hpp"
#include "forest/forest.hpp"
#include "search/node.hpp"

namespace dragoman::search {

using features::FeatureVector;

// By feature; values of one feature stay in the order in which they fired. Few, which are mostly in order already, are
// put in place one by one.
inline void sort_by_feature(FeatureVector& values) {
  constexpr std::size_t kFew = 48;
  if (values.size() > kFew)
    return std::stable_sort(values.begin(), values.end(),
                            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t next = 1; next < values.size(); ++next) {
    const auto fired = values[next];
    std::size_t at = next;
    for (; at > 0 && values[at - 1].first > fired.first; --at) values[at] = values[at - 1];
    values[at] = fired;
  }
}

// `View` is a finished search of one sentence, looked at again. Of the step that made a node:
//   std::uint32_t length() const;                              source words
//   std::uint32_t options() const;                             how many there are
//   std::span<const NodeId> goal_nodes() const;
//   const Node& node(NodeId) const;                            with `previous`, `arc`, `score` and `priority`
//   bool is_start(NodeId) const;
//   forest::NodeLabel label(NodeId) const;
//   bool covers(NodeId, std::uint32_t position) const;
//   std::uint32_t option(NodeId) const;                        below `options()`
//   std::uint32_t rule(NodeId) const;
//   forest::SourceSpan span(NodeId) const;
//   std::span<const WordId> target(NodeId) const;              the words it appends
//   std::string_view spell(WordId) const;
//   void links(NodeId, std::vector<forest::Link>&) const;      from its span to the words it appends
//   void option_values(NodeId, FeatureVector&) const;          the same wherever the option stands
//   void place_values(NodeId, FeatureVector&) const;           the others
//   void final_values(NodeId, FeatureVector&) const;           of completing the node
template <typename View>
class ForestWriter {
 public:
  // A sentence of `length` words.
  ForestWriter(forest::ForestBuilder& builder, std::size_t length)
      : builder_(builder), length_(length), words_(std::make_shared<Vocabulary>()) {
    builder_.clear();
  }

  // The next piece, which begins at word `offset`.
  void add_piece(const View& view, std::uint32_t offset) {
    view_ = &view;
    offset_ = offset;
    ids_.clear();
    option_values_.assign(view.options(), {});
    const std::uint32_t length = view.length();
    const forest::NodeId goal = builder_.add_node({offset, offset + length, length, 0},
                                                  bits([&](std::uint32_t position) { return position < length; }));
    for (const NodeId complete : view.goal_nodes()) add_final(goal, complete);
    while (!open_.empty()) {
      const NodeId id = open_.back();
      open_.pop_back();
      const forest::NodeId head = ids_.at(id);
      for (NodeId arc = id; arc != kNone; arc = view.node(arc).arc) add_step(head, arc);
    }
    goals_.push_back(goal);
  }

  [[nodiscard]] forest::Forest finish() {
    if (goals_.size() == 1) return builder_.finish(goals_[0]);
    const auto length = static_cast<std::uint32_t>(length_);
    std::vector<std::uint64_t> all((length_ + 63) / 64);
    for (std::size_t position = 0; position < length_; ++position)
      all[position / 64] |= std::uint64_t{1} << (position % 64);
    target_.clear();
    for (std::size_t i = 0; i < goals_.size(); ++i) target_.push_back(forest::tail_symbol(i));
    forest::NewEdge edge;
    edge.head = builder_.add_node({0, length, length, 0}, all);
    edge.tails = goals_;
    edge.target = target_;
    edge.span = {0, length};
    builder_.add_edge(edge);
    return builder_.finish(edge.head);
  }
  [[nodiscard]] const std::shared_ptr<Vocabulary>& words() const noexcept { return words_; }

 private:
  template <typename Covers>
  [[nodiscard]] std::vector<std::uint64_t> bits(const Covers& covers) const {
    std::vector<std::uint64_t> bits((length_ + 63) / 64);
    for (std::uint32_t position = 0; position < view_->length(); ++position)
      if (covers(position)) bits[(offset_ + position) / 64] |= std::uint64_t{1} << ((offset_ + position) % 64);
    return bits;
  }

  forest::NodeId node_of(NodeId id) {
    if (const auto found = ids_.find(id); found != ids_.end()) return found->second;
    forest::NodeLabel label = view_->label(id);
    label.start += offset_;
    label.end += offset_;
    const forest::NodeId made =
        builder_.add_node(label, bits([&](std::uint32_t position) { return view_->covers(id, position); }));
    ids_.emplace(id, made);
    if (view_->is_start(id)) {
      forest::NewEdge empty;
      empty.head = made;
      builder_.add_edge(empty);
    } else {
      open_.push_back(id);
    }
    return made;
  }

  void add_step(forest::NodeId head, NodeId id) {
    const auto& node = view_->node(id);
    values_.clear();
    view_->place_values(id, values_);
    const forest::NodeId tail = node_of(node.previous);
    const forest::SourceSpan span = view_->span(id);
    forest::NewEdge edge;
    edge.head = head;
    edge.tails = {&tail, 1};
    edge.rule = view_->rule(id);
    edge.span = {offset_ + span.start, offset_ + span.end};
    edge.score = node.score - view_->node(node.previous).score;
    view_->links(id, links_);
    for (forest::Link& link : links_) ++link.target;  // symbol 0 is the tail
    add_edge(edge, view_->target(id), option_values(id));
  }

  void add_final(forest::NodeId goal, NodeId complete) {
    const auto& node = view_->node(complete);
    values_.clear();
    view_->final_values(complete, values_);
    const forest::NodeId tail = node_of(complete);
    forest::NewEdge edge;
    edge.head = goal;
    edge.tails = {&tail, 1};
    edge.score = node.priority - node.score;
    links_.clear();
    add_edge(edge, {}, {});
  }

  [[nodiscard]] const FeatureVector& option_values(NodeId id) {
    FeatureVector& known = option_values_[view_->option(id)];
    if (known.empty()) {
      view_->option_values(id, known);
      sort_by_feature(known);
    }
    return known;
  }

  // An edge that fires `values_` and those of an option, which are in order already, with `links_`.
  void add_edge(forest::NewEdge edge, std::span<const WordId> target,
                std::span<const FeatureVector::value_type> option_values) {
    target_.assign(1, forest::tail_symbol(0));
    for (const WordId word : target) target_.push_back(words_->intern(view_->spell(word)));
    sort_by_feature(values_);
    features_.clear();
    numbers_.clear();
    const auto add = [&](const FeatureVector::value_type& fired) {
      if (!features_.empty() && features_.back() == fired.first) {
        numbers_.back() += fired.second;
      } else {
        features_.push_back(fired.first);
        numbers_.push_back(fired.second);
      }
    };
    auto fired = values_.begin();
    for (const auto& of_option : option_values) {
      for (; fired != values_.end() && fired->first < of_option.first; ++fired) add(*fired);
      add(of_option);
    }
    for (; fired != values_.end(); ++fired) add(*fired);
    edge.target = target_;
    edge.features = features_;
    edge.values = numbers_;
    edge.links = links_;
    builder_.add_edge(edge);
  }

  forest::ForestBuilder& builder_;
  std::size_t length_;
  std::shared_ptr<Vocabulary> words_;
  std::vector<forest::NodeId> goals_;  // of the pieces
  const View* view_ = nullptr;         // of the piece at hand
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
