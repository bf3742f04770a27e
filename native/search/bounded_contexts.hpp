#pragma once
// Target words of one sentence under language models of which only the nearest context is known: the most that a phrase
// can score after a context, whatever stands before it. Contexts are interned and know their next shorter suffix, so
// that a search may learn them word by word. (Aziz, Dymetman and Specia 2014.)
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/memo.hpp"
#include "features/language_model.hpp"
#include "lm/bounds.hpp"

namespace dragoman::search {

// A language model, how high and low its probabilities can be, and its weight: below 0 it is the minimum that bounds.
struct BoundedModel {
  std::shared_ptr<const features::LanguageModelUse> use;
  std::shared_ptr<const lm::Bounds> bounds;
  double weight;
};

class BoundedContexts {
 public:
  using Word = std::uint32_t;  // of this sentence
  using Context = std::uint32_t;
  static constexpr Word kBegin = 0, kEnd = 1;
  static constexpr Context kEmpty = 0;
  using Spelling = std::function<std::string_view(WordId)>;

  // A new sentence.
  void begin(std::span<const BoundedModel> models) {
    models_.clear();
    for (const BoundedModel& model : models)
      if (model.weight != 0) models_.push_back(&model);
    mapped_.assign(models_.size(), {});
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const auto& header = models_[i]->use->model->header();
      mapped_[i] = {header.begin, header.end};
    }
    words_.clear();
    targets_.assign(2, 0);
    phrase_words_.assign(1, kEnd);
    phrase_ends_ = {0, 1};
    contexts_.clear();
    links_.clear();
    memo_.clear();
    word_memo_.clear();
    longest_ = 0;
    for (const BoundedModel* model : models_) longest_ = std::max(longest_, model->use->model->order() - 1);
    contexts_.push_back({kEmpty, kBegin, 0, 0});
    context_words_.clear();
    open_.assign(1, longest_ > 0);
  }

  static constexpr std::uint32_t kEndPhrase = 0;  // of the sentence's end alone
  std::uint32_t add_phrase(std::span<const WordId> target, const Spelling& spelling) {
    for (const WordId word : target) phrase_words_.push_back(add_word(word, spelling));
    phrase_ends_.push_back(static_cast<std::uint32_t>(phrase_words_.size()));
    return static_cast<std::uint32_t>(phrase_ends_.size() - 2);
  }
  Word add_word(WordId word, const Spelling& spelling) {
    const auto [place, fresh] = words_.try_emplace(word, static_cast<Word>(targets_.size()));
    if (fresh) {
      targets_.push_back(word);
      for (std::size_t i = 0; i < models_.size(); ++i) mapped_[i].push_back(models_[i]->use->mapped(word, spelling));
    }
    return place->second;
  }
  [[nodiscard]] std::span<const Word> phrase(std::uint32_t id) const noexcept {
    return std::span(phrase_words_).subspan(phrase_ends_[id], phrase_ends_[id + 1] - phrase_ends_[id]);
  }
  [[nodiscard]] WordId target(Word word) const noexcept { return targets_[word]; }  // not of begin and end

  // A context and one more word to its left.
  Context extend(Context of, Word left) {
    const auto [place, fresh] = links_.try_emplace(key(of, left), static_cast<Context>(contexts_.size()));
    if (!fresh) return place->second;
    const auto shorter = words(of);
    const auto first = static_cast<std::uint32_t>(context_words_.size());
    std::vector<Word> longer{left};
    longer.insert(longer.end(), shorter.begin(), shorter.end());
    context_words_.insert(context_words_.end(), longer.begin(), longer.end());
    contexts_.push_back({of, left, first, static_cast<std::uint32_t>(longer.size())});
    open_.push_back(left != kBegin && std::ranges::any_of(models_, [&](const BoundedModel* const& model) {
                      const std::size_t at = static_cast<std::size_t>(&model - models_.data());
                      return model->bounds->is_open(mapped(at, longer));
                    }));
    return place->second;
  }
  // The last words of a text, as many as any model looks back.
  Context of(std::span<const Word> text) {
    Context context = kEmpty;
    const auto reach = std::min(text.size(), static_cast<std::size_t>(longest_));
    for (std::size_t back = 0; back < reach; ++back) context = extend(context, text[text.size() - 1 - back]);
    return context;
  }
  [[nodiscard]] Context shorter(Context context) const noexcept { return contexts_[context].shorter; }
  [[nodiscard]] std::span<const Word> words(Context context) const noexcept {
    return std::span(context_words_).subspan(contexts_[context].first, contexts_[context].length);
  }
  [[nodiscard]] std::uint32_t length(Context context) const noexcept { return contexts_[context].length; }
  // Whether one more word to the left can change anything.
  [[nodiscard]] bool is_open(Context context) const noexcept { return open_[context] != 0; }
  [[nodiscard]] int longest() const noexcept { return longest_; }
  [[nodiscard]] std::size_t words() const noexcept { return targets_.size(); }  // of this sentence

  // The weighted sum of the bounds of all models, word by word.
  double bound(Context context, std::uint32_t phrase) {
    return memo_
        .get(context, phrase,
             [&](double& score, std::uint32_t&) { score = compute(words(context), this->phrase(phrase)); })
        .score;
  }
  // The same for one word.
  double word_bound(Context context, Word word) {
    return word_memo_
        .get(context, word, [&](double& score, std::uint32_t&) { score = compute(words(context), {&word, 1}); })
        .score;
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (memo_.size() + word_memo_.size()) * 4 * sizeof(Memo::Entry) + contexts_.size() * 80 +
           context_words_.size() * 4;
  }

 private:
  struct Entry {
    Context shorter;
    Word left;
    std::uint32_t first, length;
  };
  [[nodiscard]] static std::uint64_t key(Context of, Word left) noexcept { return std::uint64_t{of} << 32 | left; }

  std::span<const WordId> mapped(std::size_t model, std::span<const Word> words) {
    scratch_.clear();
    for (const Word word : words) scratch_.push_back(mapped_[model][word]);
    return scratch_;
  }
  double compute(std::span<const Word> before, std::span<const Word> phrase) {
    double total = 0;
    all_.assign(before.begin(), before.end());
    all_.insert(all_.end(), phrase.begin(), phrase.end());
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const BoundedModel& model = *models_[i];
      const auto ids = mapped(i, all_);
      double sum = 0;
      for (std::size_t at = before.size(); at < all_.size(); ++at) {
        const auto range = model.bounds->range(*model.use->model, ids.first(at), ids[at]);
        sum += model.weight > 0 ? range.upper : range.lower;
      }
      total += model.weight * sum;
    }
    return total;
  }

  std::vector<const BoundedModel*> models_;
  std::vector<std::vector<WordId>> mapped_;  // per model, words of the sentence in the model's ids
  std::unordered_map<WordId, Word> words_;
  std::vector<WordId> targets_;
  std::vector<Word> phrase_words_;
  std::vector<std::uint32_t> phrase_ends_;
  std::vector<Entry> contexts_;
  std::vector<Word> context_words_;  // in text order
  std::vector<std::uint8_t> open_;
  std::unordered_map<std::uint64_t, Context> links_;
  Memo memo_, word_memo_;
  int longest_ = 0;
  std::vector<WordId> scratch_;
  std::vector<Word> all_;
};

}  // namespace dragoman::search
