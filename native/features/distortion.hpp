#pragma once
// Linear distortion: how far each phrase lies from the end of the previous one, charged negatively. With `future`, what
// it will cost to come back to the gaps is charged as soon as they are left, or a share of it (`delay`) one phrase
// later; the total of a complete translation is the same. (Koehn 2004; Green, Galley and Manning 2010.)
#include <algorithm>
#include <cstdlib>

#include "features/coverage.hpp"
#include "features/feature.hpp"

namespace dragoman::features {

enum class DistortionLimit : std::uint8_t { kJump, kWindow };

// Which covered words the way back leads over: those before the last gap, or all behind the first, as Green, Galley and
// Manning count them, though none is left to jump over once the last gap is filled.
enum class WayBack : std::uint8_t { kTight, kAll };

struct DistortionSettings {
  int limit = 6;  // negative: none
  DistortionLimit semantics = DistortionLimit::kJump;
  bool future = false;
  WayBack way_back = WayBack::kTight;
  double delay = 0;  // the share that is charged one phrase later, from 0 to 1
  bool final_jump = false;
};

// What is covered, where the last phrase ended, and how the way back changed with it, if a share of that is delayed:
// all that decides which spans may follow, and what they cost.
struct Place {
  Coverage coverage;
  std::uint32_t end = 0;
  int delayed = 0;

  friend bool operator==(const Place&, const Place&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return combine(coverage.hash(), end ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(delayed)) << 32);
  }
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

// What coming back to the gaps will cost: from the end of the last phrase to the first gap, and then over covered
// words.
[[nodiscard]] inline int distortion_to_come(WayBack way, const Coverage& coverage, int end, int length) noexcept {
  const int gap = static_cast<int>(coverage.first_gap);
  if (gap >= length) return 0;
  const int start = std::min(gap, end);
  const int frontier = gap + (coverage.mask == 0 ? 0 : 64 - std::countl_zero(coverage.mask));
  int last = way == WayBack::kAll ? frontier : length - 1;
  if (way == WayBack::kTight && frontier == length)
    while (coverage.covers(static_cast<std::uint32_t>(last))) --last;
  int covered = 0;
  for (int position = start; position < last; ++position)
    covered += coverage.covers(static_cast<std::uint32_t>(position)) ? 1 : 0;
  return end - start + covered;
}

// Where a phrase leads.
[[nodiscard]] inline Place place_after(const DistortionSettings& settings, const Place& from, Span span,
                                       int length) noexcept {
  Place to{from.coverage.with(span), span.end};
  if (settings.future && settings.delay > 0 && static_cast<int>(to.coverage.first_gap) < length)
    to.delayed = distortion_to_come(settings.way_back, to.coverage, span.end, length) -
                 distortion_to_come(settings.way_back, from.coverage, static_cast<int>(from.end), length);
  return to;
}

// What a step costs: the jump, and with `future` the change in what is still to come, less what is delayed.
[[nodiscard]] inline double jump_cost(const DistortionSettings& settings, const Place& from, Span span,
                                      int length) noexcept {
  const int jump = std::abs(static_cast<int>(span.start) - static_cast<int>(from.end));
  if (!settings.future) return jump;
  const Place to = place_after(settings, from, span, length);
  const auto to_come = [&](const Place& place) {
    return distortion_to_come(settings.way_back, place.coverage, static_cast<int>(place.end), length) -
           settings.delay * place.delayed;
  };
  return jump + to_come(to) - to_come(from);
}

}  // namespace dragoman::features
