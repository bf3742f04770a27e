#pragma once
// Ordered linear probing over mapped memory. Entries lie sorted by their 64-bit key, each at or shortly after the slot
// that its key points to; free slots hold the largest key. A search therefore stops at the first key that is not
// smaller, whether it succeeds or fails, which allows a fuller table than plain probing, and the layout does not depend
// on the order of insertion.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "common/wide_product.hpp"

namespace dragoman::lm {

inline constexpr std::uint64_t kFreeKey = ~std::uint64_t{0};

[[nodiscard]] constexpr std::uint64_t usable_key(std::uint64_t hash) noexcept {
  return hash == kFreeKey ? kFreeKey - 1 : hash;
}

// Slots for a number of entries, one in `spare` more than those.
[[nodiscard]] constexpr std::uint64_t slots_for(std::uint64_t entries, std::uint64_t spare) noexcept {
  return entries + entries / spare + 1;
}

// floor(key / 2^64 * slots): keeps the order of keys.
[[nodiscard]] inline std::uint64_t first_slot(std::uint64_t key, std::uint64_t slots) noexcept {
  return wide_product(key, slots).high;
}

// An Entry begins with its key, which need not be aligned.
template <typename Entry>
[[nodiscard]] inline std::uint64_t key_of(const Entry& entry) noexcept {
  std::uint64_t key;
  std::memcpy(&key, &entry, sizeof key);
  return key;
}

template <typename Entry>
class HashTable {
 public:
  HashTable() = default;
  // `slots` are those that keys point to; entries pushed beyond the last one follow in a short tail.
  HashTable(std::span<const Entry> entries, std::uint64_t slots) noexcept : entries_(entries), slots_(slots) {}

  [[nodiscard]] const Entry* find(std::uint64_t key) const noexcept {
    const Entry* entry = entries_.data() + first_slot(key, slots_);
    const Entry* const end = entries_.data() + entries_.size();
    // Four at a time without a branch: the number of smaller keys is the way to go.
    while (end - entry >= 4) {
      const int smaller =
          (key_of(entry[0]) < key) + (key_of(entry[1]) < key) + (key_of(entry[2]) < key) + (key_of(entry[3]) < key);
      entry += smaller;
      if (smaller < 4) return key_of(*entry) == key ? entry : nullptr;
    }
    while (entry != end && key_of(*entry) < key) ++entry;
    return entry != end && key_of(*entry) == key ? entry : nullptr;
  }
  // Of the entries that have a key, which are neighbours, the one whose slot is accepted.
  template <typename Accept>
  [[nodiscard]] const Entry* find(std::uint64_t key, const Accept& accept) const noexcept {
    const Entry* const end = entries_.data() + entries_.size();
    for (const Entry* entry = find(key); entry != nullptr && entry != end && key_of(*entry) == key; ++entry)
      if (accept(slot(entry))) return entry;
    return nullptr;
  }
  void prefetch([[maybe_unused]] std::uint64_t key) const noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(entries_.data() + first_slot(key, slots_));
#endif
  }

  [[nodiscard]] const Entry& operator[](std::uint64_t slot) const noexcept { return entries_[slot]; }
  [[nodiscard]] std::uint64_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::uint64_t slot(const Entry* entry) const noexcept {
    return static_cast<std::uint64_t>(entry - entries_.data());
  }

 private:
  std::span<const Entry> entries_;
  std::uint64_t slots_ = 0;
};

// Lays out entries, given in any order; those of equal keys lie beside each other. `slot_of[i]` becomes the slot of
// entry i.
template <typename Entry>
[[nodiscard]] std::vector<Entry> lay_out(std::span<const Entry> entries, const Entry& free, std::uint64_t spare,
                                         std::vector<std::uint32_t>& slot_of) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) order[i] = {key_of(entries[i]), static_cast<std::uint32_t>(i)};
  std::sort(order.begin(), order.end());
  const std::uint64_t slots = slots_for(entries.size(), spare);
  std::vector<Entry> table(slots, free);
  slot_of.resize(entries.size());
  std::uint64_t next = 0;
  for (const auto& [key, index] : order) {
    next = std::max(next, first_slot(key, slots));
    if (next >= table.size()) table.push_back(free);
    slot_of[index] = static_cast<std::uint32_t>(next);
    table[next++] = entries[index];
  }
  return table;
}

}  // namespace dragoman::lm
