#include "neural/joint_normalization.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/random.hpp"

namespace dragoman::neural {
namespace {

constexpr std::size_t kBatch = 256, kShares = 4;  // contexts that are learned from at once, each part by one thread
constexpr float kRate = 0.02f;

// Places of the text, in all of their contexts or in disturbed ones: with the words before another place of the
// sentence, as where phrases change places, or with some of those words replaced.
std::vector<Unit> draw_contexts(const JointShape& shape, const JointText& text, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> ends;
  std::uint64_t words = 0;
  for (std::size_t sentence = 0; sentence < text.sentences(); ++sentence) ends.push_back(words += text.words(sentence));
  RandomStream random(seed, 23);
  const auto place = [&] {
    const auto at = static_cast<std::uint64_t>(random.uniform() * static_cast<double>(words));
    const auto sentence = static_cast<std::size_t>(std::ranges::upper_bound(ends, at) - ends.begin());
    return std::pair(sentence, static_cast<std::size_t>(at - (sentence == 0 ? 0 : ends[sentence - 1])));
  };
  const std::size_t inputs = shape.inputs();
  std::vector<Unit> found(count * inputs), other(inputs);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<Unit> context(found.data() + i * inputs, inputs);
    const auto [sentence, position] = place();
    text.context(shape, sentence, position, context);
    const std::uint32_t kind = random.below(4);
    if (kind == 0) {
      text.context(shape, sentence, random.below(static_cast<std::uint32_t>(text.words(sentence))), other);
      std::copy_n(other.begin(), shape.history, context.begin());
    } else if (kind == 1) {
      for (std::size_t j = 0; j < shape.history; ++j) {
        const auto [from, at] = place();
        if (random.below(2) == 0 && at + 1 < text.words(from)) context[j] = text.word(from, at);
      }
    }
  }
  return found;
}

// The vectors of contexts, one after the other, and the hidden layer that the model has for them.
void gather(const JointModel& model, std::span<const Unit> contexts, Matrix& vectors, Matrix& hidden) {
  const std::size_t inputs = model.shape.inputs(), size = contexts.size() / inputs;
  vectors.resize(size, model.input.rows);
  hidden.resize(size, model.shape.hidden);
  for (std::size_t i = 0; i < size; ++i) {
    model.vectors_of(contexts.subspan(i * inputs, inputs), vectors.row(i));
    std::ranges::copy(model.input_bias, hidden.row(i).begin());
  }
  add_product(vectors, model.input, hidden);
  for (float& value : hidden.values) value = std::max(value, 0.0f);
}

class Normalizer {
 public:
  Normalizer(JointModel& model, const JointText& text, const JointNormalization& settings)
      : model_(model),
        settings_(settings),
        count_(settings.contexts),
        contexts_(draw_contexts(model.shape, text, settings.contexts, settings.seed)),
        sums_(settings.contexts),
        network_(model.shape, settings.units),
        squares_(model.shape, settings.units),
        parts_(kShares, SumWork(model.shape, settings.units)) {
    RandomStream random(settings.seed, 29);
    const double width = std::sqrt(static_cast<double>(network_.input.rows));
    for (float& weight : network_.input.values)  // sums of a deviation like those of a trained layer
      weight = static_cast<float>((random.uniform() - 0.5) * 12 / width);
  }

  void run(int threads, const StopCallback& stop, const std::function<void(double)>& progress) {
    const double steps = static_cast<double>(settings_.passes) + 4;  // sums take as long as some passes
    const auto tell = [&](double done) {
      if (stop && stop()) throw Interrupted();
      if (progress) progress(done / steps);
    };
    const std::size_t batches = shard_count(count_, kBatch);
    parallel_shards(batches, threads, [&](std::size_t batch) { sum_batch(batch * kBatch); }, stop);
    network_.bias = static_cast<float>(std::accumulate(sums_.begin(), sums_.end(), 0.0) / static_cast<double>(count_));
    for (std::size_t pass = 0; pass < settings_.passes; ++pass) {
      tell(4 + static_cast<double>(pass));
      const float rate = kRate * (1 - static_cast<float>(pass) / static_cast<float>(settings_.passes));
      for (std::size_t batch = 0; batch < batches; ++batch) learn(batch * kBatch, rate, threads);
    }
    add_to_model();
  }

 private:
  [[nodiscard]] std::span<const Unit> contexts(std::size_t from, std::size_t size) const {
    const std::size_t inputs = model_.shape.inputs();
    return std::span(contexts_).subspan(from * inputs, size * inputs);
  }

