#include "grammar/orientation.hpp"

#include <algorithm>
#include <limits>

namespace dragoman::grammar {

void OrientationLabeler::Corners::assign(int sources, int targets) {
  sources_ = sources;
  bits_.assign((static_cast<std::size_t>(sources) * static_cast<std::size_t>(targets) + 63) / 64, 0);
}

void OrientationLabeler::Corners::mark(int source, int target) noexcept {
  const std::size_t bit =
      static_cast<std::size_t>(target) * static_cast<std::size_t>(sources_) + static_cast<std::size_t>(source);
  bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

bool OrientationLabeler::Corners::at(int source, int target) const noexcept {
  const std::size_t bit =
      static_cast<std::size_t>(target) * static_cast<std::size_t>(sources_) + static_cast<std::size_t>(source);
  return ((bits_[bit / 64] >> (bit % 64)) & 1u) != 0;
}

void OrientationLabeler::assign(const AlignedPair& pair) {
  pair_ = &pair;
  source_size_ = pair.source_size();
  target_size_ = pair.target_size();
  for (Corners* corners : {&ends_ends_, &starts_ends_, &starts_starts_, &ends_starts_})
    corners->assign(source_size_, target_size_);
  latest_start_.assign(static_cast<std::size_t>(target_size_), -1);
  earliest_end_.assign(static_cast<std::size_t>(target_size_), std::numeric_limits<int>::max());
  switch (model_) {
    case OrientationModel::kNone:
      break;
    case OrientationModel::kWord:
      mark_links(pair);
      break;
    case OrientationModel::kPhrase:
      mark_phrases(pair);
      break;
    case OrientationModel::kHierarchical:
      mark_blocks(pair);
      break;
  }
}

void OrientationLabeler::mark_links(const AlignedPair& pair) {
  for (const SentenceLink link : pair.words().links) {
    for (Corners* corners : {&ends_ends_, &starts_ends_, &starts_starts_, &ends_starts_})
      corners->mark(link.source, link.target);
    latest_start_[link.target] = std::max<int>(latest_start_[link.target], link.source);
    earliest_end_[link.target] = std::min<int>(earliest_end_[link.target], link.source);
  }
}

void OrientationLabeler::mark_phrases(const AlignedPair& pair) {
  for_each_phrase(pair, limits_, [&](const PhraseSpans& spans) {
    const int lo = spans.source_begin, hi = spans.source_end - 1, u = spans.target_begin, v = spans.target_end - 1;
    ends_ends_.mark(hi, v);
    starts_ends_.mark(lo, v);
    starts_starts_.mark(lo, u);
    ends_starts_.mark(hi, u);
    const auto end = static_cast<std::size_t>(v), start = static_cast<std::size_t>(u);
    latest_start_[end] = std::max(latest_start_[end], lo);
    earliest_end_[start] = std::min(earliest_end_[start], hi);
  });
}

void OrientationLabeler::mark_blocks(const AlignedPair& pair) {
  for (int u = 0; u < target_size_; ++u) {
    // While the target span [u, v] grows, `hull` is what it links to, `back` what that links back to: both only widen,
    // so each source word is looked at once per u.
    Range hull{kLongestSentence + 1, -1}, back{kLongestSentence + 1, -1};
    for (int v = u; v < target_size_; ++v) {
      const Range linked = pair.of_target(v);
      if (!linked.empty()) {
        const Range old = hull;
        hull = {std::min(hull.first, linked.first), std::max(hull.last, linked.last)};
        const auto look = [&](int first, int last) {
          for (int i = first; i <= last; ++i) {
            const Range& of = pair.of_source(i);
            back = {std::min(back.first, of.first), std::max(back.last, of.last)};
          }
        };
        if (old.empty()) {
          look(hull.first, hull.last);
        } else {
          look(hull.first, old.first - 1);
          look(old.last + 1, hull.last);
        }
      }
      if (hull.empty()) continue;
      if (back.first < u) break;
      if (back.last > v) continue;
      const auto end = static_cast<std::size_t>(v), start = static_cast<std::size_t>(u);
      latest_start_[end] = std::max(latest_start_[end], hull.first);
      earliest_end_[start] = std::min(earliest_end_[start], hull.last);
      // Unaligned source words extend the block on either side.
      for (int lo = hull.first; lo >= 0 && (lo == hull.first || pair.of_source(lo).empty()); --lo) {
        starts_ends_.mark(lo, v);
        starts_starts_.mark(lo, u);
      }
      for (int hi = hull.last; hi < source_size_ && (hi == hull.last || pair.of_source(hi).empty()); ++hi) {
        ends_ends_.mark(hi, v);
        ends_starts_.mark(hi, u);
      }
    }
  }
}

// Whether a target word beside the phrase is linked to words on both of its sides.
bool OrientationLabeler::contained(const PhraseSpans& spans, int target) const noexcept {
  if (!containment_ || target < 0 || target >= target_size_) return false;
  const Range& linked = pair_->of_target(target);
  return !linked.empty() && linked.first < spans.source_begin && linked.last >= spans.source_end;
}

Orientation OrientationLabeler::previous(const PhraseSpans& spans) const noexcept {
  const int before = spans.target_begin - 1, left = spans.source_begin - 1, right = spans.source_end;
  if (contained(spans, before)) return Orientation::kContained;
  const bool monotone = (left == -1 && before == -1) || (inside(left, before) && ends_ends_.at(left, before));
  const bool swap = inside(right, before) && starts_ends_.at(right, before);
  if (monotone != swap) return monotone ? Orientation::kMonotone : Orientation::kSwap;
  const bool jumps_back = before >= 0 && latest_start_[static_cast<std::size_t>(before)] >= right;
  return jumps_back ? Orientation::kLeft : Orientation::kRight;
}

Orientation OrientationLabeler::next(const PhraseSpans& spans) const noexcept {
  const int after = spans.target_end, left = spans.source_begin - 1, right = spans.source_end;
  if (contained(spans, after)) return Orientation::kContained;
  const bool monotone =
      (right == source_size_ && after == target_size_) || (inside(right, after) && starts_starts_.at(right, after));
  const bool swap = inside(left, after) && ends_starts_.at(left, after);
  if (monotone != swap) return monotone ? Orientation::kMonotone : Orientation::kSwap;
  const bool jumps_back = after < target_size_ && earliest_end_[static_cast<std::size_t>(after)] <= left;
  return jumps_back ? Orientation::kLeft : Orientation::kRight;
}

}  // namespace dragoman::grammar
