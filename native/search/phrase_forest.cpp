#include "search/phrase_forest.hpp"

#include <algorithm>
#include <cstdlib>

namespace dragoman::search {
namespace {

// By feature; values of one feature stay in the order in which they fired. Few, which are mostly in order already, are
// put in place one by one.
void sort_by_feature(FeatureVector& values) {
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

}  // namespace

void SearchView::place_values(NodeId previous, const Option& option, FeatureVector& values) const {
  const Place& place = search_.place(search_.node(previous));
  extender_.extend_values(search_.states(previous), option, place.coverage, values);
  const int jump = features::jump_cost(distortion_, place.coverage, static_cast<int>(place.end), option.span,
                                       static_cast<int>(length()));
  if (jump != 0) values.emplace_back(model_.distortion, -jump);
}

void SearchView::final_values(NodeId node, FeatureVector& values) const {
  extender_.finish_values(search_.states(node), values);
  const int jump = static_cast<int>(length()) - static_cast<int>(search_.place(search_.node(node)).end);
  if (distortion_.final_jump && jump != 0) values.emplace_back(model_.distortion, -std::abs(jump));
}

void PhraseForestWriter::add_piece(const SearchView& view, std::uint32_t offset) {
  view_ = &view;
  offset_ = offset;
  ids_.clear();
  option_values_.assign(view.sentence().chart().all().size(), {});
  const std::uint32_t length = view.length();
  const forest::NodeId goal = builder_.add_node({offset, offset + length, length, 0}, bits({length, 0}));
  for (const NodeId complete : view.search().goal_nodes()) add_final(goal, complete);
  while (!open_.empty()) {
    const NodeId id = open_.back();
    open_.pop_back();
    const forest::NodeId head = ids_.at(id);
    for (NodeId arc = id; arc != kNone; arc = view.search().node(arc).arc) add_step(head, view.search().node(arc));
  }
  goals_.push_back(goal);
}

forest::Forest PhraseForestWriter::finish() {
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

std::vector<std::uint64_t> PhraseForestWriter::bits(const Coverage& coverage) const {
  std::vector<std::uint64_t> bits((length_ + 63) / 64);
  for (std::uint32_t position = 0; position < view_->length(); ++position)
    if (coverage.covers(position)) bits[(offset_ + position) / 64] |= std::uint64_t{1} << ((offset_ + position) % 64);
  return bits;
}

forest::NodeId PhraseForestWriter::node_of(NodeId id) {
  if (const auto found = ids_.find(id); found != ids_.end()) return found->second;
  const Node& node = view_->search().node(id);
  const Coverage& coverage = view_->search().place(node).coverage;
  forest::NodeLabel label{offset_, offset_, coverage.count(), 0};
  if (node.option != kNone) {
    const Span span = view_->sentence().chart()[node.option].span;
    label.start = offset_ + span.start;
    label.end = offset_ + span.end;
  }
  const forest::NodeId made = builder_.add_node(label, bits(coverage));
  ids_.emplace(id, made);
  if (node.option == kNone) {
    forest::NewEdge empty;
    empty.head = made;
    builder_.add_edge(empty);
  } else {
    open_.push_back(id);
  }
  return made;
}

void PhraseForestWriter::add_step(forest::NodeId head, const Node& node) {
  const Node& previous = view_->search().node(node.previous);
  const Option& option = view_->sentence().chart()[node.option];
  values_.clear();
  view_->place_values(node.previous, option, values_);
  const forest::NodeId tail = node_of(node.previous);
  forest::NewEdge edge;
  edge.head = head;
  edge.tails = {&tail, 1};
  edge.rule = option.rule;
  edge.span = {offset_ + option.span.start, offset_ + option.span.end};
  edge.score = node.score - previous.score;
  add_edge(edge, view_->sentence().target(option), view_->sentence().links(option), option_values(option));
}

void PhraseForestWriter::add_final(forest::NodeId goal, NodeId complete) {
  const Node& node = view_->search().node(complete);
  values_.clear();
  view_->final_values(complete, values_);
  const forest::NodeId tail = node_of(complete);
  forest::NewEdge edge;
  edge.head = goal;
  edge.tails = {&tail, 1};
  edge.score = node.priority - node.score;
  add_edge(edge, {}, {}, {});
}

const FeatureVector& PhraseForestWriter::option_values(const Option& option) {
  FeatureVector& known = option_values_[option.id];
  if (known.empty()) {
    view_->sentence().option_values(option, known);
    sort_by_feature(known);
  }
  return known;
}

void PhraseForestWriter::add_edge(forest::NewEdge edge, std::span<const WordId> target,
                                  std::span<const grammar::Link> links,
                                  std::span<const FeatureVector::value_type> option_values) {
  target_.assign(1, forest::tail_symbol(0));
  for (const WordId word : target) target_.push_back(words_->intern(view_->sentence().spell_target(word)));
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
  links_.clear();
  for (const grammar::Link link : links)
    links_.push_back({link.source, static_cast<std::uint16_t>(link.target + 1)});  // symbol 0 is the tail
  edge.target = target_;
  edge.features = features_;
  edge.values = numbers_;
  edge.links = links_;
  builder_.add_edge(edge);
}

}  // namespace dragoman::search
