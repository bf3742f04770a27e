#pragma once
// A language model inside search: states are interned, and what a word costs after a state is remembered, because
// partial translations that differ elsewhere share their last words, and one phrase after another asks what a longer
// phrase asked before.
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/interned.hpp"
#include "common/memo.hpp"
#include "common/sampled_time.hpp"
#include "features/feature.hpp"
#include "features/target_phrases.hpp"
#include "lm/model.hpp"

namespace dragoman::features {

// Which model, under which feature name, and how words of the decoder's target vocabulary map to the model's. A word
// beyond the end of the map is looked up by its letters: among `classes` if the model is one over word classes.
struct LanguageModelUse {
  std::shared_ptr<const lm::Model> model;
  FeatureId feature = 0;
  std::vector<WordId> word_map;
  bool over_classes = false;
  std::unordered_map<std::string, WordId> classes;
  WordId other_class = kUnknown;  // of words that are in no class

  [[nodiscard]] WordId spelt(std::string_view letters) const {
    if (!over_classes) return model->id(letters);
    const auto found = classes.find(std::string(letters));
    return found == classes.end() ? other_class : found->second;
  }
  template <typename Spelling>
  [[nodiscard]] WordId mapped(WordId word, const Spelling& spelling) const {
    return word < word_map.size() ? word_map[word] : spelt(spelling(word));
  }
  // A phrase by itself, its own words being all the context there is; nothing is known of what a nonterminal brings.
  template <typename Spelling>
  [[nodiscard]] double isolated(std::span<const WordId> target, const Spelling& spelling) const {
    double total = 0;
    lm::State states[2];
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (grammar::is_nonterminal(target[i]))
        states[(i + 1) & 1] = lm::State();
      else
        total += model->score(states[i & 1], mapped(target[i], spelling), states[(i + 1) & 1]);
    }
    return total;
  }
};

// What language models were asked during search, and how long that took.
struct LanguageModelCost {
  std::uint64_t queries = 0;  // words that were scored, answers that were known already included
  double seconds = 0;         // an estimate; see SampledTime

  LanguageModelCost& operator+=(const LanguageModelCost& other) noexcept {
    queries += other.queries;
    seconds += other.seconds;
    return *this;
  }
  [[nodiscard]] friend LanguageModelCost operator-(const LanguageModelCost& one, const LanguageModelCost& other) {
    return {one.queries - other.queries, one.seconds - other.seconds};
  }
};

class LanguageModelFeature {
 public:
  explicit LanguageModelFeature(std::shared_ptr<const LanguageModelUse> use) : use_(std::move(use)) {}

  // A new sentence: states of the last one are no longer valid.
  void begin() {
    states_.clear();
    memo_.clear();
  }

  // Phrases are numbered in the order in which they are added, as everywhere in the decoder; `keep_phrases` forgets
  // all but the first ones. `spelling(id)` gives the letters of a word that the map does not hold.
  template <typename Spelling>
  void add_phrase(std::span<const WordId> target, const Spelling& spelling) {
    mapped_.clear();
    for (const WordId word : target) mapped_.push_back(use_->mapped(word, spelling));
    phrases_.add(mapped_);
  }
  void keep_phrases(std::size_t count) { phrases_.keep(count); }

  [[nodiscard]] StateId start() { return intern(use_->model->begin_state()); }

  struct Extension {
    double logprob;
    StateId next;
  };
  // The log probability of a phrase after a state, and the state after it.
  [[nodiscard]] Extension extend(StateId from, std::uint32_t phrase) {
    queries_ += phrases_[phrase].size();
    return time_([&] {
      Extension total{0, from};
      for (const WordId word : phrases_[phrase]) {
        const Memo::Entry& found = step(total.next, word);
        total.logprob += found.score;
        total.next = found.next;
      }
      return total;
    });
  }
  [[nodiscard]] double finish(StateId from) {
    ++queries_;
    return time_([&] { return step(from, use_->model->header().end).score; });
  }

  [[nodiscard]] FeatureId feature() const noexcept { return use_->feature; }
  [[nodiscard]] LanguageModelCost cost() const noexcept { return {queries_, time_.seconds()}; }

 private:
  const Memo::Entry& step(StateId from, WordId word) {
    return memo_.get(from, word, [&](double& logprob, StateId& next) {
      lm::State after;
      use_->model->prefetch(states_[from], word);
      logprob = use_->model->score(states_[from], word, after);
      next = intern(after);
    });
  }
  StateId intern(const lm::State& state) { return states_.intern(state, state.hash()); }

  std::shared_ptr<const LanguageModelUse> use_;
  Interned<lm::State> states_;
  Memo memo_;
  TargetPhrases phrases_;  // in the model's words
  std::vector<WordId> mapped_;
  std::uint64_t queries_ = 0;
  SampledTime time_;
};

}  // namespace dragoman::features
