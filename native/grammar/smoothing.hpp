#pragma once
// Smoothing of phrase probabilities (Foster, Kuhn and Johnson 2006). Relative frequencies of rules seen once or twice
// are far too high; discounts come from how many rules were seen once, twice, and so on.
//
// Good-Turing multiplies small counts by a discount and leaves the denominator alone. Modified Kneser-Ney subtracts a
// discount and gives what it took to a lower-order distribution: how many different phrases the other side goes with.
// Both look at how often a rule was seen, also where counts are fractions, and discount its weight accordingly.
#include <array>
#include <cstdint>
#include <vector>

namespace dragoman::grammar {

enum class Smoothing : std::uint8_t { kNone, kGoodTuring, kKneserNey };

inline constexpr int kGoodTuringMost = 8;  // larger counts are trusted

// How many distinct pairs were seen c times; index 0 is unused, the last holds no more than its own count.
using CountOfCounts = std::array<std::uint64_t, kGoodTuringMost + 2>;

// Discount factors by count, 1 beyond the table.
[[nodiscard]] std::array<double, kGoodTuringMost + 1> good_turing_discounts(const CountOfCounts& pairs);

struct KneserNeyDiscounts {
  double one, two, more;
  bool estimated;  // false where the counts gave no usable estimate and 0.5, 1, 1.5 stand in
  [[nodiscard]] double of(std::uint64_t count) const noexcept { return count == 1 ? one : count == 2 ? two : more; }
};
[[nodiscard]] KneserNeyDiscounts kneser_ney_discounts(const CountOfCounts& pairs);

// Distinct partners of a phrase, by how often they were seen with it.
struct Partners {
  std::uint32_t once = 0, twice = 0, more = 0;
  void add(std::uint64_t count) noexcept { ++(count == 1 ? once : count == 2 ? twice : more); }
  [[nodiscard]] double distinct() const noexcept { return double(once) + double(twice) + double(more); }
  [[nodiscard]] double reserved(const KneserNeyDiscounts& by) const noexcept {
    return by.one * once + by.two * twice + by.more * more;
  }
};

// The same where rules share counts: what one sight of each partner weighs on average, summed, in units of weights. A
// discount then takes away so many sights.
struct PartnerWeights {
  std::uint64_t once = 0, twice = 0, more = 0;
  void add(std::uint64_t count, std::uint64_t weight) noexcept {
    (count == 1 ? once : count == 2 ? twice : more) += weight / count;
  }
  [[nodiscard]] double reserved(const KneserNeyDiscounts& by) const noexcept {
    return by.one * double(once) + by.two * double(twice) + by.more * double(more);
  }
};

}  // namespace dragoman::grammar
