#include "neural/joint_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/random.hpp"

namespace dragoman::neural {
namespace {

constexpr std::size_t kParts = 4;  // of a batch, each learned from by one thread

[[nodiscard]] float gaussian(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return static_cast<float>(radius * std::cos(2 * 3.14159265358979323846 * random.uniform()));
}

void fill(std::vector<float>& values, double deviation, std::uint64_t seed, std::uint64_t item) {
  RandomStream random(seed, item);
  for (float& value : values) value = static_cast<float>(deviation) * gaussian(random);
}

}  // namespace

JointModel::JointModel(const JointShape& wanted, std::span<const double> target_frequencies, std::uint64_t seed)
    : shape(wanted),
      source_vectors(shape.source_units, shape.vector),
      target_vectors(shape.target_units, shape.vector),
      input(shape.inputs() * shape.vector, shape.hidden),
      input_bias(shape.hidden),
      output(shape.target_units, shape.hidden),
      output_bias(shape.target_units) {
  fill(source_vectors.values, 0.1, seed, 1);
  fill(target_vectors.values, 0.1, seed, 2);
  fill(input.values, 1 / std::sqrt(static_cast<double>(input.rows) * 0.01) / 4, seed, 3);
  fill(output.values, 0.01, seed, 4);
  for (std::size_t unit = 0; unit < output_bias.size(); ++unit)
    output_bias[unit] = static_cast<float>(std::log(std::max(target_frequencies[unit], 1e-9)));
}

void context_of(const JointShape& shape, const JointText& text, std::size_t sentence, std::size_t position,
                std::span<Unit> out) {
  const std::uint64_t target_from = sentence == 0 ? 0 : text.target_ends[sentence - 1];
  for (std::size_t i = 0; i < shape.history; ++i) {  // the nearest first
    out[i] = position > i ? text.target[target_from + position - 1 - i] : kTargetStart;
  }
  const std::uint64_t source_from = sentence == 0 ? 0 : text.source_ends[sentence - 1];
  const auto length = static_cast<std::int64_t>(text.source_ends[sentence] - source_from);
  const bool ended = target_from + position == text.target_ends[sentence];
  const std::int64_t centre = ended ? length : text.affiliations[target_from + position];
  for (std::size_t i = 0; i < shape.source_width(); ++i) {
    const std::int64_t at = centre + static_cast<std::int64_t>(i) - static_cast<std::int64_t>(shape.window);
    out[shape.history + i] = at < 0         ? kSourceStart
                             : at >= length ? kSourceEnd
                                            : text.source[source_from + static_cast<std::uint64_t>(at)];
  }
}

namespace {

[[nodiscard]] Unit word_at(const JointText& text, std::size_t sentence, std::size_t position) {
  const std::uint64_t from = sentence == 0 ? 0 : text.target_ends[sentence - 1];
  return from + position == text.target_ends[sentence] ? kTargetEnd : text.target[from + position];
}

void step(float& value, float& squares, float gradient, float rate) {
  squares += gradient * gradient;
  value -= rate * gradient / std::sqrt(squares + 1e-8f);
}

void step_row(std::span<float> values, float& squares, std::span<const float> gradient, float rate) {
  squares += dot(gradient, gradient) / static_cast<float>(gradient.size());
  add_scaled(values, -rate / std::sqrt(squares + 1e-8f), gradient);
}

}  // namespace

struct JointTrainer::Part {
  Matrix contexts, hidden, hidden_gradient, context_gradient, scores;
  Matrix input_gradient, sample_gradient;
  std::vector<float> own, sample_bias_gradient;  // of the scores of the words themselves, of the biases of samples
  std::vector<float> input_bias_gradient, mask;
  std::vector<Unit> units, words;
  TouchedRows source, target;
  double loss = 0;
};

JointTrainer::JointTrainer(JointModel& model, const JointText& text, const JointTraining& settings)
    : model_(model),
      text_(text),
      settings_(settings),
      source_squares_(model.shape.source_units),
      target_squares_(model.shape.target_units),
      output_squares_(model.shape.target_units),
      output_bias_squares_(model.shape.target_units),
      input_squares_(model.input.rows, model.input.columns),
      input_bias_squares_(model.shape.hidden),
      parts_(kParts) {
  for (std::size_t sentence = 0; sentence < text.sentences(); ++sentence) {
    const std::uint64_t from = sentence == 0 ? 0 : text.target_ends[sentence - 1];
    for (std::size_t position = 0; from + position <= text.target_ends[sentence]; ++position)
      places_.push_back({static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(position)});
  }
  // Flatter than the text, so that rare words are drawn, too.
  std::vector<double> counts(model.shape.target_units, 0.1);
  for (const Unit unit : text.target) counts[unit] += 1;
  counts[kTargetEnd] += static_cast<double>(text.sentences());
  double sum = 0;
  for (double& count : counts) sum += count = std::pow(count, 0.75);
  double so_far = 0;
  for (const double count : counts) {
    sample_ends_.push_back(so_far += count / sum);
    log_expected_.push_back(static_cast<float>(std::log(static_cast<double>(settings.samples) * count / sum)));
  }
}

JointTrainer::~JointTrainer() = default;

double JointTrainer::pass(std::size_t number, double rate, int threads, const StopCallback& stop,
                          const std::function<void(double)>& progress) {
  RandomStream random(settings_.seed, combine(7, number));
  for (std::size_t i = places_.size(); i > 1; --i)
    std::swap(places_[i - 1], places_[random.below(static_cast<std::uint32_t>(i))]);
  double loss = 0;
  const std::size_t batches = shard_count(places_.size(), settings_.batch);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::size_t from = batch * settings_.batch;
    learn(std::span(places_).subspan(from, std::min(settings_.batch, places_.size() - from)),
          combine(number, batch), static_cast<float>(rate), threads, loss);
    if (batch % 64 == 0) {
      if (stop && stop()) throw Interrupted();
      if (progress) progress(static_cast<double>(batch) / static_cast<double>(batches));
    }
  }
  return loss / static_cast<double>(places_.size());
}

