#pragma once
// The hashed layout: one table per order, keyed by a hash of all words of the n-gram. Fastest; about 20 bytes an
// n-gram.
#include <array>
#include <bit>
#include <cmath>

#include "lm/hash_table.hpp"
#include "lm/state.hpp"

namespace dragoman::lm {

// Probabilities are at most 1, so the sign of the stored logarithm is free: positive means "extends to the left".
struct UnigramEntry {
  float logprob, backoff;
};
struct MiddleEntry {
  std::uint64_t key;
  float logprob, backoff;
};
struct LongestEntry {
  std::uint32_t key[2];
  float logprob;
};
static_assert(sizeof(UnigramEntry) == 8 && sizeof(MiddleEntry) == 16 && sizeof(LongestEntry) == 12);

[[nodiscard]] inline Node word_node(WordId word) noexcept { return combine(0, word); }
[[nodiscard]] inline Node extended(Node node, WordId older) noexcept { return combine(node, older); }

class Hashed {
 public:
  Hashed() = default;
  Hashed(int order, std::span<const UnigramEntry> unigrams) noexcept : order_(order), unigrams_(unigrams) {}
  void set_middle(int order, HashTable<MiddleEntry> table) noexcept {
    middle_[static_cast<std::size_t>(order)] = table;
  }
  void set_longest(HashTable<LongestEntry> table) noexcept { longest_ = table; }

  [[nodiscard]] Node start(WordId word, Found& found) const noexcept {
    read(unigrams_[word], found);
    return word_node(word);
  }
  // From an n-gram to the one that has `older` before it, of order `order`; false if there is none.
  [[nodiscard]] bool extend(int order, Node& node, WordId older, Found& found) const noexcept {
    node = extended(node, older);
    const std::uint64_t key = usable_key(node);
    if (order == order_) {
      const LongestEntry* entry = longest_.find(key);
      if (entry == nullptr) return false;
      found = {-std::abs(entry->logprob), kNoExtension, false};
      return true;
    }
    const MiddleEntry* entry = middle_[static_cast<std::size_t>(order)].find(key);
    if (entry == nullptr) return false;
    read(*entry, found);
    return true;
  }
  void prefetch(int order, Node node) const noexcept {
    if (order == order_)
      longest_.prefetch(node);
    else
      middle_[static_cast<std::size_t>(order)].prefetch(node);
  }

 private:
  template <typename Entry>
  static void read(const Entry& entry, Found& found) noexcept {
    found = {-std::abs(entry.logprob), entry.backoff, !std::signbit(entry.logprob)};
  }

  int order_ = 0;
  std::span<const UnigramEntry> unigrams_;
  std::array<HashTable<MiddleEntry>, kMaxOrder> middle_;
  HashTable<LongestEntry> longest_;
};

}  // namespace dragoman::lm
