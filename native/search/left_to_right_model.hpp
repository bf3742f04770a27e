#pragma once
// What a left-to-right decoder knows.
#include "search/rule_model.hpp"

namespace dragoman::search {

struct LeftToRightModel : RuleModel {
  FeatureId glue = kNoFeature, boundary = kNoFeature;
  // Distortion is counted apart for rules of the table and for glue.
  FeatureId rule_distortion = kNoFeature, glue_distortion = kNoFeature, reordered = kNoFeature, height = kNoFeature,
            width = kNoFeature;
};

}  // namespace dragoman::search
