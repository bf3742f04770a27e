#pragma once
// Sets as sorted arrays, and how many members two of them share.
#include <algorithm>
#include <cstddef>
#include <span>

namespace dragoman::similarity {

// Members of both; 0 as soon as it is clear that fewer than `needed` are.
template <typename Number>
[[nodiscard]] std::size_t common_count(std::span<const Number> first, std::span<const Number> second,
                                       std::size_t needed = 0) noexcept {
  std::size_t common = 0, i = 0, j = 0;
  while (i < first.size() && j < second.size()) {
    if (common + std::min(first.size() - i, second.size() - j) < needed) return 0;
    if (first[i] == second[j]) {
      ++common;
      ++i;
      ++j;
    } else if (first[i] < second[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

}  // namespace dragoman::similarity
