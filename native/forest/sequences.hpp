#pragma once
// Two small tables for n-grams and automata: pairs of ids to ids, and word sequences to consecutive ids.
#include <cstdint>
#include <span>
#include <vector>

#include "common/hash.hpp"
#include "forest/forest.hpp"

namespace dragoman::forest {

inline constexpr std::uint32_t kAbsent = 0xffffffffu;

// Maps (a, b) to a number; open addressing, no removal.
class PairMap {
 public:
  PairMap() : slots_(64, Slot{0, kAbsent}) {}

  // The number of a pair, kAbsent if it has none.
  [[nodiscard]] std::uint32_t find(std::uint32_t a, std::uint32_t b) const noexcept {
    return slots_[probe(slots_, key(a, b))].number;
  }
  // Gives a pair a number (not kAbsent) if it has none, and returns the one it has.
  std::uint32_t insert(std::uint32_t a, std::uint32_t b, std::uint32_t number) {
    Slot& slot = slots_[probe(slots_, key(a, b))];
    if (slot.number != kAbsent) return slot.number;
    slot = {key(a, b), number};
    if (++used_ * 2 > slots_.size()) grow();
    return number;
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t number;
  };
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) noexcept { return std::uint64_t{a} << 32 | b; }
  static std::size_t probe(const std::vector<Slot>& slots, std::uint64_t key) noexcept {
    std::size_t at = mix(key) & (slots.size() - 1);
    while (slots[at].number != kAbsent && slots[at].key != key) at = (at + 1) & (slots.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Slot> larger(slots_.size() * 2, Slot{0, kAbsent});
    for (const Slot& slot : slots_)
      if (slot.number != kAbsent) larger[probe(larger, slot.key)] = slot;
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

// Numbers sequences of words 0, 1, 2, ... in the order in which they are first seen.
class SequenceIndex {
 public:
  SequenceIndex() : slots_(64, kAbsent) {}

  [[nodiscard]] std::size_t size() const noexcept { return sequences_.size(); }
  [[nodiscard]] std::span<const WordId> operator[](std::size_t id) const noexcept { return sequences_[id]; }
  [[nodiscard]] const Rows<WordId>& rows() const noexcept { return sequences_; }
  [[nodiscard]] std::uint32_t find(std::span<const WordId> words) const noexcept { return slots_[probe(words)]; }
  std::uint32_t insert(std::span<const WordId> words) {
    const std::size_t slot = probe(words);
    if (slots_[slot] != kAbsent) return slots_[slot];
    const auto id = static_cast<std::uint32_t>(size());
    slots_[slot] = id;
    sequences_.push_back(words);
    if (size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, kAbsent);
      for (std::uint32_t other = 0; other <= id; ++other) slots_[probe(sequences_[other])] = other;
    }
    return id;
  }

 private:
  [[nodiscard]] std::size_t probe(std::span<const WordId> words) const noexcept {
    std::size_t at = hash_bytes(words.data(), words.size_bytes()) & (slots_.size() - 1);
    while (slots_[at] != kAbsent && !same(sequences_[slots_[at]], words)) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  static bool same(std::span<const WordId> a, std::span<const WordId> b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

  Rows<WordId> sequences_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace dragoman::forest
