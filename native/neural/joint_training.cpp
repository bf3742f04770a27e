#include "neural/joint_training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/binary_file.hpp"
#include "common/random.hpp"

namespace dragoman::neural {
namespace {

constexpr std::size_t kParts = 4;  // of a batch, each learned from by one thread
constexpr BinaryFormat kStateFormat{"JNTS", 1};
constexpr std::size_t kStateSections = 13;  // how far it is, parameters, squares

void step(float& value, float& squares, float gradient, float rate) {
  squares += gradient * gradient;
  value -= rate * gradient / std::sqrt(squares + 1e-8f);
}

void step_row(std::span<float> values, float& squares, std::span<const float> gradient, float rate) {
  squares += dot(gradient, gradient) / static_cast<float>(gradient.size());
  add_scaled(values, -rate / std::sqrt(squares + 1e-8f), gradient);
}

}  // namespace

void RowGradients::reset(std::size_t row_count, std::size_t row_width) {
  if (slot_of.size() != row_count) slot_of.assign(row_count, kNone);
  for (const Unit row : rows) slot_of[row] = kNone;
  rows.clear();
  values.clear();
  width = row_width;
}

std::span<float> RowGradients::row(Unit unit) {
  if (slot_of[unit] == kNone) {
    slot_of[unit] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(unit);
    values.resize(values.size() + width, 0.0f);
  }
  return {values.data() + slot_of[unit] * width, width};
}

struct JointTrainer::Part {
  Matrix contexts, hidden, hidden_gradient, context_gradient, scores, sample_gradient;
  std::vector<float> own;  // gradients of the scores of the words themselves
  std::vector<float> sample_bias_gradient, mask, vector_mask;
  std::vector<Unit> units, words;
  Matrix input_gradient;
  std::vector<float> input_bias_gradient;
  double loss = 0;
};

JointTrainer::JointTrainer(JointModel& model, const JointText& text, const JointTraining& settings)
    : model_(model),
      text_(text),
      settings_(settings),
      source_squares_(model.shape.source_units),
      target_squares_(model.shape.target_units),
      input_squares_(model.input.values.size()),
      input_bias_squares_(model.shape.hidden),
      output_squares_(model.shape.target_units),
      output_bias_squares_(model.shape.target_units),
      parts_(kParts) {
  std::vector<double> counts(model.shape.target_units, 0.1);
  for (std::size_t sentence = 0; sentence < text.sentences(); ++sentence) {
    for (std::size_t position = 0; position < text.words(sentence); ++position) {
      places_.push_back({static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(position)});
      counts[text.word(sentence, position)] += 1;
    }
  }
  // Flatter than the text, so that rare units are drawn, too.
  for (double& count : counts) count = std::pow(count, 0.75);
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  double so_far = 0;
  for (const double count : counts) {
    sample_ends_.push_back(so_far += count / sum);
    log_weights_.push_back(static_cast<float>(std::log(count / sum)));
  }
}

JointTrainer::~JointTrainer() = default;

void JointTrainer::shuffle(std::size_t pass) {
  // From one order in each pass, so that a pass that is resumed is as it would have been.
  std::ranges::sort(places_, {}, [](const Place& place) { return std::pair(place.sentence, place.position); });
  RandomStream random(settings_.seed, combine(7, pass));
  for (std::size_t i = places_.size(); i > 1; --i)
    std::swap(places_[i - 1], places_[random.below(static_cast<std::uint32_t>(i))]);
}

double JointTrainer::pass(std::size_t number, double rate, std::size_t samples, int threads, const StopCallback& stop,
                          const std::function<void(double)>& progress) {
  shuffle(number);
  double loss = 0;
  const std::size_t batches = shard_count(places_.size(), settings_.batch);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::size_t from = batch * settings_.batch;
    const std::uint64_t stream = combine(number, batch);
    choose_samples(samples, stream);
    const auto places = std::span(places_).subspan(from, std::min(settings_.batch, places_.size() - from));
    const double found = learn(places, stream, settings_.dropout, threads);
    if (!std::isfinite(found))
      throw InputError(
          "the loss is no number any more in batch " + std::to_string(batch + 1) + " of " + std::to_string(batches),
          "pass " + std::to_string(number + 1), "learn more slowly");
    loss += found;
    apply(static_cast<float>(rate), threads);
    if (batch % 16 == 0) {
      if (stop && stop()) throw Interrupted();
      if (progress) progress(static_cast<double>(batch) / static_cast<double>(batches));
    }
  }
  return loss / static_cast<double>(places_.size());
}

void JointTrainer::drop(std::vector<float>& values, std::vector<float>& mask, double share,
                        std::uint64_t stream) const {
  RandomStream dice(settings_.seed, stream);
  mask.resize(values.size());
  const auto kept = static_cast<float>(1 / (1 - share));
  const auto limit = static_cast<std::uint64_t>(share * 65536);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < mask.size(); ++i, bits >>= 16) {
    if (i % 4 == 0) bits = dice();  // four numbers of 16 bits
    mask[i] = (bits & 0xffff) < limit ? 0.0f : kept;
    values[i] *= mask[i];
  }
}

