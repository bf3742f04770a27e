#pragma once
// The best rules of a source phrase under the current weights, whatever the sentence: computed once, used often.
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "features/target_phrases.hpp"
#include "search/extender.hpp"
#include "search/phrase_model.hpp"

namespace dragoman::search {

using features::TargetPhrases;

struct RankedRule {
  grammar::RuleId rule;
  std::uint32_t phrase;
  std::uint32_t row;       // reordering probabilities
  double score, estimate;  // without further features
};

// Rules of a source phrase, which a span of the sentence has.
struct Match {
  Span span;
  grammar::RuleRange rules;
};

class RuleCache {
 public:
  using RuleFeatures = std::span<const std::unique_ptr<features::RuleFeature>>;

  RuleCache(const PhraseModel& model, std::span<const double> weights, Extender& extender);

  // A new sentence, under this view of the table; drops the phrases of the last one.
  void begin(const std::shared_ptr<const grammar::LayeredView>& view, std::uint32_t option_limit,
             const features::SentenceView& sentence, RuleFeatures features);
  // All but the best `option_limit` rules are left out; best first. The span is valid until the next call. What rule
  // features will add counts, as far as they can say.
  [[nodiscard]] std::span<const RankedRule> best(const Match& match);
  // Phrases added from here on belong to the sentence.
  void end_of_rules() noexcept { permanent_ = phrases_.size(); }

  template <typename Spelling>
  std::uint32_t add_phrase(std::span<const WordId> words, const Spelling& spelling) {
    for (auto& model : extender_.language_models) model.add_phrase(words, spelling);
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
  void draft(const Match& match);

  const PhraseModel& model_;
  std::span<const double> weights_;
  Extender& extender_;
  std::vector<std::pair<std::uint32_t, double>> columns_;  // those that are features, and their weights
  double phrase_weight_, word_weight_;
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
  std::unordered_map<std::uint64_t, Slice> slices_;  // by domain and first rule
  std::vector<Draft> drafts_;
  std::vector<float> row_;
};

}  // namespace dragoman::search
