#pragma once
// From lists of n-grams to a model: missing parts of n-grams are inserted, what each n-gram can be part of is marked,
// and everything is laid out.
#include <cstdint>
#include <vector>

#include "lm/model.hpp"
#include "lm/ngrams.hpp"

namespace dragoman::lm {

// A hash of the words of an n-gram, newest first, word by word; distinct n-grams are trusted to differ.
[[nodiscard]] constexpr Node word_node(WordId word) noexcept { return combine(0, word); }
[[nodiscard]] constexpr Node extended(Node node, WordId older) noexcept { return combine(node, older); }
[[nodiscard]] inline Node node_of(std::span<const WordId> newest_first) noexcept {
  Node node = word_node(newest_first[0]);
  for (const WordId word : newest_first.subspan(1)) node = extended(node, word);
  return node;
}

// Numbers n-grams by the hash of their words.
class NgramIndex {
 public:
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t find(Node key) const noexcept;
  std::uint32_t insert(Node key);  // the number of a key, the next one if it is new
  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] Node key(std::uint32_t number) const noexcept { return keys_[number]; }

 private:
  void grow();
  std::vector<Node> keys_;
  std::vector<std::uint32_t> slots_;
};

// All n-grams of a model, closed under taking parts: with each n-gram every contiguous piece of it is listed. Inserted
// pieces have the probability that backing off gives them and a back-off weight of 1, so that nothing changes.
struct ClosedNgrams {
  struct Level {
    std::vector<WordId> words;  // newest first, `order` per entry
    std::vector<float> logprob, backoff;
    std::vector<std::uint8_t> extends_left;
    NgramIndex index;

    [[nodiscard]] std::size_t size() const noexcept { return logprob.size(); }
  };
  std::vector<std::string_view> words;  // by id; views into the list it came from
  std::vector<Level> levels;
  std::uint64_t inserted = 0;

  [[nodiscard]] int order() const noexcept { return static_cast<int>(levels.size()); }
  [[nodiscard]] std::span<const WordId> ngram(int order, std::size_t entry) const noexcept {
    const auto n = static_cast<std::size_t>(order);
    return {levels[n - 1].words.data() + entry * n, n};
  }
};

[[nodiscard]] ClosedNgrams close_ngrams(Ngrams& ngrams);  // loads the lists into memory

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
