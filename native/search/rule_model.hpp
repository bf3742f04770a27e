#pragma once
// What decoders know whose options are rules of a table, and what they are asked to translate.
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "features/feature.hpp"
#include "features/language_model.hpp"
#include "features/names.hpp"
#include "features/orientation.hpp"
#include "grammar/layered.hpp"
#include "search/constraints.hpp"
#include "search/isolated_scores.hpp"
#include "search/lattice.hpp"

namespace dragoman::search {

using features::FeatureId;

// A feature that some column of a table feeds; kNoFeature where a column feeds none.
inline constexpr FeatureId kNoFeature = ~FeatureId{0};

// Tables, language models, features: shared by all threads.
struct RuleModel {
  std::shared_ptr<features::FeatureNames> names;
  std::shared_ptr<grammar::LayeredTable> table;    // read through its view of the moment
  std::vector<FeatureId> column_features;          // per column of the table
  std::vector<std::uint32_t> orientation_columns;  // columns of the reordering row, in order
  std::vector<std::shared_ptr<const features::LanguageModelUse>> language_models;
  std::shared_ptr<IsolatedScores> isolated;  // of the rules of the table under these
  std::shared_ptr<const RuleModel>
      ranked_like;  // without language models: whose say which rules are tried all the same
  std::optional<features::OrientationSettings> orientation;
  FeatureId word_penalty = kNoFeature, rule_penalty = kNoFeature, unknown = kNoFeature;
  std::vector<std::function<std::unique_ptr<features::RuleFeature>()>> rule_features;
  std::vector<std::function<std::unique_ptr<features::StateFeature>()>> state_features;

  virtual ~RuleModel() = default;
  // The model whose language models say which rules are tried.
  [[nodiscard]] const RuleModel& ranking() const noexcept { return ranked_like != nullptr ? *ranked_like : *this; }
  // Dense features that search fires itself, besides columns, language models and orientations.
  [[nodiscard]] virtual std::vector<FeatureId> own_features() const { return {word_penalty, rule_penalty, unknown}; }
};

// Throws SettingError for weights that are not numbers.
inline void require_finite(const RuleModel& model, std::span<const double> weights) {
  for (std::size_t id = 0; id < weights.size(); ++id)
    if (!std::isfinite(weights[id]))
      throw SettingError("the weight of '" + model.names->name(static_cast<FeatureId>(id)) + "' is not finite");
}

// How an option of a user stands to the rules of the table: it is one more; only those compete that have all its words
// and its translation inside; none may touch its words, whole or in part.
enum class OptionPolicy : std::uint8_t { kInclusive, kConstraint, kExclusive };

// An option that is not in the table: a user's term, a repaired unknown word, a placeholder.
struct ExtraOption {
  std::uint32_t start, end;
  std::string target;  // tokens separated by blanks
  std::vector<std::pair<FeatureId, double>> values;
  OptionPolicy policy = OptionPolicy::kInclusive;
};

// A sentence to translate.
struct Request {
  std::string_view line;
  std::vector<ExtraOption> extra;
  features::SentenceMarks marks;
  Constraints constraints;
  Lattice lattice;  // if it has arcs, it is translated, and the line names its positions
};

}  // namespace dragoman::search
