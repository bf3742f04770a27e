#include "tuning/mira.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>

#include "common/random.hpp"

namespace dragoman::tuning {
namespace {

// A sparse difference of two candidates.
class Difference {
 public:
  void set(const Candidates& list, std::size_t plus, std::size_t minus, std::span<const std::uint8_t> fixed) {
    ids_.clear();
    values_.clear();
    const auto a = list.features(plus), b = list.features(minus);
    const auto x = list.values(plus), y = list.values(minus);
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      const bool left = j == b.size() || (i < a.size() && a[i] <= b[j]);
      const bool right = i == a.size() || (j < b.size() && b[j] <= a[i]);
      const FeatureId id = left ? a[i] : b[j];
      const double value = (left ? x[i] : 0) - (right ? y[j] : 0);
      i += left;
      j += right;
      if (value == 0 || fixed[id]) continue;
      ids_.push_back(id);
      values_.push_back(value);
    }
  }
  [[nodiscard]] double squared_norm() const noexcept {
    return std::inner_product(values_.begin(), values_.end(), values_.begin(), 0.0);
  }
  void add_to(std::span<double> weights, double factor) const noexcept {
    for (std::size_t i = 0; i < ids_.size(); ++i) weights[ids_[i]] += factor * values_[i];
  }

 private:
  std::vector<FeatureId> ids_;
  std::vector<double> values_;
};

class Learner {
 public:
  Learner(const Pool& pool, const metrics::Gain& gain, std::span<const double> start, std::span<const double> words,
          std::span<const std::uint8_t> fixed, const MiraOptions& options)
      : pool_(pool),
        gain_(gain),
        words_(words),
        fixed_(fixed),
        options_(options),
        start_(start.begin(), start.end()),
        weights_(start_),
        drift_(start.size(), 0.0),
        background_(pool.width(), 1.0) {}

  void visit(std::size_t sentence) {
    const Candidates& list = pool_[sentence];
    ++visits_;
    model_.resize(list.size());
    list.scores(weights_, model_);
    measure(sentence);
    const bool perceptron = options_.rule == MiraRule::kPerceptron;
    std::size_t hope = 0, fear = 0;
    double most = -HUGE_VAL, worst = -HUGE_VAL, likes = -HUGE_VAL;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const double gain = gains_[list.text(k)];
      const double hoped = perceptron ? gain : model_[k] + gain, feared = perceptron ? model_[k] : model_[k] - gain;
      if (hoped > most || (hoped == most && model_[k] > likes)) {
        most = hoped;
        likes = model_[k];
        hope = k;
      }
      if (feared > worst) {
        worst = feared;
        fear = k;
      }
    }
    const double margin = gains_[list.text(hope)] - gains_[list.text(fear)];
    if (options_.rule == MiraRule::kRamp && options_.pull > 0) draw_back();
    if (margin > 0) {
      difference_.set(list, hope, fear, fixed_);
      double step = options_.step;
      if (options_.rule == MiraRule::kMargin) {
        const double loss = margin - (model_[hope] - model_[fear]);
        step = passive_aggressive_step(loss, difference_.squared_norm(), options_.step);
      }
      if (step > 0) {
        difference_.add_to(weights_, step);
        difference_.add_to(drift_, step * static_cast<double>(visits_ - 1));
      }
      const auto row = pool_.statistics(sentence, list.text(hope));
      for (std::size_t i = 0; i < row.size(); ++i) background_[i] = options_.decay * background_[i] + row[i];
      background_words_ = options_.decay * background_words_ + words_[sentence];
    }
  }

  // Mean of the weights after each visit so far.
  void average(std::span<double> into) const noexcept {
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i] = weights_[i] - drift_[i] / static_cast<double>(std::max<std::size_t>(visits_, 1));
  }

 private:
  void draw_back() noexcept {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double change = options_.pull * (start_[i] - weights_[i]);
      weights_[i] += change;
      drift_[i] += change * static_cast<double>(visits_ - 1);
    }
  }

  // The gain of each text of a sentence as part of the document, in reference words.
  void measure(std::size_t sentence) {
    const auto given = pool_[sentence].statistics();
    const std::size_t width = pool_.width(), texts = given.size() / width;
    rows_.resize(given.size());
    gains_.resize(texts);
    for (std::size_t text = 0, at = 0; text < texts; ++text)
      for (std::size_t i = 0; i < width; ++i, ++at) rows_[at] = given[at] + background_[i];
    gain_.score(rows_, gains_);
    for (std::size_t text = 0; text < texts; ++text) {
      gains_[text] *= options_.length_column < 0
                          ? words_[sentence] + background_words_
                          : rows_[text * width + static_cast<std::size_t>(options_.length_column)];
    }
  }

  const Pool& pool_;
  const metrics::Gain& gain_;
  std::span<const double> words_;
  std::span<const std::uint8_t> fixed_;
  const MiraOptions& options_;
  std::vector<double> start_, weights_, drift_, background_;
  double background_words_ = 1;
  std::size_t visits_ = 0;
  std::vector<double> model_, rows_, gains_;
  Difference difference_;
};

void shuffle(std::vector<std::size_t>& order, RandomStream random) {
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
}

}  // namespace

MiraResult batch_mira(const Pool& pool, const metrics::Gain& gain, std::span<const double> start,
                      std::span<const double> words, std::span<const std::uint8_t> fixed, const MiraOptions& options,
                      const StopCallback& stop) {
  pool.check(start);
  Learner learner(pool, gain, start, words, fixed, options);
  std::vector<std::size_t> order(pool.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // While the lists are visited once more, other threads measure the average that the pass before left.
  const int others = worker_count(options.threads) - 1;
  std::vector<double> average(start.size()), measured(start.size());
  std::future<std::vector<double>> statistics;
  MiraResult result;
  result.gain = -HUGE_VAL;
  const auto judge = [&] {
    const double reached = gain.score(statistics.get());
    if (reached > result.gain) {
      result.gain = reached;
      result.weights = measured;
      result.pass = result.gains.size();
    }
    result.gains.push_back(reached);
  };
  for (std::size_t pass = 0; pass < options.passes; ++pass) {
    if (stop && stop()) throw Interrupted();
    shuffle(order, RandomStream(options.seed, pass));
    for (const std::size_t sentence : order) learner.visit(sentence);
    learner.average(average);
    if (pass > 0) judge();
    std::swap(average, measured);
    statistics = std::async(others > 0 ? std::launch::async : std::launch::deferred,
                            [&] { return best_statistics(pool, measured, std::max(1, others)); });
  }
  if (statistics.valid()) judge();
  return result;
}

}  // namespace dragoman::tuning
