#pragma once
// What a chart decoder knows.
#include <functional>
#include <memory>
#include <vector>

#include "features/chart_feature.hpp"
#include "search/rule_model.hpp"

namespace dragoman::search {

// Features of how rules reorder, on request.
struct ReorderingFeatures {
  FeatureId distortion = kNoFeature, reordered = kNoFeature, width = kNoFeature, height = kNoFeature;
};

struct HieroModel : RuleModel {
  FeatureId glue = kNoFeature;
  std::vector<std::function<std::unique_ptr<features::ChartFeature>()>> chart_features;
  bool with_reordering = false;
  ReorderingFeatures reordering;
  WordId default_label = 0;                // of rules that say no left-hand side
  std::vector<std::uint32_t> label_ranks;  // a label that rules make of another comes after it
  std::uint32_t max_span = 0;              // of the rules in the table, as far as it says so

  [[nodiscard]] std::vector<FeatureId> own_features() const override {
    return {word_penalty,          rule_penalty,         unknown,          glue,
            reordering.distortion, reordering.reordered, reordering.width, reordering.height};
  }
  // Fills what follows from the table; throws InputError for rules that make a label of itself.
  void read_labels();
};

}  // namespace dragoman::search
