#pragma once
// The upper envelope of lines. Along a direction of weight space, the score of a candidate is a line; which candidate
// is best at a point is read off the envelope of all lines (Och 2003). It is what makes the line search exact: the
// metric can only change where the envelope has a corner.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dragoman::tuning {

struct Line {
  double slope, height;  // score = height + x * slope
  std::uint32_t id;      // whose it is
};

// A line of the envelope: the best one from `from` to where the next begins.
struct Segment {
  double from;
  Line line;
};

// Of lines that coincide the first by id is kept; of parallel ones the highest. The first segment begins at minus
// infinity. `lines` is used as scratch space.
void upper_envelope(std::vector<Line>& lines, std::vector<Segment>& envelope);

// The envelope of a long list, most of whose lines lie below the envelope of a few: those are found and dropped first,
// which takes two passes over the list instead of a sort.
class EnvelopeBuilder {
 public:
  void build(std::span<const double> slopes, std::span<const double> heights, std::vector<Segment>& envelope);

 private:
  struct Corner {
    double x, level, floor;  // a line below `floor` at `x` is certainly below the chain there
  };
  [[nodiscard]] Corner corner(std::size_t i) const;

  std::vector<Line> few_, rest_;
  std::vector<Segment> floor_;
};

}  // namespace dragoman::tuning
