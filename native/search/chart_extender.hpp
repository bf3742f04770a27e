#pragma once
// All state features of a sentence at once, as chart search sees them: a row of state ids, made from those of the parts
// by an option.
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "features/chart_feature.hpp"
#include "features/chart_language_model.hpp"
#include "features/rule_distortion.hpp"
#include "features/target_phrases.hpp"
#include "search/option.hpp"
#include "search/option_keeper.hpp"
#include "search/target_constraint.hpp"

namespace dragoman::search {

// The order of states: language models, other features, the constraint if there is one; all of them are compared in
// recombination.
class ChartExtender final : public OptionKeeper {
 public:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

  std::vector<features::ChartLanguageModel> language_models;
  std::vector<std::unique_ptr<features::ChartFeature>> others;
  TargetConstraint constraint;
  bool with_reordering = false;  // rows hold how rules reorder
  bool next_opens = false;       // the next phrase that is added begins the sentence

  [[nodiscard]] const features::RuleReordering& reordering(std::uint32_t row) const noexcept { return rows_[row]; }

  void begin_sentence() override {
    for (auto& model : language_models) model.begin();
    constraint.begin({});
  }
  void add_phrase(std::span<const WordId> phrase, const Spelling& spelling) override {
    for (auto& model : language_models) model.add_phrase(phrase, spelling, next_opens);
    phrases_.add(phrase);
    opens_.push_back(next_opens);
    next_opens = false;
  }
  void keep_phrases(std::size_t count) override {
    for (auto& model : language_models) model.keep_phrases(count);
    phrases_.keep(count);
    opens_.resize(count);
  }
  std::uint32_t add_row(const grammar::LayeredView& table, grammar::RuleId rule) override;
  void clear_rows() override { rows_.clear(); }
  std::uint32_t add_option(features::Span) override { return kNoRow; }
  void begin(std::span<const double> weights, const features::SentenceView& sentence,
             std::span<const OptionView> views) override {
    weights_ = weights;
    views_ = views;
    for (const auto& feature : others) feature->begin(sentence, views);
  }
  [[nodiscard]] bool has_others() const override { return !others.empty(); }
  double isolated(const OptionView& option) override {
    double sum = 0;
    for (const auto& feature : others) sum += feature->isolated(option);
    return sum;
  }

  [[nodiscard]] std::size_t states() const noexcept {
    return language_models.size() + others.size() + (constraint.active() ? 1 : 0);
  }

  // `tails(i)` is the row of a part; false if there can be no such translation.
  template <typename Tails>
  bool combine(const Option& option, const Tails& tails, std::size_t arity, StateId* to, double& score) {
    std::size_t at = 0;
    for (auto& model : language_models) {
      const auto found = model.combine(option.phrase, [&](std::size_t i) { return tails(i)[at]; });
      score += weight(model.feature()) * found.logprob;
      to[at++] = found.next;
    }
    for (const auto& feature : others) {
      Fire fire(weights_);
      to[at] = feature->combine(views_[option.id], gather(tails, arity, at), fire);
      score += fire.score();
      ++at;
    }
    return !constraint.active() || constraint.combine(
                                       phrases_[option.phrase], opens_[option.phrase] != 0,
                                       [&](std::size_t i) { return tails(i)[at]; }, to[at]);
  }
  // Minus infinity if it is no translation that is allowed.
  double finish(const StateId* from) {
    double score = 0;
    for (auto& model : language_models) score += weight(model.feature()) * model.finish(*from++);
    for (const auto& feature : others) {
      Fire fire(weights_);
      feature->finish(*from++, fire);
      score += fire.score();
    }
    if (constraint.active() && !constraint.complete(*from)) return -std::numeric_limits<double>::infinity();
    return score;
  }

  // One of `others` alone: the state that it makes of those of the parts, and what it adds.
  StateId combine_other(std::size_t feature, const Option& option, std::span<const StateId> tails, double& score) {
    Fire fire(weights_);
    const StateId made = others[feature]->combine(views_[option.id], tails, fire);
    score += fire.score();
    return made;
  }
  double finish_other(std::size_t feature, StateId from) {
    Fire fire(weights_);
    others[feature]->finish(from, fire);
    return fire.score();
  }

  // The same steps, asked for their values: what search summed up is looked at again, feature by feature.
  template <typename Tails>
  void combine_values(const Option& option, const Tails& tails, std::size_t arity, FeatureVector& values) {
    Fire fire(weights_, &values);
    std::size_t at = 0;
    for (auto& model : language_models) {
      fire(model.feature(), model.combine(option.phrase, [&](std::size_t i) { return tails(i)[at]; }).logprob);
      ++at;
    }
    for (const auto& feature : others) {
      feature->combine(views_[option.id], gather(tails, arity, at), fire);
      ++at;
    }
  }
  void finish_values(const StateId* from, FeatureVector& values) {
    Fire fire(weights_, &values);
    for (auto& model : language_models) fire(model.feature(), model.finish(*from++));
    for (const auto& feature : others) feature->finish(*from++, fire);
  }
  [[nodiscard]] features::LanguageModelCost cost() const noexcept {
    features::LanguageModelCost sum;
    for (const auto& model : language_models) sum += model.cost();
    return sum;
  }

 private:
  template <typename Tails>
  [[nodiscard]] std::span<const StateId> gather(const Tails& tails, std::size_t arity, std::size_t at) {
    gathered_.clear();
    for (std::size_t i = 0; i < arity; ++i) gathered_.push_back(tails(i)[at]);
    return gathered_;
  }
  [[nodiscard]] double weight(features::FeatureId id) const noexcept { return id < weights_.size() ? weights_[id] : 0; }

  std::span<const double> weights_;
  std::span<const OptionView> views_;
  features::TargetPhrases phrases_;
  std::vector<std::uint8_t> opens_;
  std::vector<features::RuleReordering> rows_;
  std::vector<StateId> gathered_;
  std::vector<WordId> source_;
};

}  // namespace dragoman::search
