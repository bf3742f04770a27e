#include "lm/discounts.hpp"

namespace dragoman::lm {

Discounts discounts(const CountsOfCounts& counts, const DiscountValues& fallback) {
  const auto& n = counts.n;
  for (std::size_t k = 1; k <= 3; ++k)
    if (n[k] == 0) return {fallback, "no n-gram has adjusted count " + std::to_string(k)};
  Discounts found;
  const double y = static_cast<double>(n[1]) / static_cast<double>(n[1] + 2 * n[2]);
  for (std::size_t k = 1; k <= 3; ++k) {
    const double value = static_cast<double>(k) -
                         static_cast<double>(k + 1) * y * static_cast<double>(n[k + 1]) / static_cast<double>(n[k]);
    if (value < 0 || value > static_cast<double>(k))
      return {fallback, "the discount for count " + std::to_string(k) + " would be " + std::to_string(value)};
    found.values[k - 1] = value;
  }
  return found;
}

}  // namespace dragoman::lm
