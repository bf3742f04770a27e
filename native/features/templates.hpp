#pragma once
// The sparse templates that are on, gathered one by one and then handed to a model as few features: rules, deletions,
// the rule before, the target words before. However many templates share a feature, search asks it once.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "features/chart_feature.hpp"
#include "features/deletion.hpp"
#include "features/feature.hpp"
#include "features/lexical.hpp"
#include "features/measures.hpp"
#include "features/names.hpp"
#include "features/previous_rule.hpp"
#include "features/rule_templates.hpp"
#include "features/soft_syntax.hpp"
#include "features/structural_distortion.hpp"
#include "features/target_context.hpp"

namespace dragoman::features {

class Templates {
 public:
  Templates(std::shared_ptr<FeatureNames> names, std::shared_ptr<const grammar::RuleTable> table,
            std::vector<std::string> domains, std::string default_domain);

  [[nodiscard]] RuleTemplates& rules() noexcept { return *rules_; }
  [[nodiscard]] PreviousRuleSettings& previous() noexcept { return previous_->settings; }
  void add(DeletionSettings settings) {
    deletions_.push_back(std::make_shared<const DeletionSettings>(std::move(settings)));
  }
  void add(std::vector<SyntaxTerm> terms, bool with_glue) {
    syntax_.push_back(std::make_shared<const SoftSyntax>(std::move(terms), with_glue, *names_));
  }
  // Features of gaps by name: of those that stay in order and of those that are reordered, by size.
  void add(const StructuralDistortion& settings) {
    structure_.push_back(std::make_shared<const StructuralDistortion>(settings));
  }
  [[nodiscard]] FeatureNames& names() noexcept { return *names_; }
  void add(TargetNgrams ngrams) { ngrams_.push_back(std::move(ngrams)); }

  // How a thread makes its own of what is on. Call them once all templates are added.
  [[nodiscard]] std::vector<std::function<std::unique_ptr<RuleFeature>()>> rule_features() const;
  [[nodiscard]] std::vector<std::function<std::unique_ptr<StateFeature>()>> state_features() const;
  // Those that look at target words, for decoders that build a translation from its parts.
  [[nodiscard]] std::vector<std::function<std::unique_ptr<ChartFeature>()>> chart_features() const;

 private:
  std::shared_ptr<FeatureNames> names_;
  std::shared_ptr<const grammar::RuleTable> table_;
  std::shared_ptr<RuleTemplates> rules_;
  std::shared_ptr<PreviousRuleTemplates> previous_;
  std::vector<std::shared_ptr<const DeletionSettings>> deletions_;
  std::vector<std::shared_ptr<const SoftSyntax>> syntax_;
  std::vector<std::shared_ptr<const StructuralDistortion>> structure_;
  std::vector<TargetNgrams> ngrams_;
};

}  // namespace dragoman::features
