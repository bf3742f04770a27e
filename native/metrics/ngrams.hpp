#pragma once
// N-grams by number. An n-gram is known by the number of its first n-1 words and its last word, so that a table of
// such pairs gives equal n-grams equal numbers, exactly, without ever storing an n-gram.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/hash.hpp"
#include "common/ids.hpp"

namespace dragoman::metrics {

class NgramTable {
 public:
  static constexpr std::uint32_t kRoot = ~std::uint32_t{0} - 1;  // the empty n-gram
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Forgets everything; cheap, because slots carry the time of their writing.
  void clear() noexcept {
    size_ = 0;
    if (++epoch_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      epoch_ = 1;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // The number of `prefix` followed by `word`; numbers count up from 0.
  std::uint32_t add(std::uint32_t prefix, WordId word) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    const std::uint64_t key = pack(prefix, word);
    std::size_t at = mix(key) & (slots_.size() - 1);
    while (slots_[at].epoch == epoch_) {
      if (slots_[at].key == key) return slots_[at].number;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {key, static_cast<std::uint32_t>(size_), epoch_};
    return static_cast<std::uint32_t>(size_++);
  }

  // kNone if it was never added.
  [[nodiscard]] std::uint32_t find(std::uint32_t prefix, WordId word) const noexcept {
    if (slots_.empty()) return kNone;
    const std::uint64_t key = pack(prefix, word);
    std::size_t at = mix(key) & (slots_.size() - 1);
    while (slots_[at].epoch == epoch_) {
      if (slots_[at].key == key) return slots_[at].number;
      at = (at + 1) & (slots_.size() - 1);
    }
    return kNone;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
    std::uint32_t epoch = 0;
  };

  static std::uint64_t pack(std::uint32_t prefix, WordId word) noexcept {
    return (static_cast<std::uint64_t>(prefix) << 32) | word;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 256 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.epoch != epoch_) continue;
      std::size_t at = mix(slot.key) & (slots_.size() - 1);
      while (slots_[at].epoch == epoch_) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::uint32_t epoch_ = 1;
};

// Calls use(n - 1, number) for every n-gram of a text, up to `order`, adding new ones.
template <typename Use>
void add_ngrams(NgramTable& table, std::span<const WordId> words, int order, Use&& use) {
  for (std::size_t start = 0; start < words.size(); ++start) {
    std::uint32_t number = NgramTable::kRoot;
    for (int n = 0; n < order && start + static_cast<std::size_t>(n) < words.size(); ++n) {
      number = table.add(number, words[start + static_cast<std::size_t>(n)]);
      use(n, number);
    }
  }
}

// Calls use(n - 1, number) for every n-gram of a text that the table knows.
template <typename Use>
void find_ngrams(const NgramTable& table, std::span<const WordId> words, int order, Use&& use) {
  for (std::size_t start = 0; start < words.size(); ++start) {
    std::uint32_t number = NgramTable::kRoot;
    for (int n = 0; n < order && start + static_cast<std::size_t>(n) < words.size(); ++n) {
      number = table.find(number, words[start + static_cast<std::size_t>(n)]);
      if (number == NgramTable::kNone) break;  // nor is anything longer there
      use(n, number);
    }
  }
}

// N-gram counts of one segment's references, each the largest in any single reference, and how much of them a
// hypothesis has used up.
class ClippedCounts {
 public:
  void clear() noexcept {
    table_.clear();
    counts_.clear();
  }

  void add_reference(std::span<const WordId> words, int order) {
    add_ngrams(table_, words, order, [this](int, std::uint32_t number) {
      if (number == counts_.size()) counts_.emplace_back();
      ++counts_[number].here;
    });
    for (Count& count : counts_) {
      count.limit = std::max(count.limit, count.here);
      count.here = 0;
    }
  }

  [[nodiscard]] const NgramTable& table() const noexcept { return table_; }

  // Whether one more occurrence of this n-gram is a match.
  [[nodiscard]] bool take(std::uint32_t number) noexcept {
    Count& count = counts_[number];
    return count.used < count.limit && ++count.used > 0;
  }

 private:
  struct Count {
    std::uint32_t limit = 0, here = 0, used = 0;
  };
  NgramTable table_;
  std::vector<Count> counts_;
};

[[nodiscard]] inline double ngram_total(std::size_t words, int n_minus_1) noexcept {
  const auto n = static_cast<std::size_t>(n_minus_1);
  return words > n ? static_cast<double>(words - n) : 0.0;
}

}  // namespace dragoman::metrics
