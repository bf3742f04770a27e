#pragma once
// All state features of a sentence at once, as search sees them: a row of state ids, extended by an option.
#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/memo.hpp"
#include "features/feature.hpp"
#include "features/language_model.hpp"
#include "features/orientation.hpp"
#include "search/option.hpp"
#include "search/option_keeper.hpp"

namespace dragoman::search {

// The order of states: language models, reordering, other features; all of them are compared in recombination.
class Extender final : public OptionKeeper {
 public:
  std::vector<features::LanguageModelFeature> language_models;
  std::unique_ptr<features::OrientationFeature> orientation;
  std::span<const std::uint32_t> orientation_columns;  // of the table
  std::vector<std::unique_ptr<features::StateFeature>> others;

  // A new sentence, whose phrases and rows were added to the features already.
  void begin(std::span<const double> weights, const features::SentenceView& sentence,
             std::span<const OptionView> views) override {
    weights_ = weights;
    views_ = views;
    memos_.resize(others.size());
    slow_.clear();
    waits_.assign(others.size(), 0);
    if (late_)
      for (std::size_t i = 0; i < others.size(); ++i) waits_[i] = others[i]->can_wait();
    for (Memo& memo : memos_) memo.clear();
    for (const auto& feature : others) {
      slow_.push_back(feature->is_slow());
      feature->begin(sentence, views);
    }
  }

  void begin_sentence() override {
    for (auto& model : language_models) model.begin();
    if (orientation) orientation->begin();
  }
  // What stands behind a nonterminal or a gap is written later.
  [[nodiscard]] std::span<const WordId> phrase_of(std::span<const WordId> target) const override {
    return grammar::leading_words(target);
  }
  void add_phrase(std::span<const WordId> phrase, const Spelling& spelling) override {
    for (auto& model : language_models) model.add_phrase(phrase, spelling);
  }
  void keep_phrases(std::size_t count) override {
    for (auto& model : language_models) model.keep_phrases(count);
  }
  // The probabilities of a rule's orientations.
  std::uint32_t add_row(const grammar::LayeredView& table, grammar::RuleId rule) override {
    if (!orientation) return features::OrientationFeature::kNoRow;
    row_.clear();
    for (const std::uint32_t column : orientation_columns) row_.push_back(table.value(rule, column));
    return orientation->add_row(row_);
  }
  void clear_rows() override {
    if (orientation) orientation->clear_rows();
  }
  std::uint32_t add_option(features::Span span) override {
    return orientation ? orientation->add_option(span, features::OrientationFeature::kNoRow) : 0;
  }
  [[nodiscard]] bool has_others() const override { return !others.empty(); }
  double isolated(const OptionView& option) override {
    double sum = 0;
    for (std::size_t i = 0; i < others.size(); ++i)
      if (!waits_[i]) sum += others[i]->isolated(option);
    return sum;
  }

  // From the next sentence on, features that can wait say nothing during search, and their states stay as they began.
  void let_wait(bool late) noexcept { late_ = late; }
  // They have been asked, and are as the others again.
  void end_wait() noexcept { std::ranges::fill(waits_, std::uint8_t{0}); }
  // What these add to a step, and their states behind it; to the end.
  double extend_late(const StateId* from, const Option& option, StateId* to) {
    const std::size_t first = states() - others.size();
    double score = 0;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (!waits_[i]) continue;
      const Memo::Entry& found = remembered(i, from[first + i], option);
      score += found.score;
      to[first + i] = found.next;
    }
    return score;
  }
  double finish_late(const StateId* from) {
    const std::size_t first = states() - others.size();
    Fire fire(weights_);
    for (std::size_t i = 0; i < others.size(); ++i)
      if (waits_[i]) others[i]->finish(from[first + i], fire);
    return fire.score();
  }

  [[nodiscard]] std::size_t states() const noexcept {
    return language_models.size() + (orientation ? features::OrientationFeature::kStates : 0) + others.size();
  }
  [[nodiscard]] std::size_t language_model_states() const noexcept { return language_models.size(); }

  void start(StateId* to) {
    for (auto& model : language_models) *to++ = model.start();
    start_exact(to);
  }
  // The same without language models: what a search that relaxes them keeps as it is.
  [[nodiscard]] std::size_t exact_states() const noexcept { return states() - language_models.size(); }
  void start_exact(StateId* to) {
    if (orientation) {
      orientation->start(to);
      to += features::OrientationFeature::kStates;
    }
    for (const auto& feature : others) *to++ = feature->start();
  }

