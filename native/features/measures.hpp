#pragma once
// Templates that measure a rule: its dimensions, its share of certain words, how much rarer its words are on one side.
// (Green, Cer et al. 2013; Green, Cer and Manning 2014.)
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "features/rule_template.hpp"

namespace dragoman::features {

class ShapeIndicator final : public RuleTemplate {
 public:
  ShapeIndicator(std::string prefix, bool source, bool target, bool both)
      : RuleTemplate(std::move(prefix)), source_(source), target_(target), both_(both) {}
  void fire(const RuleText& rule, NamedValues& fire) const override;

 private:
  bool source_, target_, both_;
};

using WordSet = std::unordered_set<std::string>;

// Target words of a kind in the rule, divided by source words of that kind in the sentence (`scale`).
class Ratio final : public RuleTemplate {
 public:
  Ratio(std::string prefix, WordSet target_words, std::uint32_t scale)
      : RuleTemplate(""), name_(std::move(prefix)), words_(std::move(target_words)), scale_(scale) {}
  void fire(const RuleText& rule, NamedValues& fire) const override;

 private:
  std::string name_;
  WordSet words_;
  std::uint32_t scale_;
};

// Inverse document frequencies of one side; words that are not listed have the value of a word never seen.
struct InverseFrequencies {
  std::unordered_map<std::string, double> values;
  double unseen = 0;
  [[nodiscard]] double of(std::string_view word) const;
};

// How much rarer the words are on one side than on the other: one value for each direction.
class FrequencyAsymmetry final : public RuleTemplate {
 public:
  FrequencyAsymmetry(std::string prefix, InverseFrequencies source, InverseFrequencies target, bool squared)
      : RuleTemplate(std::move(prefix)), source_(std::move(source)), target_(std::move(target)), squared_(squared) {}
  void fire(const RuleText& rule, NamedValues& fire) const override;

 private:
  InverseFrequencies source_, target_;
  bool squared_;
};

}  // namespace dragoman::features
