#pragma once
// What one thread needs for the sentences of a model, whatever the search: its own copies of features, and memory.
#include <memory>
#include <span>
#include <vector>

#include "forest/forest.hpp"
#include "search/extender.hpp"
#include "search/rule_model.hpp"

namespace dragoman::search {

struct Workspace {
  Workspace(const RuleModel& model, std::span<const double> weights) {
    for (const auto& use : model.language_models) extender.language_models.emplace_back(use);
    extender.orientation_columns = model.orientation_columns;
    if (model.orientation)
      extender.orientation = std::make_unique<features::OrientationFeature>(*model.orientation, weights);
    extender.orientation_columns = model.orientation_columns;
    for (const auto& make : model.state_features) extender.others.push_back(make());
    for (const auto& make : model.rule_features) rule_features.push_back(make());
  }
  [[nodiscard]] features::LanguageModelCost cost() const {
    features::LanguageModelCost sum;
    for (const auto& model : extender.language_models) sum += model.cost();
    return sum;
  }

  Extender extender;
  std::vector<std::unique_ptr<features::RuleFeature>> rule_features;
  forest::ForestBuilder builder;
};

}  // namespace dragoman::search
