#include "metrics/nist.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::metrics {
NgramInformation::NgramInformation(const EncodedLines& references, int order) : order_(order) {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint32_t> prefixes;
  for (std::size_t i = 0; i < references.size(); ++i) {
    std::uint32_t prefix = NgramTable::kRoot;
    add_ngrams(table_, references.line(i), order, [&](int n, std::uint32_t number) {
      if (n == 0) prefix = NgramTable::kRoot;
      if (number == counts.size()) {
        counts.push_back(0);
        prefixes.push_back(prefix);
      }
      ++counts[number];
      prefix = number;
    });
  }
  bits_.resize(counts.size());
  const auto words = static_cast<double>(references.words.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double before = prefixes[i] == NgramTable::kRoot ? words : static_cast<double>(counts[prefixes[i]]);
    bits_[i] = std::log2(before / static_cast<double>(counts[i]));
  }
}

std::vector<double> nist_statistics(const EncodedLines& hypotheses, const References& references,
                                    const NgramInformation& information, int threads, const StopCallback& stop) {
  check_segments(hypotheses, references);
  const int order = information.order();
  const auto orders = static_cast<std::size_t>(order);
  return fill_statistics<ClippedCounts>(
      hypotheses.size(), 2 * orders + 2, threads, stop,
      [&](ClippedCounts& counts, std::size_t i, std::span<double> row) {
        counts.clear();
        double length = 0;
        for (std::size_t r = references.begin(i); r < references.end(i); ++r) {
          const Words reference = references.lines.line(r);
          length += static_cast<double>(reference.size());
          counts.add_reference(reference, order);
        }
        const Words hypothesis = hypotheses.line(i);
        for (std::size_t start = 0; start < hypothesis.size(); ++start) {
          std::uint32_t here = NgramTable::kRoot, anywhere = NgramTable::kRoot;
          for (std::size_t n = 0; n < orders && start + n < hypothesis.size(); ++n) {
            here = counts.table().find(here, hypothesis[start + n]);
            if (here == NgramTable::kNone) break;
            anywhere = information.table().find(anywhere, hypothesis[start + n]);
            if (anywhere == NgramTable::kNone) break;  // a reference that the information was not taken from
            if (counts.take(here)) row[n] += information.bits(anywhere);
          }
        }
        for (int n = 0; n < order; ++n) {
          row[orders + static_cast<std::size_t>(n)] = ngram_total(hypothesis.size(), n);
        }
        row[2 * orders] = static_cast<double>(hypothesis.size());
        row[2 * orders + 1] = length / static_cast<double>(references.end(i) - references.begin(i));
      });
}

double nist(std::span<const double> statistics, int order) noexcept {
  const auto orders = static_cast<std::size_t>(order);
  double sum = 0;
  for (std::size_t n = 0; n < orders; ++n) {
    if (statistics[orders + n] > 0) sum += statistics[n] / statistics[orders + n];
  }
  const double length = statistics[2 * orders], wanted = statistics[2 * orders + 1];
  if (length == 0) return 0;
  const double ratio = wanted > 0 ? std::min(1.0, length / wanted) : 1.0;
  const double beta = std::log(0.5) / (std::log(1.5) * std::log(1.5));  // half the score at two thirds of the length
  return sum * std::exp(beta * std::log(ratio) * std::log(ratio));
}

}  // namespace dragoman::metrics