  void sum_batch(std::size_t from) {
    const std::size_t size = std::min(kBatch, count_ - from);
    Matrix vectors, hidden, scores(size, model_.shape.target_units);
    gather(model_, contexts(from, size), vectors, hidden);
    for (std::size_t i = 0; i < size; ++i) std::ranges::copy(model_.output_bias, scores.row(i).begin());
    add_product_with_transposed(hidden, model_.output, scores);
    for (std::size_t i = 0; i < size; ++i) sums_[from + i] = std::log(exponentiate(scores.row(i)));
  }

  void learn(std::size_t from, float rate, int threads) {
    const std::size_t size = std::min(kBatch, count_ - from), share = shard_count(size, kShares);
    const std::size_t used = shard_count(size, share);
    parallel_shards(used, threads, [&](std::size_t index) {
      const std::size_t begin = from + index * share;
      const std::size_t count = std::min(share, from + size - begin);
      sum_gradients(model_, network_, contexts(begin, count), std::span(sums_).subspan(begin, count), parts_[index]);
    });
    const auto total = parts_[0].gradient.parameters(), values = network_.parameters(), squares = squares_.parameters();
    for (std::size_t index = 1; index < used; ++index) {
      const auto more = parts_[index].gradient.parameters();
      for (std::size_t i = 0; i < total.size(); ++i) add_scaled(total[i], 1, more[i]);
    }
    for (std::size_t i = 0; i < total.size(); ++i) step_all(values[i], squares[i], total[i], rate);
  }

  void add_to_model() {
    const std::size_t before = model_.shape.hidden, after = before + settings_.units;
    Matrix input(model_.input.rows, after), output(model_.output.rows, after);
    for (std::size_t row = 0; row < input.rows; ++row) {
      std::ranges::copy(model_.input.row(row), input.row(row).begin());
      std::ranges::copy(network_.input.row(row), input.row(row).begin() + static_cast<std::ptrdiff_t>(before));
    }
    for (std::size_t row = 0; row < output.rows; ++row) {
      for (std::size_t i = 0; i < before; ++i) output.row(row)[i] = model_.output.row(row)[i] - network_.known[i];
      for (std::size_t i = before; i < after; ++i) output.row(row)[i] = -network_.added[i - before];
      model_.output_bias[row] -= network_.bias;
    }
    model_.shape.hidden = after;
    model_.input = std::move(input);
    model_.output = std::move(output);
    model_.input_bias.insert(model_.input_bias.end(), network_.input_bias.begin(), network_.input_bias.end());
  }

  JointModel& model_;
  JointNormalization settings_;
  std::size_t count_;
  std::vector<Unit> contexts_;  // one after the other
  std::vector<float> sums_;     // logarithms, to be learned
  SumNetwork network_, squares_;
  std::vector<SumWork> parts_;
};

}  // namespace

SumNetwork::SumNetwork(const JointShape& shape, std::size_t units)
    : input(shape.inputs() * shape.vector, units), input_bias(units), known(shape.hidden), added(units) {}

double sum_gradients(const JointModel& model, const SumNetwork& network, std::span<const Unit> contexts,
                     std::span<const float> sums, SumWork& work) {
  const std::size_t units = network.added.size();
  gather(model, contexts, work.contexts, work.hidden);
  work.units.resize(sums.size(), units);
  work.unit_gradient.resize(sums.size(), units);
  for (std::size_t i = 0; i < sums.size(); ++i) std::ranges::copy(network.input_bias, work.units.row(i).begin());
  add_product(work.contexts, network.input, work.units);
  for (const std::span<float> values : work.gradient.parameters()) std::ranges::fill(values, 0.0f);
  double loss = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (float& value : work.units.row(i)) value = std::max(value, 0.0f);
    const float said = dot(work.hidden.row(i), network.known) + dot(work.units.row(i), network.added);
    const float error = said + network.bias - sums[i];
    loss += error * error / 2;
    work.gradient.bias += error;
    add_scaled(work.gradient.known, error, work.hidden.row(i));
    add_scaled(work.gradient.added, error, work.units.row(i));
    for (std::size_t j = 0; j < units; ++j)
      work.unit_gradient.row(i)[j] = work.units.row(i)[j] > 0 ? error * network.added[j] : 0.0f;
    add_scaled(work.gradient.input_bias, 1, work.unit_gradient.row(i));
  }
  add_product_of_transposed(work.contexts, work.unit_gradient, work.gradient.input);
  return loss;
}

void normalize(JointModel& model, const JointText& text, const JointNormalization& settings, int threads,
               const StopCallback& stop, const std::function<void(double)>& progress) {
  Normalizer(model, text, settings).run(threads, stop, progress);
}

}  // namespace dragoman::neural
