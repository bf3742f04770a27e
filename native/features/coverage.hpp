#pragma once
// Which source words are translated. Search leaves gaps only within a window: all that is covered beyond the first gap
// lies within 64 positions of it, so a first gap and a 64-bit mask say everything, for sentences of any length.
#include <bit>
#include <cstdint>

#include "common/hash.hpp"

namespace dragoman::features {

struct Span {
  std::uint16_t start, end;  // half-open
  friend bool operator==(const Span&, const Span&) = default;
};

struct Coverage {
  std::uint32_t first_gap = 0;  // leftmost uncovered position
  std::uint64_t mask = 0;       // bit k: position first_gap + k is covered; bit 0 never is

  static constexpr int kWindow = 64;

  friend bool operator==(const Coverage&, const Coverage&) = default;

  [[nodiscard]] std::uint32_t count() const noexcept {
    return first_gap + static_cast<std::uint32_t>(std::popcount(mask));
  }
  [[nodiscard]] bool covers(std::uint32_t position) const noexcept {
    return position < first_gap || (position - first_gap < kWindow && ((mask >> (position - first_gap)) & 1u) != 0);
  }
  // Whether all of the span is uncovered, and adding it stays inside the window.
  [[nodiscard]] bool admits(Span span) const noexcept {
    if (span.start < first_gap) return false;
    if (span.end - first_gap > kWindow) return mask == 0 && span.start == first_gap;
    return (mask & bits(span)) == 0;
  }
  // Whether some position of [from, to) is covered.
  [[nodiscard]] bool covers_any(std::uint32_t from, std::uint32_t to) const noexcept {
    if (from >= to) return false;
    if (from < first_gap) return true;
    const std::uint32_t low = from - first_gap, size = to - from;
    if (low >= kWindow) return false;
    const std::uint64_t ones = size >= kWindow ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    return (mask >> low & ones) != 0;
  }
  [[nodiscard]] Coverage with(Span span) const noexcept {
    if (span.end - first_gap > kWindow) return {span.end, 0};
    return Coverage{first_gap, mask | bits(span)}.normalized();
  }
  // The same for some positions of a span: bit k of `some` is position span.start + k. A span with gaps is never wider
  // than the window.
  [[nodiscard]] bool admits(Span span, std::uint64_t some) const noexcept {
    return span.start >= first_gap && span.end - first_gap <= kWindow && (mask & some << (span.start - first_gap)) == 0;
  }
  [[nodiscard]] Coverage with(Span span, std::uint64_t some) const noexcept {
    return Coverage{first_gap, mask | some << (span.start - first_gap)}.normalized();
  }
  [[nodiscard]] std::uint64_t hash() const noexcept { return combine(mask, first_gap); }

 private:
  // With the first gap where it is: bit 0 may be set.
  [[nodiscard]] Coverage normalized() const noexcept {
    const int run = std::countr_one(mask);
    return {first_gap + static_cast<std::uint32_t>(run), run == kWindow ? 0 : mask >> run};
  }
  [[nodiscard]] std::uint64_t bits(Span span) const noexcept {
    const int length = span.end - span.start;
    const std::uint64_t ones = length >= kWindow ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
    return ones << (span.start - first_gap);
  }
};

}  // namespace dragoman::features
