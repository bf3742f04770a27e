#include "forest/combine.hpp"

#include <algorithm>
#include <string>

namespace dragoman::forest {
namespace {

// New ids of old ids, interned as they come.
class Renaming {
 public:
  Renaming(VocabularyView from, Vocabulary& into) : from_(from), into_(into), ids_(from.size(), kMissing) {}
  std::uint32_t operator()(std::uint32_t id, const char* what) {
    if (id >= ids_.size())
      throw InputError(std::string("the forest has ") + what + " that its vocabulary lacks", what + std::to_string(id));
    if (ids_[id] == kMissing) ids_[id] = into_.intern(from_.word(id));
    return ids_[id];
  }

 private:
  static constexpr std::uint32_t kMissing = 0xffffffffu;
  VocabularyView from_;
  Vocabulary& into_;
  std::vector<std::uint32_t> ids_;
};

}  // namespace

Forest unite(std::span<const Forest* const> forests) {
  ForestBuilder builder;
  std::size_t coverage_words = 0;
  for (const Forest* forest : forests)
    if (!forest->empty()) coverage_words = std::max<std::size_t>(coverage_words, forest->structure().coverage_words);
  std::vector<std::uint64_t> coverage;
  const auto add_node = [&](const Forest& forest, NodeId node) {
    const auto words = forest.coverage(node);
    coverage.assign(words.begin(), words.end());
    coverage.resize(coverage_words);
    return builder.add_node(forest.label(node), coverage);
  };
  std::vector<NodeId> tails;
  NodeId goal = 0;
  std::vector<NodeId> firsts;
  for (const Forest* forest : forests) {
    firsts.push_back(static_cast<NodeId>(builder.nodes()));
    for (NodeId node = 0; node + 1 < forest->nodes(); ++node) add_node(*forest, node);
  }
  const auto first =
      std::find_if(forests.begin(), forests.end(), [](const Forest* forest) { return !forest->empty(); });
  if (first == forests.end()) return {};
  goal = add_node(**first, (*first)->goal());
  for (std::size_t i = 0; i < forests.size(); ++i) {
    const Forest& forest = *forests[i];
    for (EdgeId edge = 0; edge < forest.edges(); ++edge) {
      NewEdge copy = forest.edge(edge);
      copy.head = copy.head == forest.goal() ? goal : copy.head + firsts[i];
      tails.clear();
      for (const NodeId tail : copy.tails) tails.push_back(tail + firsts[i]);
      copy.tails = tails;
      builder.add_edge(copy);
    }
  }
  return builder.finish(goal);
}

Forest renamed(const Forest& forest, VocabularyView words, Vocabulary& into_words, VocabularyView features,
               Vocabulary& into_features) {
  if (forest.empty()) return forest;
  auto copy = std::make_shared<Structure>(forest.structure());
  Renaming word(words, into_words), feature(features, into_features);
  Rows<WordId> targets;
  Rows<FeatureId> ids;
  targets.reserve(forest.edges(), copy->targets.values().size());
  ids.reserve(forest.edges(), copy->features.values().size());
  std::vector<WordId> row;
  for (EdgeId edge = 0; edge < forest.edges(); ++edge) {
    row.clear();
    for (const WordId symbol : forest.target(edge)) row.push_back(is_tail(symbol) ? symbol : word(symbol, "word "));
    targets.push_back(row);
    row.clear();
    for (const FeatureId id : forest.features(edge)) row.push_back(feature(id, "feature "));
    ids.push_back(row);
  }
  copy->targets = std::move(targets);
  copy->features = std::move(ids);
  return {std::move(copy), {forest.scores().begin(), forest.scores().end()}};
}

}  // namespace dragoman::forest
