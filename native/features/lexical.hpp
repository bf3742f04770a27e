#pragma once
// Templates over the words of a rule, or over their classes: the rule itself, its word links, its unaligned words and
// its target words. (Green, Wang, Cer and Manning 2013; Green, Cer et al. 2013; Green, Cer and Manning 2014.)
#include <memory>

#include "features/rule_template.hpp"
#include "features/word_classes.hpp"

namespace dragoman::features {

using Classes = std::shared_ptr<const WordClasses>;

// How a template spells the words of the two sides, and for which rules: without classes it is lexicalised.
struct Lexicalization {
  Classes source, target;
  double min_count = 0;
  [[nodiscard]] bool lexical() const noexcept { return !source || !target; }
  [[nodiscard]] bool admits(bool from_table, double count) const noexcept {
    return (from_table || !lexical()) && (min_count <= 0 || (from_table && count >= min_count));
  }
  [[nodiscard]] bool admits(const RuleText& rule) const noexcept { return admits(rule.from_table, rule.count); }
};

// `source>target` of a rule.
[[nodiscard]] std::string spell_rule(const RuleText& rule, const Lexicalization& words);

class RuleIndicator final : public RuleTemplate {
 public:
  RuleIndicator(std::string prefix, Lexicalization words, bool per_domain)
      : RuleTemplate(std::move(prefix), per_domain), words_(std::move(words)) {}
  void fire(const RuleText& rule, NamedValues& fire) const override;

 private:
  Lexicalization words_;
};

// Words that are linked, taken together: connected components, or cliques, that is, a source word's targets with all
// that is linked to one of them. Words of a side are sorted.
class LinkIndicator final : public RuleTemplate {
 public:
  LinkIndicator(std::string prefix, Lexicalization words, bool cliques, bool per_domain)
      : RuleTemplate(std::move(prefix), per_domain), words_(std::move(words)), cliques_(cliques) {}
  void fire(const RuleText& rule, NamedValues& fire) const override;

 private:
  Lexicalization words_;
  bool cliques_;
};

// Words of one side that are linked to nothing: deletions, or insertions.
class UnalignedIndicator final : public RuleTemplate {
 public:
  UnalignedIndicator(std::string prefix, bool target_side, Classes classes, bool per_domain)
      : RuleTemplate(std::move(prefix), per_domain), target_side_(target_side), classes_(std::move(classes)) {}
  void fire(const RuleText& rule, NamedValues& fire) const override;

 private:
  bool target_side_;
  Classes classes_;
};

class TargetIndicator final : public RuleTemplate {
 public:
  TargetIndicator(std::string prefix, Classes classes)
      : RuleTemplate(std::move(prefix)), classes_(std::move(classes)) {}
  void fire(const RuleText& rule, NamedValues& fire) const override;

 private:
  Classes classes_;
};

}  // namespace dragoman::features
