#include "features/rule_templates.hpp"

#include "features/feature_name.hpp"

namespace dragoman::features {

RuleText spell(const OptionView& option, const SentenceView& sentence, const grammar::RuleTable& table) {
  RuleText text;
  const auto words = sentence.words().subspan(option.span.start, option.span.end - option.span.start);
  text.source.assign(words.begin(), words.end());
  for (const WordId word : option.target) text.target.push_back(sentence.spell_target(word));
  text.links = option.links;
  text.from_table = option.rule != kNoRule;
  if (text.from_table) text.count = static_cast<double>(table.joint_count(option.rule));
  return text;
}

std::uint32_t RuleTemplates::add_scale(WordSet source_words) {
  scales_.push_back(std::move(source_words));
  return static_cast<std::uint32_t>(scales_.size() - 1);
}

std::vector<RuleTemplates::Entry> RuleTemplates::entries(const SentenceView& sentence, const OptionView& option,
                                                         std::uint32_t domain) const {
  const RuleText text = spell(option, sentence, *table_);
  std::string suffix = "@";
  if (domain != 0) append_token(suffix, domains_->name(domain));
  std::vector<Entry> found;
  NamedValues values;
  for (const auto& made : templates_) {
    values.clear();
    made->fire(text, values);
    for (const NamedValues::Item& item : values.items()) {
      found.push_back({names_->intern(item.name), item.scale, item.value});
      if (domain != 0 && made->per_domain())
        found.push_back({names_->intern(item.name + suffix), item.scale, item.value});
    }
  }
  if (!domain_prefix_.empty() && domains_->marks(domain, option.rule, *table_)) {
    found.push_back({names_->intern(domain_prefix_ + ":rule"), kUnscaled, 1});
    found.push_back({names_->intern(domain_prefix_ + ":rule" + suffix), kUnscaled, 1});
  }
  return found;
}

void RuleTemplates::fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) {
  std::vector<double> shares;  // one over the words of each set; 0: there are none, nothing fires
  for (const WordSet& words : scales_) {
    double count = 0;
    for (const std::string_view word : sentence.words()) count += words.contains(std::string(word)) ? 1 : 0;
    shares.push_back(count > 0 ? 1 / count : 0);
  }
  const std::uint32_t domain = domains_->of(sentence);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto use = [&](const std::vector<Entry>& found) {
      for (const Entry& entry : found)
        fires[i](entry.feature, entry.scale == kUnscaled ? entry.value : entry.value * shares[entry.scale]);
    };
    const auto make = [&] { return entries(sentence, options[i], domain); };
    if (options[i].rule == kNoRule)
      use(make());
    else
      known_.get(std::uint64_t{domain} << 32 | options[i].rule, make, use);
  }
}

}  // namespace dragoman::features
