#pragma once
// An n-gram model to query. Immutable once made, hence shared by all threads without a lock; mapped from a file, so
// that opening costs the same whatever its size. Everything a decoder calls per word is inline.
//
// Words are numbered by the model's own vocabulary, 0 being `<unk>`. A decoder with a vocabulary of its own makes one
// array with `map_words` when it starts and translates ids through it; a class model is the same model queried through
// an array that leads from words to classes.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/binary_file.hpp"
#include "common/vocabulary.hpp"
#include "lm/compact.hpp"
#include "lm/hashed.hpp"
#include "lm/word_table.hpp"

namespace dragoman::lm {

enum class Layout : std::uint32_t { hashed, compact };

struct ModelHeader {
  Layout layout;
  std::uint32_t order;
  WordId begin, end;                         // `<s>` and `</s>`; 0 where the model has none
  std::uint32_t logprob_bits, backoff_bits;  // of the compact layout
  std::uint64_t fingerprint;                 // of all n-grams and their stored values
  std::uint64_t inserted;                    // n-grams added so that every part of an n-gram is one
  std::uint64_t seed;                        // of the keys of words
  std::uint64_t counts[kMaxOrder];
  std::uint64_t key_bits;  // of the hashed layout, as are the parts of its array
  ArcRegion regions[kMaxOrder];
};
static_assert(sizeof(ModelHeader) == 56 + 24 * kMaxOrder);

// The parts of a model as they lie in a file, or in memory when it was just built.
struct ModelImage {
  ModelHeader header{};
  std::vector<std::uint32_t> ends;  // of the words in `letters`
  std::vector<char> letters;
  std::vector<WordEntry> table;
  std::vector<ArcBucket> arcs;         // of the hashed layout
  std::vector<std::uint8_t> unigrams;  // of the compact layout, as all that follows
  std::vector<float> books;
  std::vector<std::uint8_t> levels[kMaxOrder - 1];  // orders 2 and up

  void save(const std::filesystem::path& path) const;
};

class Model {
 public:
  static Model open(const std::filesystem::path& file);  // throws FormatError
  explicit Model(ModelImage image);                      // takes over what was just built

  [[nodiscard]] int order() const noexcept { return static_cast<int>(header_.order); }
  [[nodiscard]] const ModelHeader& header() const noexcept { return header_; }
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return {header_.counts, header_.order}; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  void save(const std::filesystem::path& path) const;

  [[nodiscard]] const WordTable& words() const noexcept { return words_; }
  [[nodiscard]] std::size_t size() const noexcept { return words_.size(); }
  [[nodiscard]] WordId id(std::string_view word) const noexcept { return words_.id(word); }
  [[nodiscard]] std::string_view word(WordId id) const noexcept { return words_.word(id); }
  // For each id of another vocabulary, this model's id.
  [[nodiscard]] std::vector<WordId> map_words(const VocabularyView& others) const;

  [[nodiscard]] State begin_state() const noexcept;

  // The natural log of p(word | state); `out` must not be `in`. Words must be smaller than `size()`.
  double score(const State& in, WordId word, State& out, Match& match) const noexcept {
    return header_.layout == Layout::hashed ? hashed_.score(in, word, out, match)
                                            : compact_.score(in, word, out, match);
  }
  double score(const State& in, WordId word, State& out) const noexcept {
    Match match;
    return score(in, word, out, match);
  }
  // Asks memory for all that scoring a word may look at, where the layout knows where that is.
  void prefetch(const State& in, WordId word) const noexcept {
    if (header_.layout == Layout::hashed) hashed_.prefetch(in, word);
  }
  // A whole phrase: words in text order, state in and out; `out` must not be `in`.
  double score_phrase(const State& in, std::span<const WordId> words, State& out) const noexcept {
    out = in;
    double total = 0;
    for (const WordId word : words) {
      const State before = out;
      total += score(before, word, out);
    }
    return total;
  }
  double score_end(const State& in) const noexcept {
    State unused;
    return score(in, header_.end, unused);
  }

  // Calls use(tables) with the layout at hand, for loops that should not ask for it at each step.
  template <typename Use>
  decltype(auto) with_tables(Use&& use) const {
    return header_.layout == Layout::hashed ? use(hashed_) : use(compact_);
  }

 private:
  Model() = default;
  struct Parts;
  void attach(const Parts& parts, const std::string& name);

  std::shared_ptr<const void> owner_;
  const ModelImage* image_ = nullptr;  // when built in memory
  ModelHeader header_{};
  std::uint64_t bytes_ = 0;
  std::filesystem::path path_;
  WordTable words_;
  Hashed hashed_;
  Compact compact_;
};

}  // namespace dragoman::lm
