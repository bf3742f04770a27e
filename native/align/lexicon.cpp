#include "align/lexicon.hpp"

#include <algorithm>
#include <cmath>

#include "common/error.hpp"

namespace dragoman::align {

namespace {

// psi(x), by recurrence to x >= 6 and the asymptotic series from there.
double digamma(double x) {
  double sum = 0;
  for (; x < 6; ++x) sum -= 1 / x;
  const double inverse = 1 / x, square = inverse * inverse;
  return sum + std::log(x) - inverse / 2 - square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
}

// One probability out of a count and its total.
class Estimator {
 public:
  explicit Estimator(double alpha) : alpha_(alpha) {}
  // `log_total` or `total` as `prepare` gave it.
  [[nodiscard]] double prepare(double total, double support) const {
    return alpha_ > 0 ? digamma(total + alpha_ * support) : total;
  }
  [[nodiscard]] float operator()(double count, double prepared) const {
    double p = 0;
    if (alpha_ > 0)
      p = std::exp(digamma(count + alpha_) - prepared);
    else if (prepared > 0)
      p = count / prepared;
    return std::max(kFloor, static_cast<float>(p));
  }

 private:
  double alpha_;
};

}  // namespace

Lexicon uniform_lexicon(const PairIndex& pairs, std::size_t given_words, std::size_t generated_words) {
  const float p = 1 / static_cast<float>(std::max<std::size_t>(generated_words, 1));
  Lexicon lexicon;
  lexicon.probability.assign(pairs.size(), std::max(p, kFloor));
  lexicon.null.assign(generated_words, std::max(p, kFloor));
  lexicon.totals.assign(given_words, 0);
  return lexicon;
}

void estimate(Lexicon& lexicon, const LexicalCounts& counts, const LexicalBackground& background,
              const PairIndex& pairs, bool forward, double alpha, int threads) {
  const auto count = [&](Slot slot) {
    return counts.pairs[slot] + (slot < background.pairs.size() ? background.pairs[slot] : 0);
  };
  const auto null_count = [&](std::size_t word) {
    return counts.null[word] + (word < background.null.size() ? background.null[word] : 0);
  };
  std::vector<double> totals(lexicon.totals.size()), support(lexicon.totals.size());
  pairs.for_each([&](WordId source, WordId target, Slot slot) {
    const WordId given = forward ? source : target;
    totals[given] += count(slot);
    support[given] += 1;
  });
  double null_total = 0;
  for (std::size_t word = 0; word < lexicon.null.size(); ++word) null_total += null_count(word);
  for (const double total : totals)
    if (!std::isfinite(total)) throw InputError("the expected counts are not finite");

  const Estimator estimator(alpha);
  std::vector<double> prepared(totals.size());
  for (std::size_t word = 0; word < totals.size(); ++word)
    if (support[word] > 0) prepared[word] = estimator.prepare(totals[word], support[word]);
  parallel_ranges(pairs.source_words(), 1024, threads, [&](std::size_t begin, std::size_t end) {
    for (auto source = static_cast<WordId>(begin); source < end; ++source) {
      const auto row = pairs.row(source);
      for (std::size_t at = 0; at < row.size(); ++at) {
        const Slot slot = pairs.slot(pairs.start(source) + at);
        lexicon.probability[slot] = estimator(count(slot), prepared[forward ? source : row[at]]);
      }
    }
  });
  if (null_total > 0) {
    const double divisor = estimator.prepare(null_total, static_cast<double>(lexicon.null.size()));
    for (std::size_t word = 0; word < lexicon.null.size(); ++word)
      lexicon.null[word] = estimator(null_count(word), divisor);
  }
  lexicon.totals = std::move(totals);
  lexicon.null_total = null_total;
}

}  // namespace dragoman::align
