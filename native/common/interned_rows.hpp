#pragma once
// Rows of numbers, all of one width, interned to small consecutive ids: equal rows get equal ids. For n-grams, and for
// states whose size is known only at run time; nothing is allocated per row.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "common/hash.hpp"

namespace dragoman {

template <typename T>
class InternedRows {
  static_assert(std::has_unique_object_representations_v<T>, "rows are compared and hashed by their bytes");

 public:
  InternedRows() : slots_(256) {}

  void reset(std::size_t width) {
    width_ = width;
    size_ = 0;
    values_.clear();
    slots_.assign(slots_.size(), Slot{});
  }

  // The row must not be one of these.
  std::uint32_t intern(std::span<const T> row) {
    const std::uint64_t hash = hash_of(row);
    Slot& slot = slots_[probe(row, hash)];
    if (slot.entry != 0) return slot.entry - 1;
    const std::uint32_t id = size_++;
    values_.insert(values_.end(), row.begin(), row.end());
    slot = {id + 1, tag_of(hash)};
    if (std::size_t{size_} * 2 > slots_.size()) grow();
    return id;
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::span<const T> row) const noexcept {
    const std::uint32_t entry = slots_[probe(row, hash_of(row))].entry;
    if (entry == 0) return std::nullopt;
    return entry - 1;
  }

  // Valid until the next call of `intern`.
  [[nodiscard]] std::span<const T> operator[](std::uint32_t id) const noexcept {
    return {values_.data() + std::size_t{id} * width_, width_};
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct Slot {
    std::uint32_t entry = 0;  // id + 1; 0: empty
    std::uint32_t tag = 0;    // high half of the hash, so that most mismatches need no comparison
  };

  [[nodiscard]] static std::uint64_t hash_of(std::span<const T> row) noexcept {
    return hash_bytes(row.data(), row.size_bytes());
  }
  [[nodiscard]] static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 32);
  }
  // Where a row is, or would be.
  [[nodiscard]] std::size_t probe(std::span<const T> row, std::uint64_t hash) const noexcept {
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].entry != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].tag == tag_of(hash) && std::ranges::equal(row, (*this)[slots_[at].entry - 1])) break;
    return at;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, Slot{});
    for (std::uint32_t id = 0; id < size_; ++id) {
      const std::uint64_t hash = hash_of((*this)[id]);
      std::size_t at = hash & (slots_.size() - 1);
      while (slots_[at].entry != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {id + 1, tag_of(hash)};
    }
  }

  std::size_t width_ = 0;
  std::uint32_t size_ = 0;
  std::vector<T> values_;
  std::vector<Slot> slots_;
};

}  // namespace dragoman
