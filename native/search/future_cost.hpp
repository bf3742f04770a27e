#pragma once
// The best that can still come, per span: isolated scores of options joined by dynamic programming, without distortion
// and reordering. It is a score, added to the score so far; the field calls it future cost. (Koehn 2004.)
#include <limits>
#include <vector>

#include "search/coverage.hpp"

namespace dragoman::search {

class FutureCost {
 public:
  // `isolated(start, end)` is the best estimate of an option for the span, minus infinity if it has none.
  template <typename Isolated>
  FutureCost(std::uint32_t length, const Isolated& isolated)
      : length_(length), best_((length + 1) * (length + 1), 0.0) {
    for (std::uint32_t size = 1; size <= length; ++size) {
      for (std::uint32_t start = 0; start + size <= length; ++start) {
        const std::uint32_t end = start + size;
        double best = isolated(start, end);
        for (std::uint32_t middle = start + 1; middle < end; ++middle)
          best = std::max(best, span(start, middle) + span(middle, end));
        best_[start * (length_ + 1) + end] = best;
      }
    }
  }

  [[nodiscard]] double span(std::uint32_t start, std::uint32_t end) const noexcept {
    return best_[start * (length_ + 1) + end];
  }
  // Sum over the maximal uncovered spans.
  [[nodiscard]] double of(const Coverage& coverage) const noexcept {
    double sum = 0;
    std::uint32_t start = coverage.first_gap;
    std::uint64_t mask = coverage.mask;
    while (mask != 0) {
      const auto gap = static_cast<std::uint32_t>(std::countr_zero(mask));
      sum += span(start, start + gap);
      mask >>= gap;
      const auto run = static_cast<std::uint32_t>(std::countr_one(mask));
      mask = run == Coverage::kWindow ? 0 : mask >> run;
      start += gap + run;
    }
    return start < length_ ? sum + span(start, length_) : sum;
  }

 private:
  std::uint32_t length_;
  std::vector<double> best_;
};

}  // namespace dragoman::search
