#pragma once
// What a decoder of phrases with gaps knows: tables, language models and features.
#include "search/rule_model.hpp"

namespace dragoman::search {

struct GappyModel : RuleModel {
  FeatureId distortion = kNoFeature;
  // Phrases with gaps on a side, and the words in these gaps, negated.
  FeatureId source_gaps = kNoFeature, source_gap_words = kNoFeature, target_gaps = kNoFeature,
            target_gap_words = kNoFeature;

  [[nodiscard]] std::vector<FeatureId> own_features() const override {
    return {word_penalty, rule_penalty,     unknown,     distortion,
            source_gaps,  source_gap_words, target_gaps, target_gap_words};
  }
};

}  // namespace dragoman::search