void JointTrainer::learn(std::span<const Place> batch, std::uint64_t number, float rate, int threads, double& loss) {
  const JointShape& shape = model_.shape;
  RandomStream random(settings_.seed, combine(11, number));
  samples_.resize(settings_.samples);
  sample_rows_.resize(samples_.size(), shape.hidden);
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const auto found = std::upper_bound(sample_ends_.begin(), sample_ends_.end() - 1, random.uniform());
    samples_[k] = static_cast<Unit>(found - sample_ends_.begin());
    std::ranges::copy(model_.output.row(samples_[k]), sample_rows_.row(k).begin());
  }
  const std::size_t share = shard_count(batch.size(), kParts);
  const std::size_t used = shard_count(batch.size(), share);
  parallel_shards(used, threads, [&](std::size_t index) {
    Part& part = parts_[index];
    const auto places = batch.subspan(index * share, std::min(share, batch.size() - index * share));
    const std::size_t size = places.size(), inputs = shape.inputs();
    part.units.resize(size * inputs);
    part.words.resize(size);
    part.contexts.resize(size, inputs * shape.vector);
    for (std::size_t i = 0; i < size; ++i) {
      const std::span<Unit> units(part.units.data() + i * inputs, inputs);
      context_of(shape, text_, places[i].sentence, places[i].position, units);
      part.words[i] = word_at(text_, places[i].sentence, places[i].position);
      for (std::size_t j = 0; j < inputs; ++j) {
        const auto& vectors = j < shape.history ? model_.target_vectors : model_.source_vectors;
        std::ranges::copy(vectors.row(units[j]), part.contexts.row(i).begin() + static_cast<std::ptrdiff_t>(j * shape.vector));
      }
    }
    part.hidden.resize(size, shape.hidden);
    for (std::size_t i = 0; i < size; ++i) std::ranges::copy(model_.input_bias, part.hidden.row(i).begin());
    add_product(part.contexts, model_.input, part.hidden);
    // Dropout keeps the scale of what is left (Srivastava et al. 2014).
    RandomStream dice(settings_.seed, combine(combine(13, number), index));
    part.mask.resize(part.hidden.values.size());
    const auto kept = static_cast<float>(1 / (1 - settings_.dropout));
    for (std::size_t i = 0; i < part.mask.size(); ++i) {
      part.mask[i] = part.hidden.values[i] <= 0 || dice.uniform() < settings_.dropout ? 0.0f : kept;
      part.hidden.values[i] *= part.mask[i];
    }
    part.scores.resize(size, samples_.size());
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < samples_.size(); ++k)
        part.scores.row(i)[k] = model_.output_bias[samples_[k]] - log_expected_[samples_[k]];
    add_product_with_transposed(part.hidden, sample_rows_, part.scores);
    // Gradients of the scores: probabilities, more of them the more the sum exceeds one, minus one for the word itself,
    // which is in the sum once, drawn or not.
    part.loss = 0;
    part.own.resize(size);
    const auto normalization = static_cast<float>(settings_.normalization);
    for (std::size_t i = 0; i < size; ++i) {
      const std::span<float> scores = part.scores.row(i);
      const Unit word = part.words[i];
      for (std::size_t k = 0; k < samples_.size(); ++k)
        if (samples_[k] == word) scores[k] = -std::numeric_limits<float>::infinity();
      const float own = dot(part.hidden.row(i), model_.output.row(word)) + model_.output_bias[word];
      const float sum = exponentiate(scores) + std::exp(own), log_sum = std::log(sum);
      part.loss -= own - log_sum;
      const float factor = (1 + 2 * normalization * log_sum) / sum;
      for (float& score : scores) score *= factor;
      part.own[i] = std::exp(own) * factor - 1;
    }
    part.hidden_gradient.resize(size, shape.hidden);
    std::ranges::fill(part.hidden_gradient.values, 0.0f);
    add_product(part.scores, sample_rows_, part.hidden_gradient);
    part.sample_gradient.resize(samples_.size(), shape.hidden);
    std::ranges::fill(part.sample_gradient.values, 0.0f);
    add_product_of_transposed(part.scores, part.hidden, part.sample_gradient);
    part.sample_bias_gradient.assign(samples_.size(), 0.0f);
    for (std::size_t i = 0; i < size; ++i) {
      add_scaled(part.sample_bias_gradient, 1, part.scores.row(i));
      add_scaled(part.hidden_gradient.row(i), part.own[i], model_.output.row(part.words[i]));
    }
    for (std::size_t i = 0; i < part.mask.size(); ++i) part.hidden_gradient.values[i] *= part.mask[i];
    part.input_gradient.resize(model_.input.rows, model_.input.columns);
    std::ranges::fill(part.input_gradient.values, 0.0f);
    add_product_of_transposed(part.contexts, part.hidden_gradient, part.input_gradient);
    part.input_bias_gradient.assign(shape.hidden, 0.0f);
    for (std::size_t i = 0; i < size; ++i) add_scaled(part.input_bias_gradient, 1, part.hidden_gradient.row(i));
    part.context_gradient.resize(size, inputs * shape.vector);
    std::ranges::fill(part.context_gradient.values, 0.0f);
    add_product_with_transposed(part.hidden_gradient, model_.input, part.context_gradient);
    part.source.reset(shape.source_units, shape.vector);
    part.target.reset(shape.target_units, shape.vector);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < inputs; ++j) {
        TouchedRows& touched = j < shape.history ? part.target : part.source;
        add_scaled(touched.row(part.units[i * inputs + j]), 1,
                   part.context_gradient.row(i).subspan(j * shape.vector, shape.vector));
      }
  });
  // In the order of parts, so that threads change nothing.
  Part& first = parts_[0];
  for (std::size_t index = 1; index < used; ++index) {
    Part& part = parts_[index];
    add_scaled(first.input_gradient.values, 1, part.input_gradient.values);
    add_scaled(first.input_bias_gradient, 1, part.input_bias_gradient);
    add_scaled(first.sample_gradient.values, 1, part.sample_gradient.values);
    add_scaled(first.sample_bias_gradient, 1, part.sample_bias_gradient);
    for (const auto& [mine, theirs] : {std::pair(&first.source, &part.source), std::pair(&first.target, &part.target)})
      for (std::size_t slot = 0; slot < theirs->rows.size(); ++slot)
        add_scaled(mine->row(theirs->rows[slot]), 1,
                   {theirs->gradients.data() + slot * shape.vector, shape.vector});
  }
  for (std::size_t index = 0; index < used; ++index) loss += parts_[index].loss;
  output_.reset(shape.target_units, shape.hidden + 1);  // a row and its bias
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const std::span<float> row = output_.row(samples_[k]);
    add_scaled(row.first(shape.hidden), 1, first.sample_gradient.row(k));
    row[shape.hidden] += first.sample_bias_gradient[k];
  }
  for (std::size_t index = 0; index < used; ++index) {
    const Part& part = parts_[index];
    for (std::size_t i = 0; i < part.words.size(); ++i) {
      const std::span<float> row = output_.row(part.words[i]);
      add_scaled(row.first(shape.hidden), part.own[i], part.hidden.row(i));
      row[shape.hidden] += part.own[i];
    }
  }
  apply(first, rate);
}

