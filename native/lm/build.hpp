#pragma once
// From lists of n-grams to a model: missing parts of n-grams are inserted, what each n-gram can be part of is marked,
// and everything is laid out.
#include <cstdint>
#include <vector>

#include "common/interned_rows.hpp"
#include "lm/model.hpp"
#include "lm/ngrams.hpp"

namespace dragoman::lm {

// All n-grams of a model, closed under taking parts: with each n-gram every contiguous piece of it is listed. Inserted
// pieces have the probability that backing off gives them and a back-off weight of 1, so that nothing changes.
struct ClosedNgrams {
  struct Level {
    InternedRows<WordId> ngrams;  // newest first
    std::vector<float> logprob, backoff;
    std::vector<std::uint8_t> extends_left;

    [[nodiscard]] std::size_t size() const noexcept { return logprob.size(); }
    // The entry of an n-gram that is listed.
    [[nodiscard]] std::uint32_t entry(std::span<const WordId> newest_first) const { return *ngrams.find(newest_first); }
  };
  std::vector<std::string_view> words;  // by id; views into the list it came from
  std::vector<Level> levels;
  std::uint64_t inserted = 0;

  [[nodiscard]] int order() const noexcept { return static_cast<int>(levels.size()); }
  [[nodiscard]] std::span<const WordId> ngram(int order, std::size_t entry) const noexcept {
    return levels[static_cast<std::size_t>(order) - 1].ngrams[static_cast<std::uint32_t>(entry)];
  }
};

[[nodiscard]] ClosedNgrams close_ngrams(Ngrams& ngrams);  // reads each list in order, wherever it is

// Identifies n-grams and values; models that store the same values, in whatever layout, have the same one.
[[nodiscard]] std::uint64_t fingerprint(const ClosedNgrams& ngrams);

struct BuildSettings {
  Layout layout = Layout::hashed;
  int logprob_bits = 8, backoff_bits = 8;  // of the compact layout: 2 to 16, or 32 for exact values
};
[[nodiscard]] ModelImage build(const ClosedNgrams& ngrams, const BuildSettings& settings);

// The n-grams of a model, in no particular order.
[[nodiscard]] Ngrams list_ngrams(const Model& model);

}  // namespace dragoman::lm