  double extend(const StateId* from, const Option& option, const Coverage& before, StateId* to) {
    double score = 0;
    for (auto& model : language_models) {
      const auto found = model.extend(*from++, option.phrase);
      score += weight(model.feature()) * found.logprob;
      *to++ = found.next;
    }
    return score + extend_exact(from, option, before, to);
  }
  double extend_exact(const StateId* from, const Option& option, const Coverage& before, StateId* to) {
    double score = 0;
    if (orientation) {
      score += orientation->extend(from, option.orientation, before, to);
      from += features::OrientationFeature::kStates;
      to += features::OrientationFeature::kStates;
    }
    for (std::size_t i = 0; i < others.size(); ++i, ++from, ++to) {
      if (waits_[i]) {
        *to = *from;
      } else if (slow_[i]) {
        const Memo::Entry& found = remembered(i, *from, option);
        score += found.score;
        *to = found.next;
      } else {
        Fire fire(weights_);
        *to = others[i]->extend(*from, views_[option.id], fire);
        score += fire.score();
      }
    }
    return score;
  }

  double finish(const StateId* from) {
    double score = 0;
    for (auto& model : language_models) score += weight(model.feature()) * model.finish(*from++);
    return score + finish_exact(from);
  }
  double finish_exact(const StateId* from) {
    double score = 0;
    if (orientation) from += features::OrientationFeature::kStates;
    for (std::size_t i = 0; i < others.size(); ++i, ++from) {
      if (waits_[i]) continue;
      Fire fire(weights_);
      others[i]->finish(*from, fire);
      score += fire.score();
    }
    return score;
  }

  // One of `others` as an automaton: all states that some sequence of options leads to, numbered from the start. Calls
  // step(state, option, state after, score) for each state and option, then end(state, score). False if there are more
  // than `most_states`.
  template <typename UseStep, typename UseEnd>
  bool for_each_step(std::size_t feature, std::span<const Option> options, std::size_t most_states, const UseStep& step,
                     const UseEnd& end) {
    std::vector<StateId> open{others[feature]->start()};
    std::unordered_map<StateId, std::uint32_t> numbers{{open[0], 0}};
    for (std::uint32_t at = 0; at < open.size(); ++at) {
      if (open.size() > most_states) return false;
      for (std::uint32_t i = 0; i < options.size(); ++i) {
        Fire fire(weights_);
        const StateId next = others[feature]->extend(open[at], views_[options[i].id], fire);
        const auto [known, fresh] = numbers.try_emplace(next, static_cast<std::uint32_t>(open.size()));
        if (fresh) open.push_back(next);
        step(at, i, known->second, fire.score());
      }
      Fire fire(weights_);
      others[feature]->finish(open[at], fire);
      end(at, fire.score());
    }
    return true;
  }

  // The same steps, asked for their values: what search summed up is looked at again, feature by feature.
  void extend_values(const StateId* from, const Option& option, const Coverage& before, FeatureVector& values) {
    Fire fire(weights_, &values);
    for (auto& model : language_models) fire(model.feature(), model.extend(*from++, option.phrase).logprob);
    if (orientation) {
      orientation->fire(from, option.orientation, before, fire);
      from += features::OrientationFeature::kStates;
    }
    for (const auto& feature : others) feature->extend(*from++, views_[option.id], fire);
  }
  void finish_values(const StateId* from, FeatureVector& values) {
    Fire fire(weights_, &values);
    for (auto& model : language_models) fire(model.feature(), model.finish(*from++));
    if (orientation) from += features::OrientationFeature::kStates;
    for (const auto& feature : others) feature->finish(*from++, fire);
  }
  // One of `others` alone.
  void other_values(std::size_t feature, const StateId* from, const Option& option, FeatureVector& values) {
    Fire fire(weights_, &values);
    others[feature]->extend(from[states() - others.size() + feature], views_[option.id], fire);
  }
  void other_end_values(std::size_t feature, const StateId* from, FeatureVector& values) {
    Fire fire(weights_, &values);
    others[feature]->finish(from[states() - others.size() + feature], fire);
  }

 private:
  const Memo::Entry& remembered(std::size_t feature, StateId from, const Option& option) {
    return memos_[feature].get(from, option.id, [&](double& value, StateId& next) {
      Fire fire(weights_);
      next = others[feature]->extend(from, views_[option.id], fire);
      value = fire.score();
    });
  }
  [[nodiscard]] double weight(features::FeatureId id) const noexcept { return id < weights_.size() ? weights_[id] : 0; }

  std::span<const double> weights_;
  std::span<const OptionView> views_;
  std::vector<Memo> memos_;  // per feature of `others`
  std::vector<float> row_;
  std::vector<std::uint8_t> slow_;   // those whose extensions are remembered
  std::vector<std::uint8_t> waits_;  // those that are asked after search
  bool late_ = false;
};

}  // namespace dragoman::search
