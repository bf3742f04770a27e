#pragma once
// The n-grams of a model as plain lists, one per order: what estimation makes, ARPA files hold, and models are built
// from. Words inside a record are newest first, because look-up, tries and suffix order all start from the last word.
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"
#include "lm/records.hpp"

namespace dragoman::lm {

inline constexpr std::string_view kBeginWord = "<s>", kEndWord = "</s>", kUnknownWord = "<unk>";
inline constexpr double kLn10 = 2.302585092994045684;
inline constexpr double kMissingUnknownLog10 = -100;  // for `<unk>` in a list that lacks it, as in KenLM
// More than any language model in use; it fixes the size of a state, which decoders copy millions of times.
inline constexpr int kMaxOrder = 10;

// A record of order n is n words, then logprob and backoff (natural logs) as doubles.
[[nodiscard]] constexpr std::size_t ngram_width(int order) noexcept { return static_cast<std::size_t>(order) + 4; }

struct Ngrams {
  Ngrams() = default;
  Ngrams(Ngrams&&) = default;
  Ngrams& operator=(Ngrams&&) = default;
  Ngrams(const Ngrams&) = delete;
  Ngrams& operator=(const Ngrams&) = delete;

  Vocabulary words;
  std::vector<RecordSpool> levels;  // levels[n - 1] holds the n-grams of order n

  [[nodiscard]] int order() const noexcept { return static_cast<int>(levels.size()); }
  [[nodiscard]] static double logprob(const std::uint32_t* record, int order) noexcept {
    return get_double(record + order);
  }
  [[nodiscard]] static double backoff(const std::uint32_t* record, int order) noexcept {
    return get_double(record + order + 2);
  }
  void append(int order, std::span<const WordId> newest_first, double logprob, double backoff) {
    std::uint32_t record[kMaxOrder + 4];
    for (int i = 0; i < order; ++i) record[i] = newest_first[static_cast<std::size_t>(i)];
    put(record + order, logprob);
    put(record + order + 2, backoff);
    levels[static_cast<std::size_t>(order) - 1].append({record, ngram_width(order)});
  }
};

}  // namespace dragoman::lm
