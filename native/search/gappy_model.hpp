#pragma once
// What a decoder of phrases with gaps knows: tables, language models and features.
#include <array>
#include <cstdint>
#include <vector>

#include "grammar/gappy.hpp"
#include "search/rule_model.hpp"

namespace dragoman::search {

struct GappyModel : RuleModel {
  FeatureId distortion = kNoFeature;
  // Phrases with gaps on a side, and the words in these gaps, negated.
  FeatureId source_gaps = kNoFeature, source_gap_words = kNoFeature, target_gaps = kNoFeature,
            target_gap_words = kNoFeature;
  // How probable the sizes of gaps are: columns of the table by size, and the features that they are summed up in;
  // empty if the table has none.
  std::vector<std::uint32_t> source_size_columns, target_size_columns;
  FeatureId source_sizes = kNoFeature, target_sizes = kNoFeature;
  // Phrases with two, three, four gaps or more in the source.
  std::array<FeatureId, 3> many_source_gaps = {kNoFeature, kNoFeature, kNoFeature};
  // How phrases lie to each other, see GappyOrder; crossings negated.
  FeatureId source_crossings = kNoFeature, target_crossings = kNoFeature, contained = kNoFeature;

  [[nodiscard]] std::vector<FeatureId> own_features() const override {
    return {
        word_penalty,        rule_penalty,     unknown,          distortion,   source_gaps,         source_gap_words,
        target_gaps,         target_gap_words, source_sizes,     target_sizes, many_source_gaps[0], many_source_gaps[1],
        many_source_gaps[2], source_crossings, target_crossings, contained};
  }
};

}  // namespace dragoman::search
