#include "metrics/chrf.hpp"

#include <algorithm>

#include "metrics/ngrams.hpp"

namespace dragoman::metrics {
namespace {

struct Matcher {
  NgramTable table;
  std::vector<std::uint32_t> left;  // occurrences in the reference that are not yet matched
  std::vector<double> row;

  // Adds (hypothesis, reference, matches) for each order, three numbers apart.
  void match(Words hypothesis, Words reference, int order, double* out) {
    table.clear();
    left.clear();
    add_ngrams(table, reference, order, [&](int, std::uint32_t number) {
      if (number == left.size()) left.push_back(0);
      ++left[number];
    });
    for (int n = 0; n < order; ++n) {
      const double total = ngram_total(reference.size(), n);
      out[3 * n] = total > 0 ? ngram_total(hypothesis.size(), n) : 0;
      out[3 * n + 1] = total;
    }
    find_ngrams(table, hypothesis, order, [&](int n, std::uint32_t number) {
      if (left[number] > 0) {
        --left[number];
        out[3 * n + 2] += 1;
      }
    });
  }
};

}  // namespace

std::vector<double> chrf_statistics(const EncodedLines& hypotheses, const References& references,
                                    const EncodedLines& hypothesis_words, const EncodedLines& reference_words,
                                    const ChrfOptions& options, int threads, const StopCallback& stop) {
  check_segments(hypotheses, references);
  if (options.word_order > 0 &&
      (hypothesis_words.size() != hypotheses.size() || reference_words.size() != references.lines.size())) {
    throw InputError("characters and words are not of the same lines");
  }
  const auto width = static_cast<std::size_t>(3 * (options.character_order + options.word_order));
  return fill_statistics<Matcher>(
      hypotheses.size(), width, threads, stop, [&](Matcher& matcher, std::size_t i, std::span<double> row) {
        double best = -1;
        for (std::size_t r = references.begin(i); r < references.end(i); ++r) {
          matcher.row.assign(width, 0.0);
          matcher.match(hypotheses.line(i), references.lines.line(r), options.character_order, matcher.row.data());
          if (options.word_order > 0) {
            matcher.match(hypothesis_words.line(i), reference_words.line(r), options.word_order,
                          matcher.row.data() + 3 * options.character_order);
          }
          const double score = chrf(matcher.row, options);
          if (score > best) {
            best = score;
            std::copy(matcher.row.begin(), matcher.row.end(), row.begin());
          }
        }
      });
}

double chrf(std::span<const double> statistics, const ChrfOptions& options) noexcept {
  constexpr double kEpsilon = 1e-16;
  const double factor = options.beta * options.beta;
  const int orders = options.character_order + options.word_order;
  double sum = 0, precision_sum = 0, recall_sum = 0;
  int effective = 0;
  for (int n = 0; n < orders; ++n) {
    const double* const counts = statistics.data() + 3 * n;
    const double precision = counts[0] > 0 ? counts[2] / counts[0] : kEpsilon;
    const double recall = counts[1] > 0 ? counts[2] / counts[1] : kEpsilon;
    const double below = factor * precision + recall;
    sum += below > 0 ? (1 + factor) * precision * recall / below : kEpsilon;
    if (counts[0] > 0 && counts[1] > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++effective;
    }
  }
  if (options.epsilon_smoothing) return sum / orders;
  if (effective == 0 || precision_sum + recall_sum == 0) return 0;
  const double precision = precision_sum / effective, recall = recall_sum / effective;
  return (1 + factor) * precision * recall / (factor * precision + recall);
}

}  // namespace dragoman::metrics
