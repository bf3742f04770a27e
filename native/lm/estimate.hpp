#pragma once
// Estimation of back-off models: interpolated modified Kneser-Ney (Chen and Goodman 1998; streaming in sorted order as
// Heafield et al. 2013), Katz (1987), and interpolated Witten and Bell (1991).
//
// Every event (a word and what precedes it) is one record: its words newest first, back to the order of the model or to
// `<s>`. Sorted, the records show each n-gram of each order as a run, so that one pass gives all adjusted counts. A
// second sort per order groups n-grams by context for denominators and back-off weights; everything after that is
// merging of streams in the same order. All of it works within a memory budget, with the same result. Only Kneser-Ney
// adjusts counts of lower orders. Katz does not interpolate: its back-off weights follow from the probabilities of the
// order below, so they are filled in one order later.
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "lm/discounts.hpp"
#include "lm/ngrams.hpp"

namespace dragoman::lm {

struct EstimateSettings {
  int order = 5;
  Smoothing smoothing = Smoothing::kneser_ney;
  std::vector<std::uint64_t> prune;  // n-grams of order n with count <= prune[n - 1] go; the last value is repeated
  bool interpolate_unigrams = true;  // with the uniform distribution; if not, `<unk>` gets all the mass left over
  bool skip_special = false;         // `<s>`, `</s>`, `<unk>` in text are left out instead of refused
  DiscountValues fallback{0.5, 1.0, 1.5};
  Budget budget;
};

struct OrderReport {
  std::uint64_t types = 0, kept = 0;
  Discounts discounts;
};

class Estimator {
 public:
  explicit Estimator(EstimateSettings settings);
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  // Only these words are kept in the model; n-grams with others are pruned, their mass goes to shorter n-grams.
  void limit_vocabulary(std::span<const std::string_view> words);
  // This n-gram stays whatever its count. In trees a context may be rarer than what follows it, so that pruning by
  // count would keep an n-gram and drop its context; whoever prunes such counts says which contexts are needed.
  void require(std::string_view ngram);

  // Sentences, one per text; `first_line` numbers them in errors.
  void add_sentences(std::span<const std::string_view> sentences, std::uint64_t first_line);
  // One n-gram with its count, oldest word first. Needed are those of the full order and the shorter ones that begin
  // with `<s>`; other shorter ones follow from them and are only checked to do so.
  void add_count(std::string_view ngram, std::uint64_t count, std::uint64_t line);

  // Where events are counted elsewhere (`lm/adjust.hpp`): numbers of words in the order in which the text has them
  // first, then adjusted counts, range by range of the newest word. They stand in place of `count`.
  [[nodiscard]] std::vector<WordId> number(std::span<const std::string_view> words);
  void begin_adjusted(std::uint64_t tokens, std::uint64_t sentences);
  void add_adjusted(std::span<const std::uint32_t> records);
  void end_counts();

  // The stages, in this order.
  void count();
  void normalize(int threads);
  void interpolate(int order);  // for each order from 1 up

  [[nodiscard]] std::uint64_t tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::uint64_t sentences() const noexcept { return sentences_; }
  [[nodiscard]] const std::vector<OrderReport>& orders() const noexcept { return reports_; }
  [[nodiscard]] Ngrams take() { return std::move(ngrams_); }

 private:
  struct Level {
    RecordSpool words;     // kept n-grams in suffix order; of order 1 with their counts
    RecordSorter context;  // n-grams sorted by context
    RecordSpool shares;    // of each kept n-gram: discounted probability, and the back-off weight of its context
    RecordSpool backoffs;  // contexts of this order's n-grams in suffix order, with their back-off weight
    CountsOfCounts counts;
    std::uint64_t denominator = 0;  // order 1 only: the sum of all counts
    Level(int order, const Budget& budget);
  };

  void begin_counts();
  [[nodiscard]] bool keeps(int order, const std::uint32_t* words, std::uint64_t raw) const noexcept;
  void emit(int order, const std::uint32_t* words, std::uint64_t adjusted, std::uint64_t raw);
  void normalize_order(int order);
  void back_off(int order);

  EstimateSettings settings_;
  std::size_t order_;
  Ngrams ngrams_;
  RecordSorter events_;
  std::vector<Level> levels_;
  std::vector<OrderReport> reports_;
  std::vector<WordId> allowed_;             // of the vocabulary limit
  std::set<std::vector<WordId>> required_;  // newest first
  bool limited_ = false;
  std::uint64_t tokens_ = 0, sentences_ = 0;
  std::vector<WordId> sentence_;
};

}  // namespace dragoman::lm
