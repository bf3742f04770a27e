#include "search/feature_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "common/error.hpp"

namespace dragoman::search {
namespace {

constexpr std::size_t kMostWays = 4;  // into one node
constexpr double kTolerance = 1e-6;

}  // namespace

FeatureCheck::FeatureCheck(const PhraseModel& model) : model_(model) {
  for (const auto& make : model.state_features) witnesses_.push_back(make());
}

void FeatureCheck::check(const SearchView& view, bool exact) {
  for (const auto& witness : witnesses_) witness->begin(view.sentence(), view.sentence().views());
  for (std::uint32_t covered = 1; covered <= view.length(); ++covered)
    for (const NodeId kept : view.search().stack(covered))
      for (const NodeId way : ways(view, kept, exact)) check_step(view, way, exact);
  for (const NodeId goal : view.search().goal_nodes()) check_end(view, goal, exact);
}

std::vector<NodeId> FeatureCheck::ways(const SearchView& view, NodeId node, bool exact) const {
  std::vector<NodeId> found{node};
  if (!exact) return found;
  for (NodeId arc = view.search().node(node).arc; arc != kNone && found.size() < kMostWays;
       arc = view.search().node(arc).arc)
    found.push_back(arc);
  return found;
}

void FeatureCheck::check_step(const SearchView& view, NodeId node, bool exact) {
  const NodeId previous = view.search().node(node).previous;
  const Option& option = view.sentence().chart()[view.search().node(node).option];
  for (std::size_t feature = 0; feature < witnesses_.size(); ++feature) {
    FeatureVector searched;
    view.state_values(feature, previous, option, searched);
    for (const NodeId way : ways(view, previous, exact))
      require_equal(view, feature, searched, replayed(view, feature, way, &option), node);
  }
}

void FeatureCheck::check_end(const SearchView& view, NodeId node, bool exact) {
  for (std::size_t feature = 0; feature < witnesses_.size(); ++feature) {
    FeatureVector searched;
    view.state_end_values(feature, node, searched);
    for (const NodeId way : ways(view, node, exact))
      require_equal(view, feature, searched, replayed(view, feature, way, nullptr), node);
  }
}

const FeatureVector& FeatureCheck::replayed(const SearchView& view, std::size_t feature, NodeId last,
                                            const Option* next) {
  const Search& search = view.search();
  path_.clear();
  if (next != nullptr) path_.push_back(next->id);
  for (NodeId id = last; search.node(id).option != kNone; id = search.node(id).previous)
    path_.push_back(view.sentence().chart()[search.node(id).option].id);
  std::reverse(path_.begin(), path_.end());
  fired_.assign(path_.size() + 1, {});
  witnesses_[feature]->replay(view.sentence(), view.sentence().views(), path_, fired_);
  return fired_[next != nullptr ? path_.size() - 1 : path_.size()];
}

void FeatureCheck::require_equal(const SearchView& view, std::size_t feature, const FeatureVector& searched,
                                 const FeatureVector& scratch, NodeId node) const {
  std::map<FeatureId, double> difference;
  for (const auto& [id, value] : searched) difference[id] += value;
  for (const auto& [id, value] : scratch) difference[id] -= value;
  for (const auto& [id, value] : difference) {
    if (std::abs(value) <= kTolerance) continue;
    std::string target;
    for (const WordId word : view.sentence().target(view.sentence().chart()[view.search().node(node).option])) {
      if (!target.empty()) target.push_back(' ');
      target.append(view.sentence().spell_target(word));
    }
    throw InputError(
        "the state of the feature " + witnesses_[feature]->label() + " forgets something: '" + model_.names->name(id) +
            "' differs by " + std::to_string(value) + " at '" + target + "' when it is scored from scratch",
        "sentence " + std::to_string(view.sentence().number() + 1), "put all that the feature looks at into its state");
  }
}

}  // namespace dragoman::search
