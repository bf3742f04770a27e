#include "features/rule_templates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "features/feature_name.hpp"

namespace dragoman::features {

RuleText spell(const OptionView& option, const SentenceView& sentence, const grammar::RuleTable& table) {
  RuleText text;
  sentence.spell_source(option, text.source);
  for (const WordId word : option.target) text.target.push_back(sentence.spell_target(word));
  for (const WordId symbol : option.source) text.source_slots.push_back(grammar::is_nonterminal(symbol));
  for (const WordId symbol : option.target) text.target_slots.push_back(grammar::is_nonterminal(symbol));
  text.links = sentence.links(option);
  text.from_table = option.rule != kNoRule;
  if (text.from_table) text.count = static_cast<double>(table.joint_count(option.rule));
  return text;
}

RuleTemplates::RuleTemplates(std::shared_ptr<FeatureNames> names, std::shared_ptr<const grammar::RuleTable> table,
                             std::shared_ptr<const Domains> domains)
    : names_(std::move(names)), table_(std::move(table)), domains_(std::move(domains)) {
  for (std::size_t domain = 0; domain <= domains_->size(); ++domain)
    known_.push_back(std::make_unique<RuleEntries>(table_->rules()));
}

std::uint32_t RuleTemplates::add_scale(WordSet source_words) {
  scales_.push_back(std::move(source_words));
  return static_cast<std::uint32_t>(scales_.size() - 1);
}

template <typename Use>
void RuleTemplates::for_each_name(const RuleText& text, grammar::RuleId rule, std::uint32_t domain,
                                  const Use& use) const {
  std::string suffix = "@";
  if (domain != 0) append_token(suffix, domains_->name(domain));
  NamedValues values;
  for (const auto& made : templates_) {
    values.clear();
    made->fire(text, values);
    for (const NamedValues::Item& item : values.items()) {
      use(item.name, item.scale, item.value);
      if (domain != 0 && made->per_domain()) use(item.name + suffix, item.scale, item.value);
    }
  }
  if (!domain_prefix_.empty() && domains_->marks(domain, rule, *table_)) {
    use(domain_prefix_ + ":rule", kUnscaled, 1.0);
    use(domain_prefix_ + ":rule" + suffix, kUnscaled, 1.0);
  }
}

std::vector<RuleEntry> RuleTemplates::entries(const RuleText& text, grammar::RuleId rule, std::uint32_t domain) const {
  std::vector<RuleEntry> found;
  for_each_name(text, rule, domain, [&](const std::string& name, std::uint32_t scale, double value) {
    found.push_back({names_->intern(name), scale, value});
  });
  return found;
}

std::vector<float> RuleTemplates::scores(grammar::RuleId first, grammar::RuleId last,
                                         const std::unordered_map<std::string, double>& weights) const {
  std::vector<float> found;
  found.reserve(last - first);
  const std::uint32_t domain = domains_->usual();
  grammar::NodeId node = grammar::kNoNode;
  std::vector<WordId> source;
  RuleText text;
  text.from_table = true;
  for (grammar::RuleId rule = first; rule < last; ++rule) {
    if (node == grammar::kNoNode || rule >= table_->rules_of(node).last) {
      node = table_->node_of(rule);
      table_->source(node, source);
      text.source.clear();
      for (const WordId word : source) text.source.push_back(table_->source_words().word(word));
    }
    text.target.clear();
    for (const WordId word : table_->target(rule)) text.target.push_back(table_->target_words().word(word));
    text.links = table_->links(rule);
    text.count = static_cast<double>(table_->joint_count(rule));
    double score = 0;
    for_each_name(text, rule, domain, [&](const std::string& name, std::uint32_t scale, double value) {
      const auto weight = scale == kUnscaled ? weights.find(name) : weights.end();
      if (weight != weights.end()) score += weight->second * value;
    });
    found.push_back(static_cast<float>(score));
  }
  return found;
}

std::vector<double> RuleTemplates::shares(const SentenceView& sentence) const {
  std::vector<double> found;
  for (const WordSet& words : scales_) {
    double count = 0;
    for (const std::string_view word : sentence.words()) count += words.contains(std::string(word)) ? 1 : 0;
    found.push_back(count > 0 ? 1 / count : 0);
  }
  return found;
}

void RuleTemplatesFeature::sum(const SentenceView& sentence, const OptionView& option, std::span<double> sums) {
  const std::span<const double> weights = sentence.weights();
  std::fill(sums.begin(), sums.end(), 0);
  shared_->for_each(sentence, option, domain_, [&](const RuleEntry& entry) {
    if (entry.feature < weights.size())
      sums[entry.scale == kUnscaled ? 0 : entry.scale + 1] += weights[entry.feature] * entry.value;
  });
}

void RuleTemplatesFeature::begin(const SentenceView& sentence) {
  domain_ = shared_->domains().of(sentence);
  shares_ = shared_->shares(sentence);
}

double RuleTemplatesFeature::rank(const SentenceView& sentence, const OptionView& option) {
  const std::span<const double> weights = sentence.weights();
  double score = 0;
  shared_->for_each(sentence, option, domain_, [&](const RuleEntry& entry) {
    if (entry.scale == kUnscaled && entry.feature < weights.size()) score += weights[entry.feature] * entry.value;
  });
  return score;
}

void RuleTemplatesFeature::fire(const SentenceView& sentence, std::span<const OptionView> options,
                                std::span<Fire> fires) {
  constexpr double kUnknownSum = std::numeric_limits<double>::quiet_NaN();
  while (sums_.size() <= domain_) sums_.emplace_back(kUnknownSum, 1 + shared_->scales());
  PerRule<double>& known = sums_[domain_];
  known.begin(sentence);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::span<double> sums = known.row(options[i]);
    if (std::isnan(sums[0])) sum(sentence, options[i], sums);
    double total = sums[0];
    for (std::size_t scale = 0; scale < shares_.size(); ++scale) total += sums[scale + 1] * shares_[scale];
    fires[i].add_sum(total);
  }
}

void RuleTemplatesFeature::fire_values(const SentenceView& sentence, const OptionView& option, Fire& fire) {
  shared_->for_each(sentence, option, domain_, [&](const RuleEntry& entry) { fire(entry.feature, value(entry)); });
}

}  // namespace dragoman::features
