#include "features/orientation.hpp"

#include <algorithm>

#include "common/hash.hpp"

namespace dragoman::features {

int class_count(OrientationClasses classes) noexcept {
  switch (classes) {
    case OrientationClasses::kMsd:
      return 3;
    case OrientationClasses::kMslr:
      return 4;
    case OrientationClasses::kNone:
      return 0;
    default:
      return 2;
  }
}

int class_of(Orientation orientation, OrientationClasses classes) noexcept {
  const int index = static_cast<int>(orientation);
  switch (classes) {
    case OrientationClasses::kMsd:
      return std::min(index, 2);
    case OrientationClasses::kMslr:
      return index;
    case OrientationClasses::kMonotonicity:
      return orientation == Orientation::kMonotone ? 0 : 1;
    default:  // right holds monotone, left holds swap
      return orientation == Orientation::kMonotone || orientation == Orientation::kRight ? 0 : 1;
  }
}

void OrientationFeature::reset() {
  rows_.clear();
  states_.clear();
  blocks_.clear();
}

std::uint32_t OrientationFeature::add_row(std::span<const float> row) {
  return rows_.intern({row.begin(), row.end()}, hash_bytes(row.data(), row.size_bytes()));
}

StateId OrientationFeature::intern(const State& state) {
  const std::uint64_t span = std::uint64_t{state.last.start} << 16 | state.last.end;
  return states_.intern(state, combine(combine(state.top, span), state.row));
}

Orientation OrientationFeature::adjacent(Span previous, Span span) noexcept {
  if (span.start == previous.end) return Orientation::kMonotone;
  if (span.end == previous.start) return Orientation::kSwap;
  return span.end <= previous.start ? Orientation::kLeft : Orientation::kRight;
}

Orientation OrientationFeature::with_previous(StateId from, Span span) const {
  const State& state = states_[from];
  if (state.last.end == 0) return span.start == 0 ? Orientation::kMonotone : Orientation::kRight;
  if (!settings_.hierarchical) return adjacent(state.last, span);
  const Span top = blocks_[state.top].span;
  if (top.end == span.start) return Orientation::kMonotone;
  if (top.start == span.end) return Orientation::kSwap;
  return span.end <= state.last.start ? Orientation::kLeft : Orientation::kRight;
}

// Push, then replace the largest number of top blocks whose union is contiguous by that union; so all blocks stay
// contiguous, and labels equal those of extraction for every permutation.
std::uint32_t OrientationFeature::pushed(std::uint32_t top, Span span) {
  Span merged = span, hull = span;
  int covered = span.end - span.start;
  std::uint32_t below = top;
  for (std::uint32_t block = top; block != kNoBlock; block = blocks_[block].below) {
    const Span next = blocks_[block].span;
    hull = {std::min(hull.start, next.start), std::max(hull.end, next.end)};
    covered += next.end - next.start;
    if (hull.end - hull.start == covered) {
      merged = hull;
      below = blocks_[block].below;
    }
  }
  const std::uint64_t hash = combine(below, std::uint64_t{merged.start} << 16 | merged.end);
  return blocks_.intern({below, merged}, hash);
}

StateId OrientationFeature::extend(StateId from, Span span, std::uint32_t row, const Coverage& before, Fire& fire) {
  const State state = states_[from];
  const OrientationClasses classes = settings_.classes;
  if (settings_.forward && row != kNoRow) {
    const auto index = static_cast<std::size_t>(class_of(with_previous(from, span), classes));
    fire(settings_.features[index], rows_[row][index]);
  }
  if (settings_.backward && state.row != kNoRow) {
    Orientation next = adjacent(state.last, span);
    if (settings_.hierarchical) {  // what follows is not known yet: contiguous if nothing between is translated
      if (span.start >= state.last.end && !before.covers_any(state.last.end, span.start))
        next = Orientation::kMonotone;
      else if (span.end <= state.last.start && !before.covers_any(span.end, state.last.start))
        next = Orientation::kSwap;
      else
        next = span.end <= state.last.start ? Orientation::kLeft : Orientation::kRight;
    }
    const auto index =
        static_cast<std::size_t>(class_of(next, classes) + (settings_.forward ? class_count(classes) : 0));
    fire(settings_.features[index], rows_[state.row][index]);
  }
  return intern({settings_.hierarchical ? pushed(state.top, span) : kNoBlock, span, settings_.backward ? row : kNoRow});
}

}  // namespace dragoman::features
