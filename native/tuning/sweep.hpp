#pragma once
// The corpus along a line: where the best candidate of some sentence changes, the statistics of the corpus change by a
// difference of two rows; between such points the metric is constant, a plateau. Sweeping over the sorted points gives
// the metric everywhere on the line (Och 2003).
//
// A high plateau between low ones is an accident of the dev set, so a plateau may be judged together with its
// neighbours: by the average or the minimum over a window of them (Cer, Jurafsky and Manning 2008).
#include <cstddef>
#include <span>
#include <vector>

#include "metrics/gain.hpp"

namespace dragoman::tuning {

// From `from` on, the best candidate of a sentence has these statistics.
struct Choice {
  double from;
  const double* statistics;
};

struct Plateau {
  double from, to, gain, smoothed;
};

enum class Smoothing : std::uint8_t { kNone, kAverage, kMinimum };

struct Windows {
  Smoothing smoothing = Smoothing::kNone;
  std::size_t window = 1;  // plateaus, this one in the middle; odd
};

// Where we stand is 0. The gain is that of the plateau itself; what it was chosen by is `smoothed`.
struct LinePoint {
  double x = 0, gain = 0, smoothed = 0;
  std::size_t plateaus = 0;
};

// One list of choices per sentence, the first from minus infinity.
[[nodiscard]] std::vector<Plateau> plateaus(std::span<const std::vector<Choice>> sentences, std::size_t width,
                                            const metrics::Gain& gain, const Windows& windows);

// A point well inside the best plateau: of equals the one that holds 0, which is not left then, or else the widest.
[[nodiscard]] LinePoint best_point(std::span<const Plateau> line);

// The neighbourhood's judgement of each gain; windows are cut off at the ends.
[[nodiscard]] std::vector<double> smoothed(std::span<const double> gains, const Windows& windows);

}  // namespace dragoman::tuning
