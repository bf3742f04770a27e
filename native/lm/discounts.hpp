#pragma once
// Modified Kneser-Ney discounts from counts of counts (Chen and Goodman 1998, equation 26). On small or artificial text
// the estimate does not exist or leaves its range; then the order gets fixed discounts, and says so.
#include <array>
#include <cstdint>
#include <string>

namespace dragoman::lm {

struct CountsOfCounts {
  std::array<std::uint64_t, 5> n{};  // n[k]: n-grams with adjusted count k, pruned ones included
  std::uint64_t types = 0, kept = 0;

  void add(std::uint64_t count, bool keep) noexcept {
    ++types;
    kept += keep;
    if (count < n.size()) ++n[count];
  }
};

using DiscountValues = std::array<double, 3>;  // for counts 1, 2, and 3 or more

struct Discounts {
  DiscountValues values{};
  std::string fallback_reason;  // empty: estimated from the counts

  [[nodiscard]] double of(std::uint64_t count) const noexcept {
    return count == 0 ? 0.0 : values[(count > 3 ? 3 : count) - 1];
  }
};

[[nodiscard]] Discounts discounts(const CountsOfCounts& counts, const DiscountValues& fallback);

}  // namespace dragoman::lm
