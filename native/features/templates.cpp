#include "features/templates.hpp"

#include "features/chart_target_context.hpp"

namespace dragoman::features {

Templates::Templates(std::shared_ptr<FeatureNames> names, std::shared_ptr<const grammar::RuleTable> table,
                     std::vector<std::string> domains, std::string default_domain)
    : names_(std::move(names)), table_(std::move(table)) {
  auto declared = std::make_shared<const Domains>(std::move(domains), std::move(default_domain), *table_);
  rules_ = std::make_shared<RuleTemplates>(names_, table_, declared);
  previous_ = std::make_shared<PreviousRuleTemplates>();
  previous_->names = names_;
  previous_->table = table_;
  previous_->domains = std::move(declared);
}

std::vector<std::function<std::unique_ptr<RuleFeature>()>> Templates::rule_features() const {
  std::vector<std::function<std::unique_ptr<RuleFeature>()>> made;
  if (!rules_->empty()) made.emplace_back([shared = rules_] { return std::make_unique<RuleTemplatesFeature>(shared); });
  for (const auto& settings : deletions_)
    made.emplace_back([settings, names = names_] { return std::make_unique<DeletionFeature>(settings, names); });
  for (const auto& settings : syntax_)
    made.emplace_back([settings] { return std::make_unique<SoftSyntaxFeature>(settings); });
  for (const auto& settings : structure_)
    made.emplace_back([settings] { return std::make_unique<StructuralDistortionFeature>(settings); });
  return made;
}

std::vector<std::function<std::unique_ptr<StateFeature>()>> Templates::state_features() const {
  std::vector<std::function<std::unique_ptr<StateFeature>()>> made;
  if (!previous_->settings.empty())
    made.emplace_back([shared = previous_] { return std::make_unique<PreviousRuleFeature>(shared); });
  if (!ngrams_.empty()) {
    auto shared = std::make_shared<TargetContextTemplates>(ngrams_, names_, table_->target_words());
    made.emplace_back([shared] { return std::make_unique<TargetContextFeature>(shared); });
  }
  return made;
}

std::vector<std::function<std::unique_ptr<ChartFeature>()>> Templates::chart_features() const {
  std::vector<std::function<std::unique_ptr<ChartFeature>()>> made;
  if (ngrams_.empty()) return made;
  auto shared = std::make_shared<TargetContextTemplates>(ngrams_, names_, table_->target_words());
  made.emplace_back([shared] { return std::make_unique<ChartTargetContextFeature>(shared); });
  return made;
}

}  // namespace dragoman::features
