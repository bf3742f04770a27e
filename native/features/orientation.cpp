#include "features/orientation.hpp"

#include <algorithm>

#include "common/hash.hpp"

namespace dragoman::features {

int class_count(OrientationClasses classes) noexcept {
  switch (classes) {
    case OrientationClasses::kMsd:
      return 3;
    case OrientationClasses::kMslr:
    case OrientationClasses::kMsdc:
      return 4;
    case OrientationClasses::kMslrc:
      return 5;
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
    case OrientationClasses::kMsdc:
      return orientation == Orientation::kContained ? 3 : std::min(index, 2);
    case OrientationClasses::kMslr:
      return std::min(index, 3);
    case OrientationClasses::kMslrc:
      return index;
    case OrientationClasses::kMonotonicity:
      return orientation == Orientation::kMonotone ? 0 : 1;
    default:  // right holds monotone, left holds swap
      return orientation == Orientation::kMonotone || orientation == Orientation::kRight ? 0 : 1;
  }
}

OrientationFeature::OrientationFeature(OrientationSettings settings, std::span<const double> weights)
    : settings_(std::move(settings)), containment_(grammar::has_containment(settings_.classes)) {
  for (const FeatureId id : settings_.features) weights_.push_back(id < weights.size() ? weights[id] : 0);
  for (std::size_t each = 0; each < class_of_.size(); ++each)
    class_of_[each] = static_cast<std::size_t>(class_of(static_cast<Orientation>(each), settings_.classes));
  backward_begins_ = settings_.forward ? static_cast<std::size_t>(class_count(settings_.classes)) : 0;
}

std::uint32_t OrientationFeature::add_row(std::span<const float> row) {
  return rows_.intern({row.begin(), row.end()}, hash_bytes(row.data(), row.size_bytes()), [&](std::uint32_t) {
    for (std::size_t i = 0; i < row.size(); ++i) weighted_.push_back(weights_[i] * static_cast<double>(row[i]));
  });
}

void OrientationFeature::clear_rows() {
  rows_.clear();
  weighted_.clear();
}

void OrientationFeature::begin() {
  options_.clear();
  lasts_.clear();
  blocks_.clear();
}

std::uint32_t OrientationFeature::intern(const Last& last) {
  return lasts_.intern(last, combine(std::uint64_t{last.span.start} << 16 | last.span.end, last.row));
}

std::uint32_t OrientationFeature::add_option(Span span, std::uint32_t row, std::uint32_t covered) {
  options_.push_back({span, row, covered, intern({span, settings_.backward ? row : kNoRow})});
  return static_cast<std::uint32_t>(options_.size() - 1);
}

void OrientationFeature::start(StateId* to) {
  to[0] = kNoBlock;
  to[1] = intern({{0, 0}, kNoRow});
}

Orientation OrientationFeature::adjacent(Span previous, Span span) noexcept {
  if (span.start == previous.end) return Orientation::kMonotone;
  if (span.end == previous.start) return Orientation::kSwap;
  return span.start < previous.start ? Orientation::kLeft : Orientation::kRight;
}

Orientation OrientationFeature::with_previous(const StateId* from, Span span) const {
  const Span last = lasts_[from[1]].span;
  if (last.end == 0) return span.start == 0 ? Orientation::kMonotone : Orientation::kRight;
  if (containment_ && last.start < span.start && span.end < last.end) return Orientation::kContained;
  if (!settings_.hierarchical) return adjacent(last, span);
  const Block& top = blocks_[from[0]];
  if (top.whole() && top.span.end == span.start) return Orientation::kMonotone;
  if (top.whole() && top.span.start == span.end) return Orientation::kSwap;
  return span.start < last.start ? Orientation::kLeft : Orientation::kRight;
}

// What follows is not known yet, so blocks cannot be: contiguous if nothing between is translated.
Orientation OrientationFeature::with_next(Span last, Span span, const Coverage& before) const noexcept {
  if (containment_ && span.start < last.start && last.end < span.end) return Orientation::kContained;
  if (!settings_.hierarchical) return adjacent(last, span);
  if (span.start >= last.end && !before.covers_any(last.end, span.start)) return Orientation::kMonotone;
  if (span.end <= last.start && !before.covers_any(span.end, last.start)) return Orientation::kSwap;
  return span.start < last.start ? Orientation::kLeft : Orientation::kRight;
}

// Push, then replace the largest number of top blocks whose union is contiguous by that union; so without gaps all
// blocks stay contiguous, and labels equal those of extraction for every permutation.
std::uint32_t OrientationFeature::pushed(std::uint32_t top, Span span, std::uint32_t covered) {
  Span merged = span, hull = span;
  std::uint32_t merged_words = covered;
  std::uint32_t below = top;
  for (std::uint32_t block = top; block != kNoBlock; block = blocks_[block].below) {
    const Span next = blocks_[block].span;
    hull = {std::min(hull.start, next.start), std::max(hull.end, next.end)};
    covered += blocks_[block].covered;
    if (static_cast<std::uint32_t>(hull.end - hull.start) == covered) {
      merged = hull;
      merged_words = covered;
      below = blocks_[block].below;
    }
  }
  const std::uint64_t place = std::uint64_t{merged_words} << 32 | std::uint64_t{merged.start} << 16 | merged.end;
  return blocks_.intern({below, merged, merged_words}, combine(below, place));
}

OrientationFeature::Realised OrientationFeature::realised(const StateId* from, const OptionEntry& option,
                                                          const Coverage& before) const {
  const Last& last = lasts_[from[1]];
  Realised found{settings_.forward ? option.row : kNoRow, last.row, 0, 0};
  if (found.forward_row != kNoRow)
    found.forward = class_of_[static_cast<std::size_t>(with_previous(from, option.span))];
  if (found.backward_row != kNoRow)
    found.backward = backward_begins_ + class_of_[static_cast<std::size_t>(with_next(last.span, option.span, before))];
  return found;
}

double OrientationFeature::extend(const StateId* from, std::uint32_t option, const Coverage& before, StateId* to) {
  if (option == kNoOption) {
    std::copy(from, from + kStates, to);
    return 0;
  }
  const OptionEntry& entry = options_[option];
  const Realised found = realised(from, entry, before);
  const std::size_t width = weights_.size();
  double score = 0;
  if (found.forward_row != kNoRow) score += weighted_[found.forward_row * width + found.forward];
  if (found.backward_row != kNoRow) score += weighted_[found.backward_row * width + found.backward];
  to[0] = settings_.hierarchical ? pushed(from[0], entry.span, entry.covered) : kNoBlock;
  to[1] = entry.last;
  return score;
}

double OrientationFeature::most(std::uint32_t option, bool last) const noexcept {
  const std::uint32_t row = options_[option].row;
  if (row == kNoRow) return 0;
  const double* const own = weighted_.data() + row * weights_.size();
  double score = 0;
  if (settings_.forward) score += *std::max_element(own, own + class_count(settings_.classes));
  if (settings_.backward && !last) score += *std::max_element(own + backward_begins_, own + weights_.size());
  return score;
}

std::vector<double> OrientationFeature::by_order(std::uint32_t option, bool next) const {
  const std::uint32_t row = options_[option].row;
  if (row == kNoRow || !(next ? settings_.backward : settings_.forward)) return {};
  const double* const own = weighted_.data() + row * weights_.size() + (next ? backward_begins_ : 0);
  std::vector<double> scores;
  for (std::size_t each = 0; each < static_cast<std::size_t>(Orientation::kContained); ++each)
    scores.push_back(own[class_of_[each]]);
  return scores;
}

void OrientationFeature::fire(const StateId* from, std::uint32_t option, const Coverage& before, Fire& fire) const {
  if (option == kNoOption) return;
  const Realised found = realised(from, options_[option], before);
  if (found.forward_row != kNoRow)
    fire(settings_.features[found.forward], static_cast<double>(rows_[found.forward_row][found.forward]));
  if (found.backward_row != kNoRow)
    fire(settings_.features[found.backward], static_cast<double>(rows_[found.backward_row][found.backward]));
}

}  // namespace dragoman::features
