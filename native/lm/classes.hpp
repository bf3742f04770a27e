#pragma once
// Word classes by the exchange algorithm with a one-sided ("predictive") class bigram model,
// p(w | v) = p(w | c(w)) p(c(w) | v) (Whittaker and Woodland 2001; threaded as Green, Cer and Manning 2014).
//
// Words are taken in batches: the best class of each word of a batch is found in parallel against the counts as they
// were, then the moves are made one by one, each only if it still raises the likelihood. So the likelihood never falls,
// and the result does not depend on the number of threads.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "common/vocabulary.hpp"

namespace dragoman::lm {

class ClassTrainer {
 public:
  // Words seen fewer than `min_count` times are one word, `<unk>`.
  explicit ClassTrainer(std::uint64_t min_count) : min_count_(min_count) {}

  void add_sentences(std::span<const std::string_view> sentences);
  // Ends counting; words are dealt out to classes by frequency rank. 0 classes: 512, or a tenth of the words if that is
  // less. Throws InputError without words.
  void start(std::uint32_t classes, std::uint64_t seed);
  // Puts a word into a class by hand, for tests and for going on from known classes.
  void assign(WordId word, std::uint32_t to);
  // One iteration moves words of every third of the vocabulary in turn; returns how many moved.
  std::size_t iterate(int threads, const StopCallback& stop);

  // Log-likelihood up to a constant of the text: sum N(v,c) ln N(v,c) - sum N(c) ln N(c).
  [[nodiscard]] double objective() const;
  [[nodiscard]] double gain(WordId word, std::uint32_t to) const;  // of moving one word
  [[nodiscard]] const Vocabulary& words() const noexcept { return words_; }
  [[nodiscard]] std::span<const std::uint32_t> classes() const noexcept { return class_of_; }
  [[nodiscard]] std::uint32_t class_count() const noexcept { return static_cast<std::uint32_t>(class_tokens_.size()); }

 private:
  struct Count {
    std::uint32_t what;  // a class, or a history
    std::uint64_t tokens;
  };
  [[nodiscard]] std::span<const Count> histories(WordId word) const noexcept {
    return {histories_.data() + starts_[word], starts_[word + 1] - starts_[word]};
  }
  [[nodiscard]] std::uint32_t best_class(WordId word, std::vector<double>& gains) const;
  void move(WordId word, std::uint32_t to);

  std::uint64_t min_count_;
  Vocabulary words_;
  std::vector<WordId> text_;
  std::vector<std::uint64_t> tokens_;  // of each word
  std::vector<Count> histories_;       // of each word: what stands before it, how often
  std::vector<std::size_t> starts_;
  std::vector<std::vector<Count>> rows_;  // of each history: classes that follow it, how often
  std::vector<std::uint32_t> class_of_;
  std::vector<std::uint64_t> class_tokens_;
  std::vector<std::uint32_t> class_words_;
  std::vector<WordId> order_;
  std::uint64_t iteration_ = 0;
};

}  // namespace dragoman::lm
