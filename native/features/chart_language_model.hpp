#pragma once
// A language model inside a decoder that builds a translation from its parts: states have two sides (`lm/chart.hpp`)
// and are interned. What the words at the beginning of a rule cost is known before any sentence is: it is kept with the
// rule, so that a rule without nonterminals asks the model nothing, and the others ask it from their first nonterminal
// on.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/interned.hpp"
#include "features/feature.hpp"
#include "features/language_model.hpp"
#include "features/target_phrases.hpp"
#include "lm/chart.hpp"

namespace dragoman::features {

class ChartLanguageModel {
 public:
  explicit ChartLanguageModel(std::shared_ptr<const LanguageModelUse> use) : use_(std::move(use)) {}

  // A new sentence: states of the last one are no longer valid.
  void begin() { states_.clear(); }

  // Phrases are numbered in the order in which they are added; `keep_phrases` forgets all but the first ones. A
  // nonterminal stands for the part of its index. A phrase that `opens` the sentence has nothing before it.
  template <typename Spelling>
  void add_phrase(std::span<const WordId> target, const Spelling& spelling, bool opens) {
    mapped_.clear();
    for (const WordId symbol : target)
      mapped_.push_back(grammar::is_nonterminal(symbol) ? kNonterminalBit | grammar::index_of(symbol)
                                                        : use_->mapped(symbol, spelling));
    phrases_.add(mapped_);
    Opening opening;
    opening.opens = opens;
    while (opening.words < mapped_.size() && !grammar::is_nonterminal(mapped_[opening.words])) ++opening.words;
    use_->model->with_tables([&](const auto& tables) {
      lm::Joiner joiner(tables);
      if (opens) joiner.begin(use_->model->begin_state());
      for (std::uint32_t i = 0; i < opening.words; ++i) joiner.word(mapped_[i]);
      opening.logprob = joiner.score();
      opening.cell = joiner.cell();
    });
    openings_.push_back(opening);
  }
  void keep_phrases(std::size_t count) {
    phrases_.keep(count);
    openings_.resize(count);
  }

  struct Extension {
    double logprob;
    StateId next;
  };
  // What a phrase newly pays for, its parts being in these states, and the state of the whole.
  template <typename Tails>
  [[nodiscard]] Extension combine(std::uint32_t phrase, const Tails& tails) {
    const Opening& opening = openings_[phrase];
    const std::span<const WordId> symbols = phrases_[phrase];
    queries_ += opening.words;
    return time_([&]() -> Extension {
      if (opening.words == symbols.size()) return {opening.logprob, intern(opening.cell)};
      return use_->model->with_tables([&](const auto& tables) -> Extension {
        lm::Joiner joiner(tables);
        std::size_t at = opening.words;
        if (at == 0 && !opening.opens)
          joiner.resume(states_[tails(symbols[at++] & ~kNonterminalBit)], 0);  // a part after nothing is as it was
        else
          joiner.resume(opening.cell, opening.logprob);
        for (; at < symbols.size(); ++at) {
          if (grammar::is_nonterminal(symbols[at]))
            joiner.cell(states_[tails(symbols[at] & ~kNonterminalBit)]);
          else
            joiner.word(symbols[at]);
        }
        queries_ += joiner.queries();
        return {joiner.score(), intern(joiner.cell())};
      });
    });
  }
  [[nodiscard]] double finish(StateId from) {
    ++queries_;
    return time_([&] { return use_->model->score_end(states_[from].right); });
  }

  [[nodiscard]] FeatureId feature() const noexcept { return use_->feature; }
  [[nodiscard]] LanguageModelCost cost() const noexcept { return {queries_, time_.seconds()}; }

 private:
  struct Opening {
    double logprob = 0;
    lm::Cell cell;
    std::uint32_t words = 0;
    bool opens = false;
  };
  StateId intern(const lm::Cell& cell) { return states_.intern(cell, cell.hash()); }

  std::shared_ptr<const LanguageModelUse> use_;
  Interned<lm::Cell> states_;
  TargetPhrases phrases_;  // in the model's words
  std::vector<Opening> openings_;
  std::vector<WordId> mapped_;
  std::uint64_t queries_ = 0;
  SampledTime time_;
};

}  // namespace dragoman::features
