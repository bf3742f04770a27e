#include "neural/joint_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

#include "common/binary_file.hpp"
#include "common/parallel.hpp"
#include "common/random.hpp"
#include "grammar/bitext.hpp"
#include "neural/affiliation.hpp"
#include "neural/half.hpp"

namespace dragoman::neural {
namespace {

constexpr std::size_t kParameters = 6, kSideSections = VocabularyView::kSections + 2;
constexpr std::size_t kSections = 1 + 2 * kSideSections + kParameters;

void fill(std::vector<float>& values, double deviation, std::uint64_t seed, std::uint64_t item) {
  RandomStream random(seed, item);
  for (float& value : values) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    value = static_cast<float>(deviation * radius * std::cos(2 * std::numbers::pi * random.uniform()));
  }
}

void resize(JointModel& model) {
  const JointShape& shape = model.shape;
  model.source_vectors.resize(shape.source_units, shape.vector);
  model.target_vectors.resize(shape.target_units, shape.vector);
  model.input.resize(shape.inputs() * shape.vector, shape.hidden);
  model.input_bias.resize(shape.hidden);
  model.output.resize(shape.target_units, shape.hidden);
  model.output_bias.resize(shape.target_units);
}

// The hidden layer for each word of a sentence.
Matrix hidden_of(const JointModel& model, const JointText& text, std::size_t sentence) {
  const JointShape& shape = model.shape;
  const std::size_t size = text.words(sentence);
  Matrix contexts(size, shape.inputs() * shape.vector), hidden(size, shape.hidden);
  std::vector<Unit> units(shape.inputs());
  for (std::size_t i = 0; i < size; ++i) {
    text.context(shape, sentence, i, units);
    model.vectors_of(units, contexts.row(i));
    std::ranges::copy(model.input_bias, hidden.row(i).begin());
  }
  add_product(contexts, model.input, hidden);
  for (float& value : hidden.values) value = std::max(value, 0.0f);
  return hidden;
}

// Calls use(sentence, scores of all units), a row of them for each word.
template <typename Use>
void for_each_sentence(const JointModel& model, const JointText& text, int threads, const Use& use) {
  parallel_shards(text.sentences(), threads, [&](std::size_t sentence) {
    const Matrix hidden = hidden_of(model, text, sentence);
    Matrix scores(hidden.rows, model.shape.target_units);
    for (std::size_t i = 0; i < hidden.rows; ++i) std::ranges::copy(model.output_bias, scores.row(i).begin());
    add_product_with_transposed(hidden, model.output, scores);
    use(sentence, scores);
  });
}

[[nodiscard]] double log_sum_of(std::span<const float> scores) {
  double sum = 0;
  for (const float score : scores) sum += std::exp(static_cast<double>(score));
  return std::log(sum);
}

}  // namespace

JointModel::JointModel(const JointShape& wanted, JointWords source, JointWords target,
                       std::span<const double> target_counts, std::uint64_t seed)
    : shape(wanted), source_words(std::move(source)), target_words(std::move(target)) {
  resize(*this);
  fill(source_vectors.values, 0.1, seed, 1);
  fill(target_vectors.values, 0.1, seed, 2);
  // Sums of the hidden layer begin with a deviation of 1/4.
  fill(input.values, 2.5 / std::sqrt(static_cast<double>(input.rows)), seed, 3);
  fill(output.values, 0.01, seed, 4);
  double total = 0;
  for (const double count : target_counts) total += count;
  for (std::size_t unit = 0; unit < output_bias.size(); ++unit)
    output_bias[unit] = static_cast<float>(std::log((target_counts[unit] + 0.01) / total));
}

