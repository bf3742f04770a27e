#include "neural/joint_training.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/binary_file.hpp"
#include "common/random.hpp"

namespace dragoman::neural {
namespace {

constexpr std::size_t kParts = 8, kBlock = 64;  // parts of the words of a batch; columns of a product
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

JointTrainer::JointTrainer(JointModel& model, const JointText& text, const JointTraining& settings)
    : model_(model),
      text_(text),
      settings_(settings),
      source_squares_(model.shape.source_units),
      target_squares_(model.shape.target_units),
      input_squares_(model.input.values.size()),
      input_bias_squares_(model.shape.hidden),
      output_squares_(model.shape.target_units),
      output_bias_squares_(model.shape.target_units) {
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

void JointTrainer::drop(std::span<float> values, std::span<float> mask, double share, std::uint64_t stream) const {
  constexpr std::size_t kDrawn = 256;  // numbers at once, each 16 bits of which stand for a value
  RandomStream dice(settings_.seed, stream);
  const auto kept = static_cast<float>(1 / (1 - share));
  const auto limit = static_cast<std::uint16_t>(share * 65536);
  std::uint64_t drawn[kDrawn];
  for (std::size_t from = 0; from < values.size(); from += 4 * kDrawn) {
    for (std::uint64_t& bits : drawn) bits = dice();
    const auto halves = std::bit_cast<std::array<std::uint16_t, 4 * kDrawn>>(drawn);
    const std::size_t count = std::min(values.size() - from, halves.size());
    for (std::size_t i = 0; i < count; ++i) mask[from + i] = kept * static_cast<float>(halves[i] >= limit);
    for (std::size_t i = from; i < from + count; ++i) values[i] *= mask[i];
  }
}

double JointTrainer::gradients(JointGradients& found, std::size_t samples, int threads) {
  std::ranges::sort(places_, {}, [](const Place& place) { return std::pair(place.sentence, place.position); });
  choose_samples(samples, 0);
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

double JointTrainer::learn(std::span<const Place> places, std::uint64_t number, double dropout, int threads) {
  const JointShape& shape = model_.shape;
  const std::size_t size = places.size(), share = shard_count(size, kParts), parts = shard_count(size, share);
  const std::size_t inputs = shape.inputs(), wide = inputs * shape.vector;
  const auto cleared = [](Matrix& matrix, std::size_t rows, std::size_t columns) {
    matrix.resize(rows, columns);
    std::ranges::fill(matrix.values, 0.0f);
  };
  batch_.units.resize(size * inputs);
  batch_.words.resize(size);
  batch_.own.resize(size);
  batch_.losses.resize(size);
  batch_.contexts.resize(size, wide);
  batch_.context_mask.resize(size, wide);
  batch_.hidden.resize(size, shape.hidden);
  batch_.mask.resize(size, shape.hidden);
  batch_.scores.resize(size, samples_.size());
  cleared(batch_.hidden_gradient, size, shape.hidden);
  cleared(batch_.context_gradient, size, wide);
  cleared(batch_.sample_gradient, samples_.size(), shape.hidden);
  cleared(gradients_.input, wide, shape.hidden);
  gradients_.input_bias.assign(shape.hidden, 0.0f);
  const Matrix& rows = sampled_ ? sample_rows_ : model_.output;
  // Rounds, in each of which words, or columns of products, are shared out.
  const std::size_t hidden_blocks = shard_count(shape.hidden, kBlock), context_blocks = shard_count(wide, kBlock);
  const std::size_t shards[] = {parts, hidden_blocks,     parts, shard_count(samples_.size(), kBlock),
                                parts, 2 * hidden_blocks, parts, hidden_blocks + context_blocks,
                                2};
  const auto block = [](std::size_t index) { return Columns{index * kBlock, (index + 1) * kBlock}; };
  const auto work = [&](std::size_t round, std::size_t shard) {
    const std::size_t from = shard * share, to = std::min(size, from + share);  // where words are shared out
    const std::uint64_t stream = combine(combine(13, number), shard);
    switch (round) {
      case 0:
        return gather(places, from, to, stream, dropout);
      case 1:
        return add_product(batch_.contexts, model_.input, batch_.hidden, block(shard));
      case 2:
        return rectify(from, to, stream, dropout);
      case 3:
        return add_product_with_transposed(batch_.hidden, rows, batch_.scores, block(shard));
      case 4:
        return score_gradients(from, to);
      case 5:
        if (shard < hidden_blocks) return add_product(batch_.scores, rows, batch_.hidden_gradient, block(shard));
        return add_product_of_transposed(batch_.scores, batch_.hidden, batch_.sample_gradient,
                                         block(shard - hidden_blocks));
      case 6:
        return mask_gradients(from, to);
      case 7:
        if (shard < hidden_blocks)
          return add_product_of_transposed(batch_.contexts, batch_.hidden_gradient, gradients_.input, block(shard));
        return add_product_with_transposed(batch_.hidden_gradient, model_.input, batch_.context_gradient,
                                           block(shard - hidden_blocks));
      default:
        return shard == 0 ? add_vector_gradients() : add_output_gradients();
    }
  };
  parallel_rounds(
      std::size(shards), [&](std::size_t round) { return shards[round]; }, threads, work, [](std::size_t) {});
  return std::accumulate(batch_.losses.begin(), batch_.losses.end(), 0.0);
}

void JointTrainer::gather(std::span<const Place> places, std::size_t from, std::size_t to, std::uint64_t stream,
                          double dropout) {
  const JointShape& shape = model_.shape;
  const std::size_t inputs = shape.inputs(), wide = inputs * shape.vector;
  for (std::size_t i = from; i < to; ++i) {
    const std::span<Unit> units(batch_.units.data() + i * inputs, inputs);
    text_.context(shape, places[i].sentence, places[i].position, units);
    batch_.words[i] = text_.word(places[i].sentence, places[i].position);
    model_.vectors_of(units, batch_.contexts.row(i));
    std::ranges::copy(model_.input_bias, batch_.hidden.row(i).begin());
  }
  drop(std::span(batch_.contexts.values).subspan(from * wide, (to - from) * wide),
       std::span(batch_.context_mask.values).subspan(from * wide), dropout > 0 ? settings_.vector_dropout : 0,
       combine(stream, 1));
}

void JointTrainer::rectify(std::size_t from, std::size_t to, std::uint64_t stream, double dropout) {
  const std::size_t width = model_.shape.hidden;
  const auto hidden = std::span(batch_.hidden.values).subspan(from * width, (to - from) * width);
  const auto mask = std::span(batch_.mask.values).subspan(from * width, (to - from) * width);
  drop(hidden, mask, dropout, combine(stream, 0));
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    mask[i] = hidden[i] > 0 ? mask[i] : 0.0f;
    hidden[i] = std::max(hidden[i], 0.0f);
  }
  const auto drawn = static_cast<float>(std::log(static_cast<double>(samples_.size())));
  const std::span<float> first = batch_.scores.row(from);
  for (std::size_t k = 0; k < samples_.size(); ++k)
    first[k] = model_.output_bias[samples_[k]] - (sampled_ ? drawn + log_weights_[samples_[k]] : 0.0f);
  for (std::size_t i = from + 1; i < to; ++i) std::ranges::copy(first, batch_.scores.row(i).begin());
}

void JointTrainer::score_gradients(std::size_t from, std::size_t to) {
  // Probabilities, more of them the more the sum exceeds one, minus one for the word itself, which is in the sum once,
  // drawn or not.
  const auto normalization = static_cast<float>(settings_.normalization);
  for (std::size_t i = from; i < to; ++i) {
    const std::span<float> scores = batch_.scores.row(i);
    const Unit word = batch_.words[i];
    for (std::size_t k = 0; k < samples_.size(); ++k)
      if (samples_[k] == word) scores[k] = -std::numeric_limits<float>::infinity();
    const float own = dot(batch_.hidden.row(i), model_.output.row(word)) + model_.output_bias[word];
    const float sum = exponentiate(scores) + std::exp(own), log_sum = std::log(sum);
    batch_.losses[i] = log_sum - own + normalization * log_sum * log_sum;
    const float factor = (1 + 2 * normalization * log_sum) / sum;
    for (float& score : scores) score *= factor;
    batch_.own[i] = std::exp(own) * factor - 1;
  }
}

void JointTrainer::mask_gradients(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const std::span<float> gradient = batch_.hidden_gradient.row(i);
    add_scaled(gradient, batch_.own[i], model_.output.row(batch_.words[i]));
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] *= batch_.mask.row(i)[j];
  }
}

void JointTrainer::add_vector_gradients() {
  const JointShape& shape = model_.shape;
  const std::size_t inputs = shape.inputs();
  gradients_.source.reset(shape.source_units, shape.vector);
  gradients_.target.reset(shape.target_units, shape.vector);
  for (std::size_t i = 0; i < batch_.words.size(); ++i) {
    const std::span<float> gradient = batch_.context_gradient.row(i);
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] *= batch_.context_mask.row(i)[j];
    for (std::size_t j = 0; j < inputs; ++j) {
      RowGradients& touched = j < shape.history ? gradients_.target : gradients_.source;
      add_scaled(touched.row(batch_.units[i * inputs + j]), 1, gradient.subspan(j * shape.vector, shape.vector));
    }
    add_scaled(gradients_.input_bias, 1, batch_.hidden_gradient.row(i));
  }
}

void JointTrainer::add_output_gradients() {
  const std::size_t width = model_.shape.hidden;
  gradients_.output.reset(model_.shape.target_units, width + 1);
  std::vector<float> biases(samples_.size());
  for (std::size_t i = 0; i < batch_.words.size(); ++i) add_scaled(biases, 1, batch_.scores.row(i));
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const std::span<float> row = gradients_.output.row(samples_[k]);
    add_scaled(row.first(width), 1, batch_.sample_gradient.row(k));
    row[width] += biases[k];
  }
  for (std::size_t i = 0; i < batch_.words.size(); ++i) {
    const std::span<float> row = gradients_.output.row(batch_.words[i]);
    add_scaled(row.first(width), batch_.own[i], batch_.hidden.row(i));
    row[width] += batch_.own[i];
  }
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
