#include "search/hiero_forest.hpp"

namespace dragoman::search {

void HieroForestWriter::add_piece(const ChartView& view, std::uint32_t offset) {
  view_ = &view;
  offset_ = offset;
  ids_.clear();
  const auto length = static_cast<std::uint32_t>(view.sentence().words().size());
  const forest::NodeId goal = add_goal(offset, length);
  if (length == 0) return;
  for (const NodeId complete : view.search().goal_nodes()) {
    const ChartNode& node = view.search().node(complete);
    tails_.assign(1, node_of(complete));
    target_.assign(1, forest::tail_symbol(0));
    links_.clear();
    values_.clear();
    view.final_values(complete, values_);
    forest::NewEdge edge;
    edge.head = goal;
    edge.score = node.priority - node.score;
    add_edge(edge);
  }
  while (!open_.empty()) {
    const NodeId id = open_.back();
    open_.pop_back();
    const forest::NodeId head = ids_.at(id);
    for (NodeId arc = id; arc != kNone; arc = view.search().node(arc).arc) add_step(head, arc);
  }
}

forest::NodeId HieroForestWriter::node_of(NodeId id) {
  if (const auto found = ids_.find(id); found != ids_.end()) return found->second;
  const ChartCell& cell = view_->sentence().chart()[view_->search().node(id).cell];
  const forest::NodeId made =
      builder_.add_node({offset_ + cell.start, offset_ + cell.end, cell.end - cell.start, cell.label});
  ids_.emplace(id, made);
  open_.push_back(id);
  return made;
}

void HieroForestWriter::add_step(forest::NodeId head, NodeId id) {
  const ChartNode& node = view_->search().node(id);
  const Option& option = view_->sentence().options()[node.option];
  tails_.clear();
  for (const NodeId tail : view_->search().tails(node)) tails_.push_back(node_of(tail));
  target_.clear();
  for (const WordId symbol : view_->sentence().target(option))
    target_.push_back(grammar::is_nonterminal(symbol) ? forest::tail_symbol(grammar::index_of(symbol))
                                                      : words_->intern(view_->sentence().spell_target(symbol)));
  view_->sentence().option_links(node.option, links_);
  values_.clear();
  view_->step_values(id, values_);
  forest::NewEdge edge;
  edge.head = head;
  edge.rule = option.rule;
  edge.span = {offset_ + option.span.start, offset_ + option.span.end};
  edge.score = view_->step_score(id);
  add_edge(edge);
}

}  // namespace dragoman::search
