#include "search/tree_forest.hpp"

#include "search/search_forest.hpp"

namespace dragoman::search {

forest::NodeId TreeForestWriter::add_goal(std::uint32_t start, std::uint32_t length) {
  goals_.push_back(builder_.add_node({start, start + length, length, 0}));
  if (length == 0) {
    forest::NewEdge empty;
    empty.head = goals_.back();
    builder_.add_edge(empty);
  }
  return goals_.back();
}

forest::Forest TreeForestWriter::finish() {
  if (goals_.size() == 1) return builder_.finish(goals_[0]);
  const auto length = static_cast<std::uint32_t>(length_);
  target_.clear();
  for (std::size_t i = 0; i < goals_.size(); ++i) target_.push_back(forest::tail_symbol(i));
  forest::NewEdge edge;
  edge.head = builder_.add_node({0, length, length, 0});
  edge.tails = goals_;
  edge.target = target_;
  edge.span = {0, length};
  builder_.add_edge(edge);
  return builder_.finish(edge.head);
}

void TreeForestWriter::add_edge(forest::NewEdge edge) {
  sort_by_feature(values_);
  features_.clear();
  numbers_.clear();
  for (const auto& [feature, value] : values_) {
    if (!features_.empty() && features_.back() == feature) {
      numbers_.back() += value;
    } else {
      features_.push_back(feature);
      numbers_.push_back(value);
    }
  }
  edge.tails = tails_;
  edge.target = target_;
  edge.features = features_;
  edge.values = numbers_;
  edge.links = links_;
  builder_.add_edge(edge);
}

}  // namespace dragoman::search
