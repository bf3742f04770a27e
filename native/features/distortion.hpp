#pragma once
// Linear distortion: how far each phrase lies from the end of the previous one, charged negatively. With `future`, what
// it will cost at least to come back to the gaps is charged as soon as they are left; the total of a complete
// translation is the same. (Koehn 2004; Green, Galley and Manning 2010.)
#include <algorithm>
#include <cstdlib>

#include "features/coverage.hpp"
#include "features/feature.hpp"

namespace dragoman::features {

enum class DistortionLimit : std::uint8_t { kJump, kWindow };

struct DistortionSettings {
  int limit = 6;  // negative: none
  DistortionLimit semantics = DistortionLimit::kJump;
  bool future = false;
  bool final_jump = false;
};

// Whether a phrase may follow: the jump is short enough, and the first gap can still be reached afterwards.
[[nodiscard]] inline bool within_limit(const DistortionSettings& settings, const Coverage& coverage, int previous_end,
                                       Span span) noexcept {
  const int gap = static_cast<int>(coverage.first_gap);
  if (settings.limit < 0 || span.start == gap) return true;
  if (settings.semantics == DistortionLimit::kJump)
    return std::abs(span.start - previous_end) <= settings.limit && span.end - gap <= settings.limit;
  const int frontier = gap + (coverage.mask == 0 ? 0 : 64 - std::countl_zero(coverage.mask));
  return span.start < frontier || span.end <= gap + settings.limit;
}

// What coming back to the gaps will cost: from the end of the last phrase to the first gap, and then over every covered
// word before the last gap.
[[nodiscard]] inline int distortion_to_come(const Coverage& coverage, int end, int length) noexcept {
  const int gap = static_cast<int>(coverage.first_gap);
  if (gap >= length) return 0;
  const int start = std::min(gap, end);
  const int frontier = gap + (coverage.mask == 0 ? 0 : 64 - std::countl_zero(coverage.mask));
  int last_gap = length - 1;
  if (frontier == length)
    while (coverage.covers(static_cast<std::uint32_t>(last_gap))) --last_gap;
  int covered = 0;
  for (int position = start; position < last_gap; ++position)
    covered += coverage.covers(static_cast<std::uint32_t>(position)) ? 1 : 0;
  return end - start + covered;
}

// What a step costs: the jump, and with `future` the change in what is still to come.
[[nodiscard]] inline int jump_cost(const DistortionSettings& settings, const Coverage& before, int previous_end,
                                   Span span, int length) noexcept {
  int cost = std::abs(span.start - previous_end);
  if (settings.future)
    cost += distortion_to_come(before.with(span), span.end, length) - distortion_to_come(before, previous_end, length);
  return cost;
}

}  // namespace dragoman::features
