#pragma once
// What is taken from counts, by the way of smoothing. Modified Kneser-Ney: from counts of counts (Chen and Goodman
// 1998, equation 26). Katz (1987): counts up to a limit are discounted as Good and Turing would, larger ones are
// believed. On small or artificial text an estimate does not exist or leaves its range; then the order gets fixed
// discounts, and says so. Witten and Bell (1991) discount nothing: their mass for what was not seen depends on the
// context alone.
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace dragoman::lm {

enum class Smoothing { kneser_ney, katz, witten_bell };

inline constexpr std::size_t kKatzLimit = 7;  // larger counts are believed; of unigrams all beyond 1 (as SRILM does)

struct CountsOfCounts {
  std::array<std::uint64_t, kKatzLimit + 2> n{};  // n[k]: n-grams with adjusted count k, pruned ones included
  std::uint64_t types = 0, kept = 0;

  void add(std::uint64_t count, bool keep) noexcept {
    ++types;
    kept += keep;
    if (count < n.size()) ++n[count];
  }
};

using DiscountValues = std::array<double, 3>;  // for counts 1, 2, and 3 or more

struct Discounts {
  std::array<double, kKatzLimit + 1> values{};  // for counts 1, 2, ...; the last that is used holds for all larger ones
  std::size_t used = 0;
  std::string fallback_reason{};  // empty: estimated from the counts

  [[nodiscard]] double of(std::uint64_t count) const noexcept {
    return count == 0 || used == 0 ? 0.0 : values[count > used ? used - 1 : static_cast<std::size_t>(count) - 1];
  }
  [[nodiscard]] std::span<const double> list() const noexcept { return {values.data(), used}; }
};

[[nodiscard]] Discounts discounts(Smoothing smoothing, int order, const CountsOfCounts& counts,
                                  const DiscountValues& fallback);

}  // namespace dragoman::lm
