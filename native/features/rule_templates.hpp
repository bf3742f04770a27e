#pragma once
// All templates that look at rules only, as one feature: what they fire for a rule is spelt once, and is then a short
// list of ids and values shared by all threads and decoders of the model.
#include <memory>
#include <string>
#include <vector>

#include "features/domains.hpp"
#include "features/feature.hpp"
#include "features/measures.hpp"
#include "features/names.hpp"
#include "features/rule_template.hpp"
#include "features/shared_ids.hpp"
#include "grammar/table.hpp"

namespace dragoman::features {

// The rule of an option in letters.
[[nodiscard]] RuleText spell(const OptionView& option, const SentenceView& sentence, const grammar::RuleTable& table);

class RuleTemplates {
 public:
  RuleTemplates(std::shared_ptr<FeatureNames> names, std::shared_ptr<const grammar::RuleTable> table,
                std::shared_ptr<const Domains> domains)
      : names_(std::move(names)), table_(std::move(table)), domains_(std::move(domains)) {}

  void add(std::unique_ptr<RuleTemplate> made) { templates_.push_back(std::move(made)); }
  // A number of the sentence by which values of ratios are divided: its source words of this set.
  std::uint32_t add_scale(WordSet source_words);
  // Fires for rules that the table marks for the domain of the sentence.
  void set_domain_prefix(std::string prefix) { domain_prefix_ = std::move(prefix); }
  [[nodiscard]] bool empty() const noexcept { return templates_.empty() && domain_prefix_.empty(); }

  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires);

 private:
  struct Entry {
    FeatureId feature;
    std::uint32_t scale;
    double value;
  };
  [[nodiscard]] std::vector<Entry> entries(const SentenceView& sentence, const OptionView& option,
                                           std::uint32_t domain) const;

  std::shared_ptr<FeatureNames> names_;
  std::shared_ptr<const grammar::RuleTable> table_;
  std::shared_ptr<const Domains> domains_;
  std::vector<std::unique_ptr<RuleTemplate>> templates_;
  std::vector<WordSet> scales_;
  std::string domain_prefix_;
  SharedMap<std::vector<Entry>> known_;
};

// One thread's door to the shared templates.
class RuleTemplatesFeature final : public RuleFeature {
 public:
  explicit RuleTemplatesFeature(std::shared_ptr<RuleTemplates> shared) : shared_(std::move(shared)) {}
  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override {
    shared_->fire(sentence, options, fires);
  }

 private:
  std::shared_ptr<RuleTemplates> shared_;
};

}  // namespace dragoman::features
