#pragma once
// All templates that look at rules only, as one feature: what they fire for a rule is spelt once, and is then a short
// list of ids and values shared by all threads and decoders of the model.
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "features/domains.hpp"
#include "features/feature.hpp"
#include "features/measures.hpp"
#include "features/names.hpp"
#include "features/per_rule.hpp"
#include "features/rule_entries.hpp"
#include "features/rule_template.hpp"
#include "grammar/table.hpp"

namespace dragoman::features {

// The rule of an option in letters.
[[nodiscard]] RuleText spell(const OptionView& option, const SentenceView& sentence, const grammar::RuleTable& table);

class RuleTemplates {
 public:
  RuleTemplates(std::shared_ptr<FeatureNames> names, std::shared_ptr<const grammar::RuleTable> table,
                std::shared_ptr<const Domains> domains);

  void add(std::unique_ptr<RuleTemplate> made) { templates_.push_back(std::move(made)); }
  // A number of the sentence by which values of ratios are divided: its source words of this set.
  std::uint32_t add_scale(WordSet source_words);
  // Fires for rules that the table marks for the domain of the sentence.
  void set_domain_prefix(std::string prefix) { domain_prefix_ = std::move(prefix); }
  [[nodiscard]] bool empty() const noexcept { return templates_.empty() && domain_prefix_.empty(); }

  // Calls use(entry) for all that fires for a rule in a domain (0: none are declared).
  template <typename Use>
  void for_each(const SentenceView& sentence, const OptionView& option, std::uint32_t domain, const Use& use) {
    const auto use_all = [&](std::span<const RuleEntry> found) {
      for (const RuleEntry& entry : found) use(entry);
    };
    const auto make = [&] { return entries(spell(option, sentence, *table_), option.rule, domain); };
    if (option.rule == kNoRule)
      use_all(make());
    else
      known_[domain]->get(option.rule, lists_, make, use_all);
  }
  // For the rules [first, last) of the table the weighted sum of all that fires whatever the sentence, in the default
  // domain. Weights go by name: of most rules no sentence will ever ask, and names of what they fire need no number.
  [[nodiscard]] std::vector<float> scores(grammar::RuleId first, grammar::RuleId last,
                                          const std::unordered_map<std::string, double>& weights) const;
  // Per number of the sentence what values are multiplied by; 0: nothing is to be counted, nothing fires.
  [[nodiscard]] std::vector<double> shares(const SentenceView& sentence) const;
  [[nodiscard]] std::size_t scales() const noexcept { return scales_.size(); }
  [[nodiscard]] const Domains& domains() const noexcept { return *domains_; }

 private:
  // Calls use(name, scale, value) for all that fires.
  template <typename Use>
  void for_each_name(const RuleText& text, grammar::RuleId rule, std::uint32_t domain, const Use& use) const;
  [[nodiscard]] std::vector<RuleEntry> entries(const RuleText& text, grammar::RuleId rule, std::uint32_t domain) const;

  std::shared_ptr<FeatureNames> names_;
  std::shared_ptr<const grammar::RuleTable> table_;
  std::shared_ptr<const Domains> domains_;
  std::vector<std::unique_ptr<RuleTemplate>> templates_;
  std::vector<WordSet> scales_;
  std::string domain_prefix_;
  RuleEntryLists lists_;
  std::vector<std::unique_ptr<RuleEntries>> known_;  // by domain
};

// One thread's door to the shared templates. Of every rule it knows the weighted sum: of what fires as it is, and per
// number of the sentence of what is divided by it.
class RuleTemplatesFeature final : public RuleFeature {
 public:
  explicit RuleTemplatesFeature(std::shared_ptr<RuleTemplates> shared) : shared_(std::move(shared)) {}
  void begin(const SentenceView& sentence) override;
  [[nodiscard]] std::uint32_t ranking_domain() const override { return domain_; }
  [[nodiscard]] double rank(const SentenceView& sentence, const OptionView& option) override;
  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override;
  [[nodiscard]] bool defers_values() const override { return true; }
  void fire_values(const SentenceView& sentence, const OptionView& option, Fire& fire) override;

 private:
  [[nodiscard]] double value(const RuleEntry& entry) const {
    return entry.scale == kUnscaled ? entry.value : entry.value * shares_[entry.scale];
  }
  void sum(const SentenceView& sentence, const OptionView& option, std::span<double> sums);

  std::shared_ptr<RuleTemplates> shared_;
  std::uint32_t domain_ = 0;           // of the sentence at hand
  std::vector<double> shares_;         // of the sentence at hand
  std::vector<PerRule<double>> sums_;  // by domain; NaN: not known yet
};

}  // namespace dragoman::features
