#include "metrics/bleu.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/ngrams.hpp"

namespace dragoman::metrics {
namespace {

double reference_length(const References& references, std::size_t segment, std::size_t hypothesis,
                        ReferenceLength rule) {
  double best = 0, sum = 0;
  bool first = true;
  const auto distance = [hypothesis](double length) { return std::abs(length - static_cast<double>(hypothesis)); };
  for (std::size_t r = references.begin(segment); r < references.end(segment); ++r) {
    const auto length = static_cast<double>(references.lines.line(r).size());
    sum += length;
    const bool closer = rule == ReferenceLength::kClosest &&
                        (distance(length) < distance(best) || (distance(length) == distance(best) && length < best));
    const bool shorter = rule == ReferenceLength::kShortest && length < best;
    if (first || closer || shorter) best = length;
    first = false;
  }
  if (rule != ReferenceLength::kAverage) return best;
  return sum / static_cast<double>(references.end(segment) - references.begin(segment));
}

}  // namespace

std::vector<double> bleu_statistics(const EncodedLines& hypotheses, const References& references, int order,
                                    ReferenceLength length, bool with_shortest, int threads, const StopCallback& stop) {
  check_segments(hypotheses, references);
  const auto orders = static_cast<std::size_t>(order);
  return fill_statistics<ClippedCounts>(
      hypotheses.size(), 2 * orders + 1 + (with_shortest ? 1 : 0), threads, stop,
      [&](ClippedCounts& counts, std::size_t i, std::span<double> row) {
        counts.clear();
        for (std::size_t r = references.begin(i); r < references.end(i); ++r) {
          counts.add_reference(references.lines.line(r), order);
        }
        const Words hypothesis = hypotheses.line(i);
        find_ngrams(counts.table(), hypothesis, order, [&](int n, std::uint32_t number) {
          if (counts.take(number)) row[static_cast<std::size_t>(n)] += 1;
        });
        for (int n = 0; n < order; ++n) {
          row[orders + static_cast<std::size_t>(n)] = ngram_total(hypothesis.size(), n);
        }
        row[2 * orders] = reference_length(references, i, hypothesis.size(), length);
        if (with_shortest) {
          row[2 * orders + 1] = reference_length(references, i, hypothesis.size(), ReferenceLength::kShortest);
        }
      });
}

BleuParts bleu(std::span<const double> statistics, const BleuOptions& options) {
  const auto orders = static_cast<std::size_t>(options.order);
  const auto matches = statistics.first(orders);
  const auto totals = statistics.subspan(orders, orders);
  const double length = totals[0];
  const double wanted = statistics[2 * orders] * options.reference_scale + options.reference_extra;
  BleuParts parts;
  parts.precisions.assign(orders, 0.0);
  parts.brevity = length >= wanted && !options.penalize_length ? 1.0 : length > 0 ? std::exp(1 - wanted / length) : 0.0;
  const bool smooth_all = options.smoothing == Smoothing::kAddKAll;
  const bool any = std::any_of(matches.begin(), matches.end(), [](double m) { return m != 0; });
  if (length == 0 || (!any && !smooth_all)) return parts;

  // The product of the precisions, of real matches or of none.
  const auto geometric_mean = [&](bool real, std::vector<double>* kept) {
    double log_sum = 0, halving = 1;
    std::size_t used = orders;
    for (std::size_t n = 0; n < orders; ++n) {
      const bool add = smooth_all || (options.smoothing == Smoothing::kAddK && n > 0);
      const double total = totals[n] + (add ? options.smooth_value : 0);
      const double match = (real ? matches[n] : 0) + (add ? options.smooth_value : 0);
      if (total == 0) {
        if (!options.effective_order) return 0.0;
        break;
      }
      if (options.effective_order) used = n + 1;
      double precision = match / total;
      if (match == 0 && options.smoothing == Smoothing::kExponential) precision = 1 / ((halving *= 2) * total);
      if (match == 0 && options.smoothing == Smoothing::kFloor) precision = options.smooth_value / total;
      if (kept != nullptr) (*kept)[n] = precision;
      if (precision == 0) {
        log_sum = -HUGE_VAL;
      } else {
        log_sum += std::log(precision);
      }
    }
    return std::exp(log_sum / static_cast<double>(used));
  };
  parts.score = parts.brevity * geometric_mean(true, &parts.precisions);
  if (options.grounded) parts.score -= parts.brevity * geometric_mean(false, nullptr);
  if (options.scale_by_shortest) parts.score *= statistics[2 * orders + 1];
  return parts;
}

}  // namespace dragoman::metrics
