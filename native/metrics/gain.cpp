#include "metrics/gain.hpp"

#include <cmath>

namespace dragoman::metrics {

BleuGain::BleuGain(const BleuOptions& options)
    : options_(options),
      width_(2 * static_cast<std::size_t>(options.order) + 1 + (options.scale_by_shortest ? 1 : 0)),
      plain_(options.smoothing != Smoothing::kAddK && options.smoothing != Smoothing::kAddKAll &&
             !options.penalize_length && !options.grounded && !options.scale_by_shortest) {}

void BleuGain::score(std::span<const double> rows, std::span<double> into) const {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = of_row(rows.subspan(i * width_, width_));
}

double BleuGain::of_row(std::span<const double> row) const {
  // A tuner asks for millions of scores whose orders all match: those take no logarithm.
  if (plain_) {
    const auto orders = static_cast<std::size_t>(options_.order);
    double matched = 1, all = 1;
    for (std::size_t n = 0; n < orders; ++n) {
      matched *= row[n];
      all *= row[orders + n];
    }
    if (matched > 0 && all > 0) {
      const double product = matched / all;
      const double length = row[orders], wanted = row[2 * orders] * options_.reference_scale + options_.reference_extra;
      const double mean = orders == 4 ? std::sqrt(std::sqrt(product)) : std::pow(product, 1.0 / options_.order);
      return length >= wanted ? mean : mean * std::exp(1 - wanted / length);
    }
  }
  return bleu(row, options_).score;
}

}  // namespace dragoman::metrics
