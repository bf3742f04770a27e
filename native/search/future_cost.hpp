#pragma once
// The best that can still come, per span: isolated scores of options joined by dynamic programming, without distortion
// and reordering. It is a score, added to the score so far; the field calls it future cost. (Koehn 2004.)
//
// In phrase-based search gaps lie within the window of a coverage, so only spans up to that size and those that reach
// to the end of the sentence are ever asked for: time and memory grow with the length of the sentence, not with its
// square.
#include <algorithm>
#include <limits>
#include <vector>

#include "features/coverage.hpp"

namespace dragoman::search {

using features::Coverage;

class FutureCost {
 public:
  // `isolated(start, end)` is the best estimate of an option for the span, minus infinity if it has none; no option is
  // longer than `longest` words. What it depends on may be the future cost of smaller spans within its own. Spans will
  // be asked for that are up to `widest` words long.
  template <typename Isolated>
  void compute(std::uint32_t length, std::uint32_t longest, const Isolated& isolated,
               std::uint32_t widest = Coverage::kWindow) {
    length_ = length;
    width_ = std::min(length, widest);
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    to_end_.assign(length + 1, kNever);
    to_end_[length] = 0;
    inside_.assign(static_cast<std::size_t>(length) * (width_ + 1), kNever);
    for (std::uint32_t start = length; start-- > 0;) {
      double* const row = inside_.data() + static_cast<std::size_t>(start) * (width_ + 1);
      row[0] = 0;
      const std::uint32_t last = std::min(length, start + longest);
      for (std::uint32_t end = start + 1; end <= last; ++end) {
        const double first = isolated(start, end);
        if (first == kNever) continue;
        to_end_[start] = std::max(to_end_[start], first + to_end_[end]);
        const std::uint32_t size = end - start;
        if (size > width_) continue;
        const double* const rest = end == length ? &kNothing : row + size * (width_ + 1);
        for (std::uint32_t more = 0; more <= std::min(width_ - size, length - end); ++more)
          row[size + more] = std::max(row[size + more], first + rest[more]);
      }
    }
  }

  // Of a span that is no longer than the widest, or reaches to the end.
  [[nodiscard]] double span(std::uint32_t start, std::uint32_t end) const noexcept {
    return end == length_ ? to_end_[start] : inside_[static_cast<std::size_t>(start) * (width_ + 1) + (end - start)];
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
  static constexpr double kNothing = 0;

  std::uint32_t length_ = 0, width_ = 0;
  std::vector<double> to_end_;  // from a position to the end of the sentence
  std::vector<double> inside_;  // position by size
};

}  // namespace dragoman::search