JointModel JointModel::joined(std::span<const JointModel* const> networks) {
  const JointModel& first = *networks.front();
  JointModel all;
  all.shape = first.shape;
  all.source_words = first.source_words;
  all.target_words = first.target_words;
  all.shape.vector = all.shape.hidden = 0;
  for (const JointModel* const each : networks) {
    const JointShape& shape = each->shape;
    if (std::tuple(shape.source_units, shape.target_units, shape.history, shape.window) !=
            std::tuple(first.shape.source_units, first.shape.target_units, first.shape.history, first.shape.window) ||
        each->source_words.units != first.source_words.units || each->target_words.units != first.target_words.units)
      throw InputError("networks over different units");
    all.shape.vector += shape.vector;
    all.shape.hidden += shape.hidden;
  }
  resize(all);
  const float share = 1 / static_cast<float>(networks.size());
  std::size_t vector = 0, hidden = 0;  // where the numbers of a network begin
  for (const JointModel* const each : networks) {
    const auto copy_rows = [](const Matrix& from, Matrix& to, std::size_t column, float factor) {
      for (std::size_t row = 0; row < from.rows; ++row)
        add_scaled(to.row(row).subspan(column, from.columns), factor, from.row(row));
    };
    copy_rows(each->source_vectors, all.source_vectors, vector, 1);
    copy_rows(each->target_vectors, all.target_vectors, vector, 1);
    copy_rows(each->output, all.output, hidden, share);
    add_scaled(all.output_bias, share, each->output_bias);
    std::ranges::copy(each->input_bias, all.input_bias.begin() + static_cast<std::ptrdiff_t>(hidden));
    for (std::size_t row = 0; row < each->input.rows; ++row) {
      const std::size_t place = row / each->shape.vector, number = row % each->shape.vector;
      std::ranges::copy(each->input.row(row),
                        all.input.row(place * all.shape.vector + vector + number).subspan(hidden).begin());
    }
    vector += each->shape.vector;
    hidden += each->shape.hidden;
  }
  return all;
}

std::vector<std::span<float>> JointModel::parameters() {
  return {source_vectors.values, target_vectors.values, input.values, input_bias, output.values, output_bias};
}

std::vector<std::span<const float>> JointModel::parameters() const {
  return {source_vectors.values, target_vectors.values, input.values, input_bias, output.values, output_bias};
}

void JointModel::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kJointModelFormat, kSections);
  writer.section(std::vector<std::uint64_t>{shape.source_units, shape.target_units, shape.history, shape.window,
                                            shape.vector, shape.hidden});
  for (const JointWords* const side : {&source_words, &target_words}) {
    side->words.view().write(writer);
    writer.section(side->units);
    writer.section(side->shares);
  }
  std::vector<std::uint16_t> halves;
  for (const std::span<const float> values : parameters()) {
    halves.clear();
    for (const float value : values) halves.push_back(to_half(value));
    writer.section(halves);
  }
  writer.finish();
}

JointModel JointModel::open(const std::filesystem::path& path) {
  const BinaryFile file(path, kJointModelFormat, kSections);
  JointModel model;
  const auto numbers = file.section<std::uint64_t>(0);
  file.require(numbers.size() == 6, "shape");
  for (const std::uint64_t number : numbers) file.require(number >= 1 && number < std::uint64_t{1} << 24, "shape");
  model.shape = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
  const JointShape& shape = model.shape;
  file.require(shape.history <= kMostHistory && shape.window <= 64, "shape");
  file.require(shape.source_units > kEnd && shape.target_units > kEnd, "shape");
  std::size_t section = 1;
  for (const auto& [side, count] : {std::pair(&model.source_words, model.shape.source_units),
                                    std::pair(&model.target_words, model.shape.target_units)}) {
    side->words = Vocabulary(VocabularyView::read(file, section));
    const auto units = file.section<Unit>(section + VocabularyView::kSections);
    const auto shares = file.section<float>(section + VocabularyView::kSections + 1);
    file.require(!units.empty() && units.size() == side->words.size() && shares.size() == units.size(),
                 "units of words");
    file.require(std::ranges::all_of(units, [limit = count](Unit unit) { return unit < limit; }), "units of words");
    file.require(std::ranges::all_of(shares, [](float share) { return share <= 0 && share > -100; }),
                 "shares of words");
    side->units.assign(units.begin(), units.end());
    side->shares.assign(shares.begin(), shares.end());
    section += kSideSections;
  }
  // Before room is made for them: a shape may be of any size, a file has the size that it has.
  const std::size_t sizes[] = {shape.source_units * shape.vector,
                               shape.target_units * shape.vector,
                               shape.inputs() * shape.vector * shape.hidden,
                               shape.hidden,
                               shape.target_units * shape.hidden,
                               shape.target_units};
  for (std::size_t part = 0; part < std::size(sizes); ++part)
    file.require(file.section<std::uint16_t>(section + part).size() == sizes[part], "number of parameters");
  resize(model);
  for (const std::span<float> values : model.parameters()) {
    const auto halves = file.section<std::uint16_t>(section++);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = from_half(halves[i]);
    file.require(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }),
                 "parameters that are no numbers");
  }
  return model;
}