double JointTrainer::gradients(JointGradients& found, int threads) {
  std::ranges::sort(places_, {}, [](const Place& place) { return std::pair(place.sentence, place.position); });
  choose_samples(0, 0);
  const double loss = learn(places_, 0, 0, threads);
  found = gradients_;
  return loss;
}

void JointTrainer::choose_samples(std::size_t samples, std::uint64_t number) {
  const std::size_t units = model_.shape.target_units;
  sampled_ = samples > 0 && samples < units;
  samples_.resize(sampled_ ? samples : units);
  if (!sampled_) {
    std::iota(samples_.begin(), samples_.end(), Unit{0});
    return;
  }
  RandomStream random(settings_.seed, combine(11, number));
  sample_rows_.resize(samples, model_.shape.hidden);
  for (std::size_t k = 0; k < samples; ++k) {
    const auto found = std::upper_bound(sample_ends_.begin(), sample_ends_.end() - 1, random.uniform());
    samples_[k] = static_cast<Unit>(found - sample_ends_.begin());
    std::ranges::copy(model_.output.row(samples_[k]), sample_rows_.row(k).begin());
  }
}

double JointTrainer::learn(std::span<const Place> batch, std::uint64_t number, double dropout, int threads) {
  const JointShape& shape = model_.shape;
  const std::size_t share = shard_count(batch.size(), kParts), used = shard_count(batch.size(), share);
  parallel_shards(used, threads, [&](std::size_t index) {
    const auto places = batch.subspan(index * share, std::min(share, batch.size() - index * share));
    learn_part(parts_[index], places, combine(combine(13, number), index), dropout);
  });
  // In the order of parts, so that threads change nothing.
  gradients_.source.reset(shape.source_units, shape.vector);
  gradients_.target.reset(shape.target_units, shape.vector);
  gradients_.output.reset(shape.target_units, shape.hidden + 1);
  std::swap(gradients_.input, parts_[0].input_gradient);
  std::swap(gradients_.input_bias, parts_[0].input_bias_gradient);
  double loss = 0;
  for (std::size_t index = 0; index < used; ++index) {
    Part& part = parts_[index];
    loss += part.loss;
    if (index > 0) {
      add_scaled(gradients_.input.values, 1, part.input_gradient.values);
      add_scaled(gradients_.input_bias, 1, part.input_bias_gradient);
      add_scaled(parts_[0].sample_gradient.values, 1, part.sample_gradient.values);
      add_scaled(parts_[0].sample_bias_gradient, 1, part.sample_bias_gradient);
    }
    const std::size_t inputs = shape.inputs();
    for (std::size_t i = 0; i < part.words.size(); ++i)
      for (std::size_t j = 0; j < inputs; ++j) {
        RowGradients& touched = j < shape.history ? gradients_.target : gradients_.source;
        add_scaled(touched.row(part.units[i * inputs + j]), 1,
                   part.context_gradient.row(i).subspan(j * shape.vector, shape.vector));
      }
  }
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const std::span<float> row = gradients_.output.row(samples_[k]);
    add_scaled(row.first(shape.hidden), 1, parts_[0].sample_gradient.row(k));
    row[shape.hidden] += parts_[0].sample_bias_gradient[k];
  }
  for (std::size_t index = 0; index < used; ++index) {
    const Part& part = parts_[index];
    for (std::size_t i = 0; i < part.words.size(); ++i) {
      const std::span<float> row = gradients_.output.row(part.words[i]);
      add_scaled(row.first(shape.hidden), part.own[i], part.hidden.row(i));
      row[shape.hidden] += part.own[i];
    }
  }
  return loss;
}

