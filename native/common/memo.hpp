#pragma once
// Remembers what extending a state by a word or option gave. Many partial translations share a state, so most
// extensions are asked for again and again; a look-up here replaces n-gram queries.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "common/hash.hpp"

namespace dragoman {

class Memo {
 public:
  struct Entry {
    std::uint64_t key = 0;  // (state + 1) << 32 | what extended it; 0: empty
    double score = 0;
    std::uint32_t next = 0;
  };

  Memo() : entries_(1024) {}

  void clear() {
    if (used_ == 0) return;
    entries_.assign(std::max<std::size_t>(1024, std::bit_ceil(used_ * 2)), Entry{});  // the next may be as large
    used_ = 0;
  }

  [[nodiscard]] std::size_t size() const noexcept { return used_; }

  // Fetches what `get` will look at; several such fetches run at the same time.
  void prefetch(std::uint32_t state, std::uint32_t extension) const noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(&entries_[mix(key_of(state, extension)) & (entries_.size() - 1)]);
#endif
  }

  // The entry, made by compute(score, next) if it is new.
  template <typename Compute>
  const Entry& get(std::uint32_t state, std::uint32_t extension, const Compute& compute) {
    const std::uint64_t key = key_of(state, extension);
    std::size_t slot = find(key);
    if (entries_[slot].key != key) {
      Entry made{key, 0, 0};
      compute(made.score, made.next);  // may itself intern states, but never touches this table
      if (++used_ * 2 > entries_.size()) {
        grow();
        slot = find(key);
      }
      entries_[slot] = made;
    }
    return entries_[slot];
  }

 private:
  [[nodiscard]] static std::uint64_t key_of(std::uint32_t state, std::uint32_t extension) noexcept {
    return (std::uint64_t{state} + 1) << 32 | extension;
  }
  [[nodiscard]] std::size_t find(std::uint64_t key) const noexcept {
    std::size_t slot = mix(key) & (entries_.size() - 1);
    while (entries_[slot].key != 0 && entries_[slot].key != key) slot = (slot + 1) & (entries_.size() - 1);
    return slot;
  }
  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.key != 0) entries_[find(entry.key)] = entry;
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

}  // namespace dragoman