void JointText::add(const JointWords& source_words, const JointWords& target_words, std::string_view source,
                    std::string_view target, std::string_view links, const std::string& where) {
  std::vector<grammar::SentenceLink> read;
  grammar::parse_links(links, where, read);
  for_each_token(source, [&](std::string_view word) { source_.push_back(source_words.unit(word)); });
  for_each_token(target, [&](std::string_view word) { target_.push_back(target_words.unit(word)); });
  source_ends_.push_back(source_.size());
  target_ends_.push_back(target_.size());
  const std::size_t sentence = sentences() - 1, size = source_.size() - begin(source_ends_, sentence);
  for (const grammar::SentenceLink& link : read)
    if (link.source >= size || link.target + std::size_t{1} >= words(sentence))
      throw InputError("link " + std::to_string(link.source) + "-" + std::to_string(link.target) + " points outside",
                       where, "does the alignment belong to these files?");
  append_affiliations(read, words(sentence) - 1, affiliations_);
}

void JointText::context(const JointShape& shape, std::size_t sentence, std::size_t position,
                        std::span<Unit> out) const {
  const std::uint64_t target_from = begin(target_ends_, sentence), source_from = begin(source_ends_, sentence);
  for (std::size_t i = 0; i < shape.history; ++i)
    out[i] = position > i ? target_[target_from + position - 1 - i] : kStart;
  const auto source = std::span(source_).subspan(source_from, source_ends_[sentence] - source_from);
  const bool ended = position + 1 == words(sentence);
  source_window(source, ended ? source.size() : affiliations_[target_from + position], shape.window,
                out.subspan(shape.history));
}

void source_window(std::span<const Unit> source, std::size_t centre, std::size_t window, std::span<Unit> out) {
  for (std::size_t i = 0; i < 2 * window + 1; ++i) {
    const std::size_t at = centre + i;  // `window` too far to the right
    out[i] = at < window ? kStart : at - window >= source.size() ? kEnd : source[at - window];
  }
}

void JointModel::vectors_of(std::span<const Unit> context, std::span<float> out) const {
  for (std::size_t i = 0; i < context.size(); ++i) {
    const Matrix& vectors = i < shape.history ? target_vectors : source_vectors;
    std::ranges::copy(vectors.row(context[i]), out.begin() + static_cast<std::ptrdiff_t>(i * shape.vector));
  }
}

JointQuality JointModel::evaluate(const JointText& text, int threads) const {
  struct Sums {
    double log_probability = 0, score = 0, log_sum = 0, squares = 0;
    std::size_t words = 0;
  };
  std::vector<Sums> found(text.sentences());
  for_each_sentence(*this, text, threads, [&](std::size_t sentence, const Matrix& scores) {
    Sums& sums = found[sentence];
    sums.words = scores.rows;
    for (std::size_t i = 0; i < scores.rows; ++i) {
      const double own = scores.row(i)[text.word(sentence, i)], log_sum = log_sum_of(scores.row(i));
      sums.log_probability += own - log_sum;
      sums.score += own;
      sums.log_sum += log_sum;
      sums.squares += log_sum * log_sum;
    }
  });
  Sums all;
  for (const Sums& each : found) {
    all.log_probability += each.log_probability;
    all.score += each.score;
    all.log_sum += each.log_sum;
    all.squares += each.squares;
    all.words += each.words;
  }
  const auto words = static_cast<double>(std::max<std::size_t>(all.words, 1));
  const double mean = all.log_sum / words;
  return {all.log_probability / words, all.score / words, mean,
          std::sqrt(std::max(0.0, all.squares / words - mean * mean)), all.words};
}

std::vector<float> JointModel::unit_scores(const JointText& text, bool normalized, int threads) const {
  std::vector<std::size_t> begins{0};
  for (std::size_t sentence = 0; sentence < text.sentences(); ++sentence)
    begins.push_back(begins.back() + text.words(sentence));
  std::vector<float> found(begins.back());
  if (normalized) {
    for_each_sentence(*this, text, threads, [&](std::size_t sentence, const Matrix& scores) {
      for (std::size_t i = 0; i < scores.rows; ++i)
        found[begins[sentence] + i] =
            scores.row(i)[text.word(sentence, i)] - static_cast<float>(log_sum_of(scores.row(i)));
    });
    return found;
  }
  parallel_shards(text.sentences(), threads, [&](std::size_t sentence) {
    const Matrix hidden = hidden_of(*this, text, sentence);
    for (std::size_t i = 0; i < hidden.rows; ++i) {
      const Unit word = text.word(sentence, i);
      found[begins[sentence] + i] = dot(hidden.row(i), output.row(word)) + output_bias[word];
    }
  });
  return found;
}

}  // namespace dragoman::neural