void JointTrainer::learn_part(Part& part, std::span<const Place> places, std::uint64_t stream, double dropout) {
  const JointShape& shape = model_.shape;
  const std::size_t size = places.size(), inputs = shape.inputs();
  part.units.resize(size * inputs);
  part.words.resize(size);
  part.contexts.resize(size, inputs * shape.vector);
  part.hidden.resize(size, shape.hidden);
  for (std::size_t i = 0; i < size; ++i) {
    const std::span<Unit> units(part.units.data() + i * inputs, inputs);
    text_.context(shape, places[i].sentence, places[i].position, units);
    part.words[i] = text_.word(places[i].sentence, places[i].position);
    model_.vectors_of(units, part.contexts.row(i));
    std::ranges::copy(model_.input_bias, part.hidden.row(i).begin());
  }
  drop(part.contexts.values, part.vector_mask, dropout > 0 ? settings_.vector_dropout : 0, combine(stream, 1));
  add_product(part.contexts, model_.input, part.hidden);
  drop(part.hidden.values, part.mask, dropout, combine(stream, 0));
  for (std::size_t i = 0; i < part.mask.size(); ++i)
    if (part.hidden.values[i] <= 0) part.hidden.values[i] = part.mask[i] = 0;
  const Matrix& rows = sampled_ ? sample_rows_ : model_.output;
  const auto drawn = static_cast<float>(std::log(static_cast<double>(samples_.size())));
  part.scores.resize(size, samples_.size());
  for (std::size_t i = 0; i < size; ++i) {
    const std::span<float> scores = part.scores.row(i);
    if (i > 0) {
      std::ranges::copy(part.scores.row(0), scores.begin());
      continue;
    }
    for (std::size_t k = 0; k < samples_.size(); ++k)
      scores[k] = model_.output_bias[samples_[k]] - (sampled_ ? drawn + log_weights_[samples_[k]] : 0.0f);
  }
  add_product_with_transposed(part.hidden, rows, part.scores);
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
    part.loss += log_sum - own + normalization * log_sum * log_sum;
    const float factor = (1 + 2 * normalization * log_sum) / sum;
    for (float& score : scores) score *= factor;
    part.own[i] = std::exp(own) * factor - 1;
  }
  const auto cleared = [](Matrix& matrix, std::size_t row_count, std::size_t columns) -> Matrix& {
    matrix.resize(row_count, columns);
    std::ranges::fill(matrix.values, 0.0f);
    return matrix;
  };
  add_product(part.scores, rows, cleared(part.hidden_gradient, size, shape.hidden));
  add_product_of_transposed(part.scores, part.hidden, cleared(part.sample_gradient, samples_.size(), shape.hidden));
  part.sample_bias_gradient.assign(samples_.size(), 0.0f);
  for (std::size_t i = 0; i < size; ++i) {
    add_scaled(part.sample_bias_gradient, 1, part.scores.row(i));
    add_scaled(part.hidden_gradient.row(i), part.own[i], model_.output.row(part.words[i]));
  }
  for (std::size_t i = 0; i < part.mask.size(); ++i) part.hidden_gradient.values[i] *= part.mask[i];
  add_product_of_transposed(part.contexts, part.hidden_gradient,
                            cleared(part.input_gradient, model_.input.rows, model_.input.columns));
  part.input_bias_gradient.assign(shape.hidden, 0.0f);
  for (std::size_t i = 0; i < size; ++i) add_scaled(part.input_bias_gradient, 1, part.hidden_gradient.row(i));
  add_product_with_transposed(part.hidden_gradient, model_.input,
                              cleared(part.context_gradient, size, inputs * shape.vector));
  for (std::size_t i = 0; i < part.vector_mask.size(); ++i) part.context_gradient.values[i] *= part.vector_mask[i];
}

void JointTrainer::apply(float rate, int threads) {
  const JointShape& shape = model_.shape;
  const auto rows = [&](Matrix& matrix, std::vector<float>& squares, const RowGradients& touched) {
    for (std::size_t slot = 0; slot < touched.rows.size(); ++slot)
      step_row(matrix.row(touched.rows[slot]), squares[touched.rows[slot]], touched.slot(slot), rate);
  };
  parallel_shards(2, threads, [&](std::size_t half) {
    if (half == 0) {
      step_all(model_.input.values, input_squares_, gradients_.input.values, rate);
      step_all(model_.input_bias, input_bias_squares_, gradients_.input_bias, rate);
      rows(model_.source_vectors, source_squares_, gradients_.source);
      rows(model_.target_vectors, target_squares_, gradients_.target);
      return;
    }
    for (std::size_t slot = 0; slot < gradients_.output.rows.size(); ++slot) {
      const Unit unit = gradients_.output.rows[slot];
      const std::span<const float> row = gradients_.output.slot(slot);
      step_row(model_.output.row(unit), output_squares_[unit], row.first(shape.hidden), rate);
      step(model_.output_bias[unit], output_bias_squares_[unit], row[shape.hidden], rate);
    }
  });
}

void JointTrainer::save(const std::filesystem::path& path, std::size_t passes) const {
  BinaryWriter writer(path, kStateFormat, kStateSections);
  writer.section(std::vector<std::uint64_t>{passes});
  for (const std::span<const float> values : std::as_const(model_).parameters()) writer.section(values);
  for (const auto* const squares : {&source_squares_, &target_squares_, &input_squares_, &input_bias_squares_,
                                    &output_squares_, &output_bias_squares_})
    writer.section(*squares);
  writer.finish();
}

std::size_t JointTrainer::restore(const std::filesystem::path& path) {
  const BinaryFile file(path, kStateFormat, kStateSections);
  const auto passes = file.section<std::uint64_t>(0);
  file.require(passes.size() == 1, "number of passes");
  std::size_t section = 1;
  const auto read = [&](std::span<float> values) {
    const auto kept = file.section<float>(section++);
    file.require(kept.size() == values.size(), "another shape");
    std::ranges::copy(kept, values.begin());
  };
  for (const std::span<float> values : model_.parameters()) read(values);
  for (auto* const squares : {&source_squares_, &target_squares_, &input_squares_, &input_bias_squares_,
                              &output_squares_, &output_bias_squares_})
    read(*squares);
  return passes[0];
}

}  // namespace dragoman::neural
