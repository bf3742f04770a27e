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
  // A line that is below a convex chain of lines at all its corners, and whose slope is between those of its ends, is
  // below it everywhere. Lines that touch a corner are kept: rounding must not decide about them here.
  double corner[2] = {0, 0}, level[2] = {0, 0};
  std::size_t corners = 0;
  for (std::size_t i = 1; i < floor_.size(); ++i, ++corners) {
    corner[corners] = floor_[i].from;
    level[corners] = floor_[i].line.height + floor_[i].from * floor_[i].line.slope;
  }
  rest_.clear();
  if (corners == 0) {  // all lines are parallel
    rest_.push_back(few_.front());
  } else {
    if (corners == 1) {
      corner[1] = corner[0];
      level[1] = level[0];
    }
    for (std::size_t k = 0; k < size; ++k) {
      const double first = heights[k] + corner[0] * slopes[k], second = heights[k] + corner[1] * slopes[k];
      const double slack = 1e-9 * (1 + std::max(std::abs(level[0]), std::abs(level[1])));
      if (first < level[0] - slack && second < level[1] - slack) continue;
      rest_.push_back({slopes[k], heights[k], static_cast<std::uint32_t>(k)});
    }
    for (const std::size_t k : {low, high}) rest_.push_back({slopes[k], heights[k], static_cast<std::uint32_t>(k)});
  }
  upper_envelope(rest_, envelope);
}

}  // namespace dragoman::tuning
