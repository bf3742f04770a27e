#include "tuning/envelope.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::tuning {

void upper_envelope(std::vector<Line>& lines, std::vector<Segment>& envelope) {
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    if (a.slope != b.slope) return a.slope < b.slope;
    if (a.height != b.height) return a.height > b.height;
    return a.id < b.id;
  });
  envelope.clear();
  for (const Line& line : lines) {
    double from = -std::numeric_limits<double>::infinity();
    if (!envelope.empty() && envelope.back().line.slope == line.slope) continue;  // parallel and not higher
    while (!envelope.empty()) {
      const Line& last = envelope.back().line;
      from = (last.height - line.height) / (line.slope - last.slope);
      if (from > envelope.back().from) break;
      envelope.pop_back();
    }
    if (envelope.empty()) from = -std::numeric_limits<double>::infinity();
    envelope.push_back({from, line});
  }
}

// A line that is below a convex chain of lines at all its corners, and whose slope is between those of its ends, is
// below it everywhere. Lines that nearly touch a corner are kept: rounding must not decide about them.
EnvelopeBuilder::Corner EnvelopeBuilder::corner(std::size_t i) const {
  const double x = floor_[i].from, level = floor_[i].line.height + x * floor_[i].line.slope;
  return {x, level, level - 1e-9 * (1 + std::abs(level))};
}

void EnvelopeBuilder::build(std::span<const double> slopes, std::span<const double> heights,
                            std::vector<Segment>& envelope) {
  const std::size_t size = slopes.size();
  if (size == 0) {
    envelope.clear();
    return;
  }
  // The flattest and steepest lines and the best one where we stand are on the envelope, or as high as it.
  std::size_t low = 0, high = 0, best = 0;
  for (std::size_t k = 1; k < size; ++k) {
    if (slopes[k] < slopes[low] || (slopes[k] == slopes[low] && heights[k] > heights[low])) low = k;
    if (slopes[k] > slopes[high] || (slopes[k] == slopes[high] && heights[k] > heights[high])) high = k;
    if (heights[k] > heights[best]) best = k;
  }
  few_.clear();
  for (const std::size_t k : {low, best, high}) few_.push_back({slopes[k], heights[k], static_cast<std::uint32_t>(k)});
  upper_envelope(few_, floor_);
  rest_.clear();
  if (floor_.size() == 1) {  // all lines are parallel
    envelope.assign(floor_.begin(), floor_.end());
    return;
  }
  // The lines that are highest at the two corners of that chain make a better one.
  const Corner first = corner(1), second = floor_.size() > 2 ? corner(2) : first;
  Line top[2] = {floor_.front().line, floor_.back().line};
  double reach[2] = {first.level, second.level};
  for (std::size_t k = 0; k < size; ++k) {
    const double one = heights[k] + first.x * slopes[k], two = heights[k] + second.x * slopes[k];
    if (one < first.floor && two < second.floor) continue;
    const Line line{slopes[k], heights[k], static_cast<std::uint32_t>(k)};
    rest_.push_back(line);
    if (one > reach[0]) {
      reach[0] = one;
      top[0] = line;
    }
    if (two > reach[1]) {
      reach[1] = two;
      top[1] = line;
    }
  }
  few_.insert(few_.end(), std::begin(top), std::end(top));
  upper_envelope(few_, floor_);
  std::size_t corners = 0;
  Corner chain[4];
  for (std::size_t i = 1; i < floor_.size(); ++i) chain[corners++] = corner(i);
  std::erase_if(rest_, [&](const Line& line) {
    for (std::size_t i = 0; i < corners; ++i)
      if (line.height + chain[i].x * line.slope >= chain[i].floor) return false;
    return true;
  });
  rest_.insert(rest_.end(), few_.begin(), few_.end());
  upper_envelope(rest_, envelope);
}

}  // namespace dragoman::tuning
