#pragma once
// A language model inside search: states interned per sentence, whole target phrases scored at once, and every answer
// remembered, because partial translations that differ elsewhere share their last words.
#include <memory>
#include <span>
#include <vector>

#include "common/interned.hpp"
#include "features/feature.hpp"
#include "lm/model.hpp"
#include "search/memo.hpp"

namespace dragoman::features {

// Which model, under which feature name, and how words of the decoder's target vocabulary map to the model's: an id
// beyond the end of the map is a word of this sentence only, looked up by its letters.
struct LanguageModelUse {
  std::shared_ptr<const lm::Model> model;
  FeatureId feature = 0;
  std::vector<WordId> word_map;

  template <typename Spelling>
  [[nodiscard]] WordId mapped(WordId word, const Spelling& spelling) const {
    return word < word_map.size() ? word_map[word] : model->id(spelling(word));
  }
  // A phrase by itself, its own words being all the context there is.
  template <typename Spelling>
  [[nodiscard]] double isolated(std::span<const WordId> target, const Spelling& spelling) const {
    double total = 0;
    lm::State states[2];
    for (std::size_t i = 0; i < target.size(); ++i)
      total += model->score(states[i & 1], mapped(target[i], spelling), states[(i + 1) & 1]);
    return total;
  }
};

class LanguageModelFeature {
 public:
  explicit LanguageModelFeature(std::shared_ptr<const LanguageModelUse> use) : use_(std::move(use)) {}

  void reset() {
    states_.clear();
    memo_.clear();
    words_.clear();
    ends_.clear();
  }

  // Phrases are numbered in the order in which they are added, as everywhere in this sentence. `spelling(id)` gives
  // the letters of a word that the map does not hold.
  template <typename Spelling>
  void add_phrase(std::span<const WordId> target, const Spelling& spelling) {
    for (const WordId word : target) words_.push_back(use_->mapped(word, spelling));
    ends_.push_back(words_.size());
  }

  [[nodiscard]] StateId start() { return intern(use_->model->begin_state()); }

  // The log probability of a phrase after a state, and the state after it.
  const search::Memo::Entry& extend(StateId from, std::uint32_t phrase) {
    return memo_.get(from, phrase, [&](double& logprob, StateId& next) {
      ++queries_;
      const std::size_t begin = phrase == 0 ? 0 : ends_[phrase - 1];
      lm::State after;
      logprob = use_->model->score_phrase(states_[from], {words_.data() + begin, ends_[phrase] - begin}, after);
      next = intern(after);
    });
  }
  double finish(StateId from) {
    return memo_.get(from, kEnd, [&](double& logprob, StateId&) { logprob = use_->model->score_end(states_[from]); })
        .score;
  }

  [[nodiscard]] FeatureId feature() const noexcept { return use_->feature; }
  [[nodiscard]] std::uint64_t queries() const noexcept { return queries_; }

 private:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

  StateId intern(const lm::State& state) { return states_.intern(state, state.hash()); }

  std::shared_ptr<const LanguageModelUse> use_;
  Interned<lm::State> states_;
  search::Memo memo_;
  std::vector<WordId> words_;
  std::vector<std::size_t> ends_;
  std::uint64_t queries_ = 0;
};

}  // namespace dragoman::features
