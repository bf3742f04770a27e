#pragma once
// What a phrase-based decoder knows.
#include "search/rule_model.hpp"

namespace dragoman::search {

struct PhraseModel : RuleModel {
  FeatureId distortion = kNoFeature;

  [[nodiscard]] std::vector<FeatureId> own_features() const override {
    return {word_penalty, rule_penalty, unknown, distortion};
  }
};

}  // namespace dragoman::search
