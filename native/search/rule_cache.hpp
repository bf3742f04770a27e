#pragma once
// The best rules of a source phrase under the current weights, whatever the sentence: computed once, used often.
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "features/target_phrases.hpp"
#include "search/option_keeper.hpp"
#include "search/rule_model.hpp"

namespace dragoman::search {

using features::TargetPhrases;

struct RankedRule {
  grammar::RuleId rule;
  std::uint32_t phrase;
  std::uint32_t row;  // see OptionKeeper::add_row
  double score, estimate;
};

class RuleCache {
 public:
  static constexpr WordId kAnyLabel = ~WordId{0};

  RuleCache(const RuleModel& model, std::span<const double> weights, OptionKeeper& keeper);

  // A new sentence, under this view of the table; drops the phrases of the last one.
  void begin(const std::shared_ptr<const grammar::LayeredView>& view, std::uint32_t option_limit);
  // The best `option_limit` rules, best first; with a label, of those that derive it. Spans are valid until the next
  // call.
  [[nodiscard]] std::span<const RankedRule> best(grammar::RuleRange rules, WordId label = kAnyLabel);
  // Labels that the rules derive, in the order in which they first come; 0 for those that say none.
  [[nodiscard]] std::span<const WordId> labels(grammar::RuleRange rules);
  // Phrases added from here on belong to the sentence.
  void end_of_rules() noexcept { permanent_ = phrases_.size(); }

  template <typename Spelling>
  std::uint32_t add_phrase(std::span<const WordId> words, const Spelling& spelling) {
    keeper_.add_phrase(words, spelling);
    return phrases_.add(words);
  }
  [[nodiscard]] std::span<const WordId> phrase(std::uint32_t number) const noexcept { return phrases_[number]; }
  [[nodiscard]] const grammar::LayeredView& table() const noexcept { return *view_; }
  // Every rule has a phrase of its own, so phrases number the rules.
  [[nodiscard]] features::RememberedRules remembered() const noexcept {
    return {generation_, static_cast<std::uint32_t>(permanent_), static_cast<std::uint32_t>(phrases_.size())};
  }

 private:
  struct Draft {
    grammar::RuleId rule;
    double score, estimate;
  };
  struct Slice {
    std::uint32_t begin, end;
  };

  void clear();
  [[nodiscard]] double score(grammar::RuleId rule) const;
  [[nodiscard]] double isolated(grammar::RuleId rule) const;
  void draft(grammar::RuleRange rules, WordId label);

  const RuleModel& model_;
  std::span<const double> weights_;
  OptionKeeper& keeper_;
  std::vector<std::pair<std::uint32_t, double>> columns_;  // those that are features, and their weights
  double rule_weight_, word_weight_;
  bool estimates_only_lower_ = true;  // no language model can make a rule look better than its own score
  std::shared_ptr<const grammar::LayeredView> view_;
  std::uint32_t option_limit_ = 0;
  TargetPhrases phrases_;
  std::size_t permanent_ = 0;
  std::uint32_t generation_ = 0;  // how often all was forgotten
  std::vector<RankedRule> ranked_;
  std::unordered_map<std::uint64_t, Slice> slices_;          // by first rule and label
  std::unordered_map<grammar::RuleId, Slice> label_slices_;  // by first rule
  std::vector<WordId> labels_;
  std::vector<Draft> drafts_;
};

}  // namespace dragoman::search
