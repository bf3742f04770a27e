#pragma once
// Rows of numbers, all of one width, interned to small consecutive ids: equal rows get equal ids. For states whose size
// is known only at run time; nothing is allocated per row.
#include <algorithm>
#include <cstdint>
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
    slots_.assign(slots_.size(), 0);
  }

  std::uint32_t intern(std::span<const T> row) {
    std::size_t slot = slot_of(row);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t id = slots_[slot] - 1;
      if (std::equal(row.begin(), row.end(), (*this)[id].begin())) return id;
    }
    const std::uint32_t id = size_++;
    values_.insert(values_.end(), row.begin(), row.end());
    slots_[slot] = id + 1;
    if (std::size_t{size_} * 2 > slots_.size()) grow();
    return id;
  }

  // Valid until the next call of `intern`.
  [[nodiscard]] std::span<const T> operator[](std::uint32_t id) const noexcept {
    return {values_.data() + std::size_t{id} * width_, width_};
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] std::size_t slot_of(std::span<const T> row) const noexcept {
    return hash_bytes(row.data(), row.size_bytes()) & (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t id = 0; id < size_; ++id) {
      std::size_t slot = slot_of((*this)[id]);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = id + 1;
    }
  }

  std::size_t width_ = 0;
  std::uint32_t size_ = 0;
  std::vector<T> values_;
  std::vector<std::uint32_t> slots_;  // id + 1; 0: empty
};

}  // namespace dragoman
