#pragma once
// What a phrase-based decoder knows.
#include "search/rule_model.hpp"

namespace dragoman::search {

struct PhraseModel : RuleModel {
  FeatureId distortion = kNoFeature;
};

}  // namespace dragoman::search
