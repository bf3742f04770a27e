#pragma once
// Expected counts as fixed-point integers: sums of integers do not depend on their order, so many threads may add to
// one table and the result is the same for any number of them, to the last bit.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/error.hpp"

namespace dragoman::align {

// Those counts of a table that are not zero, so that tables of parts of a text travel in little space.
struct SparseCounts {
  std::vector<std::uint32_t> places;  // in order
  std::vector<std::uint64_t> units;
};

class FixedCounts {
 public:
  static constexpr double kUnits = 4294967296.0;  // per one; a total may reach four thousand million

  explicit FixedCounts(std::size_t size = 0) : values_(size) {}

  void clear() { values_.assign(values_.size(), 0); }
  void resize(std::size_t size) { values_.assign(size, 0); }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  void add(std::size_t at, float amount) noexcept {
    const auto units = static_cast<std::uint64_t>(static_cast<double>(amount) * kUnits);
    if (units != 0) std::atomic_ref(values_[at]).fetch_add(units, std::memory_order_relaxed);
  }
  [[nodiscard]] SparseCounts sparse() const {
    SparseCounts found;
    for (std::size_t at = 0; at < values_.size(); ++at)
      if (values_[at] != 0) {
        found.places.push_back(static_cast<std::uint32_t>(at));
        found.units.push_back(values_[at]);
      }
    return found;
  }
  void add(std::span<const std::uint32_t> places, std::span<const std::uint64_t> units) {
    if (places.size() != units.size()) throw InputError("counts without their places");
    for (std::size_t at = 0; at < places.size(); ++at) {
      if (places[at] >= values_.size()) throw InputError("counts of another text");
      values_[places[at]] += units[at];
    }
  }
  [[nodiscard]] double operator[](std::size_t at) const noexcept { return static_cast<double>(values_[at]) / kUnits; }

 private:
  std::vector<std::uint64_t> values_;
};

}  // namespace dragoman::align
