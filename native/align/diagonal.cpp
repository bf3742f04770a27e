#include "align/diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "align/ibm.hpp"

namespace dragoman::align {

namespace {

constexpr double kLeastTension = 0.1, kMostTension = 20;

// Sum of exp(-tension * distance), and of distance * exp(-tension * distance), over `count` positions whose distances
// start at `first` and grow by `step`.
struct Series {
  double weight, distance;
};
Series series(double tension, double first, double step, int count) {
  if (count == 0) return {0, 0};
  const double ratio = std::exp(-tension * step), start = std::exp(-tension * first), rest = 1 - ratio;
  const double last = std::exp(-tension * step * count);  // ratio to the power of count
  const double weights = (1 - last) / rest;
  const double indices = (ratio * (1 - last) / rest - count * last) / rest;  // sum of n * ratio^n
  return {start * weights, start * (first * weights + step * indices)};
}

struct Split {  // the diagonal crosses row j between two given positions
  double below, above;
  int count_below;
};
Split split(int j, int given, int generated) {
  const double centre = static_cast<double>(j + 1) * given / generated;  // in given positions, counted from 1
  const int under = std::min(static_cast<int>(centre), given);
  return {(centre - under) / given, (under + 1 - centre) / given, under};
}

}  // namespace

void DiagonalModel::prepare(const Bitext& bitext, bool forward) {
  std::map<std::pair<int, int>, double> found;
  for (std::size_t k = 0; k < bitext.size(); ++k) {
    if (!bitext.usable(k)) continue;
    const auto source = static_cast<int>(bitext.source(k).size()), target = static_cast<int>(bitext.target(k).size());
    found[forward ? std::pair(source, target) : std::pair(target, source)] += 1;
  }
  lengths_.clear();
  for (const auto& [key, pairs] : found) lengths_.push_back({key.first, key.second, pairs});
}

void DiagonalModel::prior(int j, int given, int generated, std::span<float> out) const {
  const Split at = split(j, given, generated);
  const double step = 1.0 / given;
  const auto ratio = static_cast<float>(std::exp(-tension_ * step));
  const double norm = series(tension_, at.below, step, at.count_below).weight +
                      series(tension_, at.above, step, given - at.count_below).weight;
  auto value = static_cast<float>(std::exp(-tension_ * at.below) / norm);
  for (int i = at.count_below - 1; i >= 0; --i, value *= ratio) out[static_cast<std::size_t>(i)] = value;
  value = static_cast<float>(std::exp(-tension_ * at.above) / norm);
  for (int i = at.count_below; i < given; ++i, value *= ratio) out[static_cast<std::size_t>(i)] = value;
}

void DiagonalModel::observe(const Sentence& sentence, int j, std::span<double> evidence) {
  const float* posterior = sentence.posterior_row(j);
  const double step = 1.0 / sentence.given, centre = static_cast<double>(j + 1) / sentence.generated;
  double mass = 0, distance = 0;
  for (int i = 0; i < sentence.given; ++i) {
    mass += posterior[i];
    distance += posterior[i] * std::abs((i + 1) * step - centre);
  }
  evidence[0] += sentence.weight * mass;
  evidence[1] += sentence.weight * distance;
}

double DiagonalModel::expected_distance(double tension) const {
  double distance = 0, rows = 0;
  for (const Lengths& lengths : lengths_) {
    double sum = 0;
    for (int j = 0; j < lengths.generated; ++j) {
      const Split at = split(j, lengths.given, lengths.generated);
      const double step = 1.0 / lengths.given;
      const Series below = series(tension, at.below, step, at.count_below);
      const Series above = series(tension, at.above, step, lengths.given - at.count_below);
      sum += (below.distance + above.distance) / (below.weight + above.weight);
    }
    distance += sum * lengths.pairs;
    rows += lengths.generated * lengths.pairs;
  }
  return rows > 0 ? distance / rows : 0;
}

// The likelihood is concave in the tension and its derivative is the difference of two mean distances, the model's and
// the posterior's; the model's falls as the tension rises, so the zero is found by bisection. Words err together with
// their neighbours, which the likelihood does not know: its zero is too tense, the more so the more often it is taken.
// Hence each iteration goes only a part of the way, by ratio.
void DiagonalModel::maximize(std::span<const double> evidence) {
  if (rate_ <= 0 || lengths_.empty() || !(evidence[0] > 0)) return;
  const double observed = evidence[1] / evidence[0];
  double low = kLeastTension, high = kMostTension;
  for (int step = 0; step < 12; ++step) {
    const double middle = (low + high) / 2;
    (expected_distance(middle) > observed ? low : high) = middle;
  }
  tension_ *= std::pow((low + high) / 2 / tension_, rate_);
}

void DiagonalModel::set_parameters(std::span<const double> values) {
  require_parameters(values.size() == 2 && values[0] >= 0 && values[0] < 1 && values[1] > 0 && values[1] <= 1000);
  null_probability_ = values[0];
  tension_ = values[1];
}

}  // namespace dragoman::align
