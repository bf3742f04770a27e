#pragma once
// What a left-to-right decoder knows.
#include "search/rule_model.hpp"

namespace dragoman::search {

struct LeftToRightModel : RuleModel {
  FeatureId glue = kNoFeature, boundary = kNoFeature;
  // Distortion is counted apart for rules of the table and for glue.
  FeatureId rule_distortion = kNoFeature, glue_distortion = kNoFeature, reordered = kNoFeature, height = kNoFeature,
            width = kNoFeature;

  [[nodiscard]] std::vector<FeatureId> own_features() const override {
    return {word_penalty,    rule_penalty,    unknown,   glue,   boundary,
            rule_distortion, glue_distortion, reordered, height, width};
  }
};

}  // namespace dragoman::search