void JointTrainer::apply(Part& part, float rate) {
  const JointShape& shape = model_.shape;
  for (std::size_t i = 0; i < model_.input.values.size(); ++i)
    step(model_.input.values[i], input_squares_.values[i], part.input_gradient.values[i], rate);
  for (std::size_t i = 0; i < shape.hidden; ++i)
    step(model_.input_bias[i], input_bias_squares_[i], part.input_bias_gradient[i], rate);
  for (std::size_t slot = 0; slot < output_.rows.size(); ++slot) {
    const Unit unit = output_.rows[slot];
    const std::span<const float> row(output_.gradients.data() + slot * output_.width, output_.width);
    step_row(model_.output.row(unit), output_squares_[unit], row.first(shape.hidden), rate);
    step(model_.output_bias[unit], output_bias_squares_[unit], row[shape.hidden], rate);
  }
  const auto vectors = [&](Matrix& matrix, std::vector<float>& squares, TouchedRows& touched) {
    for (std::size_t slot = 0; slot < touched.rows.size(); ++slot)
      step_row(matrix.row(touched.rows[slot]), squares[touched.rows[slot]],
               {touched.gradients.data() + slot * shape.vector, shape.vector}, rate);
  };
  vectors(model_.source_vectors, source_squares_, part.source);
  vectors(model_.target_vectors, target_squares_, part.target);
}

