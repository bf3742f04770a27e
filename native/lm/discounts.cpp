#include "lm/discounts.hpp"

#include <algorithm>

namespace dragoman::lm {
namespace {

Discounts fixed(const DiscountValues& values, std::string reason) {
  Discounts found{.used = values.size(), .fallback_reason = std::move(reason)};
  std::copy(values.begin(), values.end(), found.values.begin());
  return found;
}

Discounts kneser_ney(const CountsOfCounts& counts, const DiscountValues& fallback) {
  const auto& n = counts.n;
  for (std::size_t k = 1; k <= 3; ++k)
    if (n[k] == 0) return fixed(fallback, "no n-gram has adjusted count " + std::to_string(k));
  Discounts found{.used = 3};
  const double y = static_cast<double>(n[1]) / static_cast<double>(n[1] + 2 * n[2]);
  for (std::size_t k = 1; k <= 3; ++k) {
    const double value = static_cast<double>(k) -
                         static_cast<double>(k + 1) * y * static_cast<double>(n[k + 1]) / static_cast<double>(n[k]);
    if (value < 0 || value > static_cast<double>(k))
      return fixed(fallback, "the discount for count " + std::to_string(k) + " would be " + std::to_string(value));
    found.values[k - 1] = value;
  }
  return found;
}

Discounts katz(int order, const CountsOfCounts& counts, const DiscountValues& fallback) {
  const std::size_t limit = order == 1 ? 1 : kKatzLimit;
  const auto& n = counts.n;
  for (std::size_t k = 1; k <= limit + 1; ++k)
    if (n[k] == 0) return fixed(fallback, "no n-gram has count " + std::to_string(k));
  Discounts found{.used = limit + 1};  // the last one stays 0
  const auto share = [&](std::size_t k) {
    return static_cast<double>(k + 1) * static_cast<double>(n[k + 1]) / static_cast<double>(n[k]);
  };
  const double common = static_cast<double>(limit + 1) * static_cast<double>(n[limit + 1]) / static_cast<double>(n[1]);
  for (std::size_t k = 1; k <= limit; ++k) {
    const auto count = static_cast<double>(k);
    const double kept = (share(k) / count - common) / (1 - common);
    if (!(kept > 0 && kept <= 1))
      return fixed(fallback, "the factor for count " + std::to_string(k) + " would be " + std::to_string(kept));
    found.values[k - 1] = count * (1 - kept);
  }
  return found;
}

}  // namespace

Discounts discounts(Smoothing smoothing, int order, const CountsOfCounts& counts, const DiscountValues& fallback) {
  switch (smoothing) {
    case Smoothing::katz:
      return katz(order, counts, fallback);
    case Smoothing::witten_bell:
      return {};
    case Smoothing::kneser_ney:
      break;
  }
  return kneser_ney(counts, fallback);
}

}  // namespace dragoman::lm
