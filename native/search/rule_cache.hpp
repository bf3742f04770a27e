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
  std::uint32_t row;       // see OptionKeeper::add_row
  double score, estimate;  // without further features
};

// Rules of a source side, which a span of the sentence has.
struct Match {
  features::Span span;
  grammar::RuleRange rules;
  std::span<const WordId> source;  // the source side; if it is empty, the words of the span
};

class RuleCache {
 public:
  static constexpr WordId kAnyLabel = ~WordId{0};
  using RuleFeatures = std::span<const std::unique_ptr<features::RuleFeature>>;

  RuleCache(const RuleModel& model, std::span<const double> weights, OptionKeeper& keeper);

  // A new sentence, under this view of the table; drops the phrases of the last one.
  void begin(const std::shared_ptr<const grammar::LayeredView>& view, std::uint32_t option_limit,
             const features::SentenceView& sentence, RuleFeatures features);
  // The best `option_limit` rules, best first; with a label, of those that derive it. What rule features will add
  // counts, as far as they can say. Spans are valid until the next call.
  [[nodiscard]] std::span<const RankedRule> best(const Match& match, WordId label = kAnyLabel);
  // One rule, whatever its rank.
  [[nodiscard]] RankedRule single(grammar::RuleId rule);
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
    double score;     // of the rule itself
    double more;      // what features will add to it
    double estimate;  // all of it, and what language models expect

    [[nodiscard]] double most() const noexcept { return score + more; }
  };
  struct Slice {
    std::uint32_t begin, end;
  };

  void clear();
  [[nodiscard]] double score(grammar::RuleId rule) const;
  [[nodiscard]] double isolated(grammar::RuleId rule) const;
  [[nodiscard]] double rank(const Match& match, grammar::RuleId rule) const;
  void draft(const Match& match, WordId label);
  [[nodiscard]] std::uint32_t add_rule(grammar::RuleId rule);

  const RuleModel& model_;
  std::span<const double> weights_;
  OptionKeeper& keeper_;
  std::vector<std::pair<std::uint32_t, double>> columns_;  // those that are features, and their weights
  double rule_weight_, word_weight_;
  bool estimates_only_lower_ = true;  // no language model can make a rule look better than its own score
  bool further_weights_ = false;      // some feature beyond those of the model itself has one
  const features::SentenceView* sentence_ = nullptr;
  RuleFeatures features_;
  std::uint64_t domain_ = 0;  // of the sentence, as features rank rules
  std::shared_ptr<const grammar::LayeredView> view_;
  std::uint32_t option_limit_ = 0;
  TargetPhrases phrases_;
  std::size_t permanent_ = 0;
  std::uint32_t generation_ = 0;  // how often all was forgotten
  std::vector<RankedRule> ranked_;
  std::unordered_map<std::uint64_t, Slice> slices_;          // by first rule, label and domain
  std::unordered_map<grammar::RuleId, RankedRule> singles_;  // those that were asked for one by one
  std::unordered_map<grammar::RuleId, Slice> label_slices_;  // by first rule
  std::vector<WordId> labels_;
  std::vector<Draft> drafts_;
};

}  // namespace dragoman::search