JointQuality evaluate(const JointModel& model, const JointText& text, int threads) {
  const JointShape& shape = model.shape;
  std::vector<JointQuality> found(text.sentences());
  parallel_shards(text.sentences(), threads, [&](std::size_t sentence) {
    const std::uint64_t from = sentence == 0 ? 0 : text.target_ends[sentence - 1];
    const std::size_t size = text.target_ends[sentence] - from + 1;
    Matrix contexts(size, shape.inputs() * shape.vector), hidden(size, shape.hidden), scores(size, shape.target_units);
    std::vector<Unit> units(shape.inputs());
    for (std::size_t i = 0; i < size; ++i) {
      context_of(shape, text, sentence, i, units);
      for (std::size_t j = 0; j < units.size(); ++j)
        std::ranges::copy((j < shape.history ? model.target_vectors : model.source_vectors).row(units[j]),
                          contexts.row(i).begin() + static_cast<std::ptrdiff_t>(j * shape.vector));
      std::ranges::copy(model.input_bias, hidden.row(i).begin());
      std::ranges::copy(model.output_bias, scores.row(i).begin());
    }
    add_product(contexts, model.input, hidden);
    for (float& value : hidden.values) value = std::max(value, 0.0f);
    add_product_with_transposed(hidden, model.output, scores);
    JointQuality& quality = found[sentence];
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (const float score : scores.row(i)) sum += std::exp(static_cast<double>(score));
      const double own = scores.row(i)[word_at(text, sentence, i)], log_sum = std::log(sum);
      quality.log_probability += own - log_sum;
      quality.score += own;
      quality.log_sum += log_sum;
      quality.log_sum_squared += log_sum * log_sum;
      ++quality.words;
    }
  });
  JointQuality total;
  for (const JointQuality& each : found) {
    total.log_probability += each.log_probability;
    total.score += each.score;
    total.log_sum += each.log_sum;
    total.log_sum_squared += each.log_sum_squared;
    total.words += each.words;
  }
  const auto words = static_cast<double>(std::max<std::size_t>(total.words, 1));
  total.log_probability /= words;
  total.score /= words;
  total.log_sum /= words;
  total.log_sum_squared /= words;
  return total;
}

}  // namespace dragoman::neural
