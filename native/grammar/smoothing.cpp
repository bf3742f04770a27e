#include "grammar/smoothing.hpp"

#include <algorithm>

namespace dragoman::grammar {

std::array<double, kGoodTuringMost + 1> good_turing_discounts(const CountOfCounts& pairs) {
  std::array<double, kGoodTuringMost + 1> discounts{};
  discounts[0] = 0.01;
  for (std::size_t c = 1; c < discounts.size(); ++c) {
    const auto now = static_cast<double>(pairs[c]) + 0.1, next = static_cast<double>(pairs[c + 1]) + 0.1;
    const double raw = (static_cast<double>(c) + 1) / static_cast<double>(c) * next / now;
    discounts[c] = std::max(discounts[c - 1], std::min(1.0, raw));
  }
  return discounts;
}

KneserNeyDiscounts kneser_ney_discounts(const CountOfCounts& pairs) {
  const auto n = [&](std::size_t c) { return static_cast<double>(pairs[c]); };
  if (n(1) > 0 && n(2) > 0 && n(3) > 0) {
    const double y = n(1) / (n(1) + 2 * n(2));
    const KneserNeyDiscounts found{1 - 2 * y * n(2) / n(1), 2 - 3 * y * n(3) / n(2), 3 - 4 * y * n(4) / n(3), true};
    if (found.one > 0 && found.one < 1 && found.two > 0 && found.two < 2 && found.more > 0 && found.more < 3)
      return found;
  }
  return {0.5, 1.0, 1.5, false};
}

}  // namespace dragoman::grammar
