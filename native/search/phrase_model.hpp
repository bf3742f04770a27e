#pragma once
// What a phrase-based decoder knows: tables, language models, features, shared by all threads.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/feature.hpp"
#include "features/language_model.hpp"
#include "features/names.hpp"
#include "features/orientation.hpp"
#include "grammar/layered.hpp"
#include "search/isolated_scores.hpp"

namespace dragoman::search {

using features::FeatureId;

// A feature that some column of a table feeds; kNoFeature where a column feeds none.
inline constexpr FeatureId kNoFeature = ~FeatureId{0};

struct PhraseModel {
  std::shared_ptr<features::FeatureNames> names;
  std::shared_ptr<grammar::LayeredTable> table;    // read through its view of the moment
  std::vector<FeatureId> column_features;          // per column of the table
  std::vector<std::uint32_t> orientation_columns;  // columns of the reordering row, in order
  std::vector<std::shared_ptr<const features::LanguageModelUse>> language_models;
  std::shared_ptr<IsolatedScores> isolated;  // of the rules of the table under these
  std::optional<features::OrientationSettings> orientation;
  FeatureId word_penalty = kNoFeature, phrase_penalty = kNoFeature, unknown = kNoFeature, distortion = kNoFeature;
  std::vector<std::function<std::unique_ptr<features::RuleFeature>()>> rule_features;
  std::vector<std::function<std::unique_ptr<features::StateFeature>()>> state_features;
};

// An option that is not in the table: a user's term, a repaired unknown word, a placeholder.
struct ExtraOption {
  std::uint32_t start, end;
  std::string target;  // tokens separated by blanks
  std::vector<std::pair<FeatureId, double>> values;
  bool exclusive = false;  // the span may be translated in no other way, whole or in part
};

// A sentence to translate.
struct Request {
  std::string_view line;
  std::vector<ExtraOption> extra;
  features::SentenceMarks marks;
};

}  // namespace dragoman::search
