#include "semantics/ranking_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "common/binary_file.hpp"
#include "common/hash.hpp"
#include "common/random.hpp"
#include "semantics/window_kernels.hpp"

namespace dragoman::semantics {
namespace {

constexpr std::size_t kParts = 8;  // of a batch, whatever the number of threads
constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
constexpr BinaryFormat kRankingState{"RVTS", 1};

template <typename Real>
void fill_uniform(std::vector<Real>& values, double width, std::uint64_t seed, std::uint64_t stream) {
  RandomStream dice(seed, stream);
  for (Real& value : values) value = static_cast<Real>((2 * dice.uniform() - 1) * width);
}

template <typename Real>
void require_number(Real value, const char* term, std::size_t pass, std::size_t batch) {
  if (!std::isfinite(value))
    throw InputError(std::string("the ") + term + " is no longer a number",
                     "pass " + std::to_string(pass + 1) + ", batch " + std::to_string(batch + 1),
                     "go on from the last good pass with a smaller rate");
}

}  // namespace

// Some windows of a batch: what one thread works on at a time.
template <typename Real>
struct RankingTrainer<Real>::Part {
  std::vector<WordId> words;  // of all windows, window by window
  std::vector<Real> inputs, true_hidden, changes, other_hidden;
  std::vector<Real> true_deltas, other_deltas, sums, input_gradients, true_gradients, other_gradients;
  std::vector<Real> true_own, other_own;  // vectors of scored words and of their replacements
  std::vector<Real> document_inputs, true_document, other_document, true_document_deltas, other_document_deltas;
  std::vector<Real> document_gradients;
  RankingNetwork<Real> network;  // gradients of all but the vectors
  std::vector<WordId> row_words;
  std::vector<Real> row_values;
  double loss = 0;
  std::uint64_t violated = 0, pairs = 0;

  void add_row(WordId word, const Real* values, std::size_t size) {
    row_words.push_back(word);
    row_values.insert(row_values.end(), values, values + size);
  }
};

template <typename Real>
RankingTrainer<Real>::RankingTrainer(const RankingShape& shape, RankingText text, std::uint64_t seed)
    : shape_(shape), text_(std::move(text)), seed_(seed), parts_(kParts) {
  if (shape.words <= kFirstWord || shape.dimensions == 0 || shape.window == 0 || shape.scored >= shape.window ||
      shape.hidden == 0)
    throw SettingError("vectors of no size", "give at least one word, dimension, place and hidden unit");
  std::int64_t before = 0;
  for (std::size_t sentence = 0; sentence < text_.ends.size(); ++sentence) {
    const std::int64_t end = text_.ends[sentence];
    if (end < before) throw InputError("sentences whose ends are not in order");
    sentence_of_.insert(sentence_of_.end(), static_cast<std::size_t>(end - before),
                        static_cast<std::uint32_t>(sentence));
    before = end;
  }
  if (before != static_cast<std::int64_t>(text_.words.size()) || text_.documents.size() != text_.ends.size() ||
      text_.idf.size() != shape.words)
    throw InputError("a text whose parts do not fit each other");
  for (const WordId word : text_.words)
    if (word >= shape.words) throw InputError("a word beyond the vocabulary");
  for (const std::int32_t document : text_.documents)
    if (document < 0) throw InputError("a sentence of no document");
  network_.vectors.resize(shape.words * shape.dimensions);
  network_.weights.resize(shape.inputs() * shape.hidden);
  network_.bias.resize(shape.hidden);
  network_.output.resize(shape.hidden);
  network_.document_weights.resize(2 * shape.dimensions * shape.document_hidden);
  network_.document_bias.resize(shape.document_hidden);
  network_.document_output.resize(shape.document_hidden);
  squares_ = network_;
  const auto side = [](std::size_t size) { return 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(size, 1))); };
  fill_uniform(network_.vectors, 0.5 * side(shape.dimensions), seed, 1);
  fill_uniform(network_.weights, side(shape.inputs()), seed, 2);
  fill_uniform(network_.output, side(shape.hidden), seed, 3);
  fill_uniform(network_.document_weights, side(2 * shape.dimensions), seed, 4);
  fill_uniform(network_.document_output, side(shape.document_hidden), seed, 5);
  has_target_.assign(shape.words, 0);
  slot_of_.assign(shape.words, kNoSlot);
}

template <typename Real>
RankingTrainer<Real>::~RankingTrainer() = default;

template <typename Real>
void RankingTrainer<Real>::set_translations(std::vector<Real> targets, std::vector<std::uint8_t> has_target) {
  if (targets.size() != network_.vectors.size() || has_target.size() != shape_.words)
    throw InputError("translations of another vocabulary");
  targets_ = std::move(targets);
  has_target_ = std::move(has_target);
}

template <typename Real>
void RankingTrainer<Real>::refresh_documents() {
  if (shape_.document_hidden == 0) return;
  const std::size_t size = shape_.dimensions;
  const auto last = text_.documents.empty() ? -1 : *std::ranges::max_element(text_.documents);
  document_means_.assign(static_cast<std::size_t>(last + 1) * size, 0);
  std::vector<double> weights(static_cast<std::size_t>(last + 1));
  for (std::size_t token = 0; token < text_.words.size(); ++token) {
    const auto document = static_cast<std::size_t>(text_.documents[sentence_of_[token]]);
    const WordId word = text_.words[token];
    weights[document] += text_.idf[word];
    for (std::size_t i = 0; i < size; ++i)
      document_means_[document * size + i] += static_cast<Real>(text_.idf[word]) * network_.vectors[word * size + i];
  }
  for (std::size_t document = 0; document < weights.size(); ++document)
    if (weights[document] > 0)
      for (std::size_t i = 0; i < size; ++i)
        document_means_[document * size + i] /= static_cast<Real>(weights[document]);
}

template <typename Real>
void RankingTrainer<Real>::read_window(std::size_t token, std::size_t sentence, std::span<WordId> out) const {
  const std::int64_t begin = sentence == 0 ? 0 : text_.ends[sentence - 1], end = text_.ends[sentence];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t at = static_cast<std::int64_t>(token + i) - static_cast<std::int64_t>(shape_.scored);
    out[i] = at < begin ? kBegin : at >= end ? kEndOfSentence : text_.words[static_cast<std::size_t>(at)];
  }
}

template <typename Real>
void RankingTrainer<Real>::learn_part(Part& part, std::span<const RankedWindow> windows) {
  const std::size_t size = shape_.dimensions, inputs = shape_.inputs(), hidden = shape_.hidden;
  const std::size_t deep = shape_.document_hidden, count = windows.size();
  const auto copy = [](const Real* from, std::size_t length, Real* to) { std::copy(from, from + length, to); };
  part.row_words.clear();
  part.row_values.clear();
  part.loss = 0;
  part.violated = part.pairs = 0;
  part.words.resize(count * shape_.window);
  part.inputs.resize(count * inputs);
  part.true_hidden.resize(count * hidden);
  part.true_own.resize(count * size);
  std::size_t pairs = 0;
  for (std::size_t w = 0; w < count; ++w) {
    const std::span<WordId> words(part.words.data() + w * shape_.window, shape_.window);
    read_window(windows[w].token, windows[w].sentence, words);
    for (std::size_t i = 0; i < words.size(); ++i)
      copy(network_.vectors.data() + words[i] * size, size, part.inputs.data() + w * inputs + i * size);
    copy(network_.vectors.data() + words[shape_.scored] * size, size, part.true_own.data() + w * size);
    copy(network_.bias.data(), hidden, part.true_hidden.data() + w * hidden);
    pairs += windows[w].replacements.size();
  }
  part.pairs = pairs;
  multiply_add(part.inputs.data(), network_.weights.data(), count, inputs, hidden, part.true_hidden.data());
  // A replacement changes one block of the input: its hidden layer is that of the window, and the change.
  const Real* const own_weights = network_.weights.data() + shape_.scored * size * hidden;
  part.other_own.resize(pairs * size);
  part.changes.resize(pairs * size);
  part.other_hidden.resize(pairs * hidden);
  std::size_t pair = 0;
  for (std::size_t w = 0; w < count; ++w)
    for (const WordId word : windows[w].replacements) {
      copy(network_.vectors.data() + word * size, size, part.other_own.data() + pair * size);
      for (std::size_t i = 0; i < size; ++i)
        part.changes[pair * size + i] = part.other_own[pair * size + i] - part.true_own[w * size + i];
      copy(part.true_hidden.data() + w * hidden, hidden, part.other_hidden.data() + pair * hidden);
      ++pair;
    }
  multiply_add(part.changes.data(), own_weights, pairs, size, hidden, part.other_hidden.data());
  hyperbolic_tangents(part.true_hidden.data(), part.true_hidden.size());
  hyperbolic_tangents(part.other_hidden.data(), part.other_hidden.size());
  if (deep > 0) {
    part.document_inputs.resize(count * 2 * size);
    part.true_document.resize(count * deep);
    part.other_document.resize(pairs * deep);
    for (std::size_t w = 0; w < count; ++w) {
      const auto document = static_cast<std::size_t>(text_.documents[windows[w].sentence]);
      copy(document_means_.data() + document * size, size, part.document_inputs.data() + w * 2 * size);
      copy(part.true_own.data() + w * size, size, part.document_inputs.data() + w * 2 * size + size);
      copy(network_.document_bias.data(), deep, part.true_document.data() + w * deep);
    }
    multiply_add(part.document_inputs.data(), network_.document_weights.data(), count, 2 * size, deep,
                 part.true_document.data());
    pair = 0;
    for (std::size_t w = 0; w < count; ++w)
      for (std::size_t r = 0; r < windows[w].replacements.size(); ++r, ++pair)
        copy(part.true_document.data() + w * deep, deep, part.other_document.data() + pair * deep);
    multiply_add(part.changes.data(), network_.document_weights.data() + size * deep, pairs, size, deep,
                 part.other_document.data());
    hyperbolic_tangents(part.true_document.data(), part.true_document.size());
    hyperbolic_tangents(part.other_document.data(), part.other_document.size());
  }
  const auto score = [](const Real* layer, const std::vector<Real>& output) {
    Real sum = 0;
    for (std::size_t j = 0; j < output.size(); ++j) sum += layer[j] * output[j];
    return sum;
  };
  RankingNetwork<Real>& found = part.network;
  found.weights.assign(network_.weights.size(), 0);
  found.bias.assign(hidden, 0);
  found.output.assign(hidden, 0);
  found.document_weights.assign(network_.document_weights.size(), 0);
  found.document_bias.assign(deep, 0);
  found.document_output.assign(deep, 0);
  part.true_deltas.assign(count * hidden, 0);
  part.sums.assign(count * hidden, 0);
  part.other_deltas.assign(pairs * hidden, 0);
  part.true_document_deltas.assign(count * deep, 0);
  part.other_document_deltas.assign(pairs * deep, 0);
  const auto add_deltas = [](const Real* layer, const std::vector<Real>& output, Real sign, std::vector<Real>& gradient,
                             Real* deltas, Real* sums) {
    for (std::size_t j = 0; j < output.size(); ++j) {
      const Real delta = sign * output[j] * (1 - layer[j] * layer[j]);
      gradient[j] += sign * layer[j];
      deltas[j] += delta;
      if (sums != nullptr) sums[j] += delta;
    }
  };
  pair = 0;
  for (std::size_t w = 0; w < count; ++w) {
    const Real own = score(part.true_hidden.data() + w * hidden, network_.output) +
                     score(part.true_document.data() + w * deep, network_.document_output);
    for (std::size_t r = 0; r < windows[w].replacements.size(); ++r, ++pair) {
      const Real other = score(part.other_hidden.data() + pair * hidden, network_.output) +
                         score(part.other_document.data() + pair * deep, network_.document_output);
      const Real loss = 1 - own + other;
      if (loss <= 0) continue;
      part.loss += loss;
      ++part.violated;
      Real* const sums = part.sums.data() + w * hidden;
      add_deltas(part.true_hidden.data() + w * hidden, network_.output, -1, found.output,
                 part.true_deltas.data() + w * hidden, sums);
      add_deltas(part.other_hidden.data() + pair * hidden, network_.output, 1, found.output,
                 part.other_deltas.data() + pair * hidden, sums);
      add_deltas(part.true_document.data() + w * deep, network_.document_output, -1, found.document_output,
                 part.true_document_deltas.data() + w * deep, nullptr);
      add_deltas(part.other_document.data() + pair * deep, network_.document_output, 1, found.document_output,
                 part.other_document_deltas.data() + pair * deep, nullptr);
    }
  }
  if (part.violated == 0) return;
  for (std::size_t w = 0; w < count; ++w) add_to(found.bias.data(), part.sums.data() + w * hidden, hidden);
  part.input_gradients.resize(count * inputs);
  multiply_transposed(part.sums.data(), network_.weights.data(), count, inputs, hidden, part.input_gradients.data());
  part.true_gradients.resize(count * size);
  part.other_gradients.resize(pairs * size);
  multiply_transposed(part.true_deltas.data(), own_weights, count, size, hidden, part.true_gradients.data());
  multiply_transposed(part.other_deltas.data(), own_weights, pairs, size, hidden, part.other_gradients.data());
  // The block of the scored word has gradients of its own.
  for (std::size_t w = 0; w < count; ++w)
    std::fill_n(part.inputs.data() + w * inputs + shape_.scored * size, size, Real(0));
  outer_add(part.inputs.data(), part.sums.data(), count, inputs, hidden, found.weights.data());
  Real* const own_gradients = found.weights.data() + shape_.scored * size * hidden;
  outer_add(part.true_own.data(), part.true_deltas.data(), count, size, hidden, own_gradients);
  outer_add(part.other_own.data(), part.other_deltas.data(), pairs, size, hidden, own_gradients);
  if (deep > 0) {
    const Real* const word_weights = network_.document_weights.data() + size * deep;
    const auto add_products = [&](const std::vector<Real>& deltas, std::size_t rows, std::vector<Real>& gradients) {
      part.document_gradients.resize(rows * size);
      multiply_transposed(deltas.data(), word_weights, rows, size, deep, part.document_gradients.data());
      add_to(gradients.data(), part.document_gradients.data(), rows * size);
    };
    add_products(part.true_document_deltas, count, part.true_gradients);
    add_products(part.other_document_deltas, pairs, part.other_gradients);
    // Of the document: the mean is the same for a window and its replacements, and is taken as given.
    pair = 0;
    for (std::size_t w = 0; w < count; ++w) {
      const auto document = static_cast<std::size_t>(text_.documents[windows[w].sentence]);
      const auto spread = [&](const Real* deltas, const Real* own) {
        add_to(found.document_bias.data(), deltas, deep);
        outer_add(document_means_.data() + document * size, deltas, 1, size, deep, found.document_weights.data());
        outer_add(own, deltas, 1, size, deep, found.document_weights.data() + size * deep);
      };
      spread(part.true_document_deltas.data() + w * deep, part.true_own.data() + w * size);
      for (std::size_t r = 0; r < windows[w].replacements.size(); ++r, ++pair)
        spread(part.other_document_deltas.data() + pair * deep, part.other_own.data() + pair * size);
    }
  }
  pair = 0;
  for (std::size_t w = 0; w < count; ++w) {
    for (std::size_t i = 0; i < shape_.window; ++i) {
      const Real* const gradient = i == shape_.scored ? part.true_gradients.data() + w * size
                                                      : part.input_gradients.data() + w * inputs + i * size;
      part.add_row(part.words[w * shape_.window + i], gradient, size);
    }
    for (const WordId word : windows[w].replacements)
      part.add_row(word, part.other_gradients.data() + size * pair++, size);
  }
}

template <typename Real>
RankingLoss RankingTrainer<Real>::learn(std::span<const RankedWindow> windows, int threads) {
  const std::size_t share = (windows.size() + kParts - 1) / kParts;
  used_parts_ = shard_count(windows.size(), share);
  parallel_shards(used_parts_, threads, [&](std::size_t index) {
    learn_part(parts_[index], windows.subspan(index * share, std::min(share, windows.size() - index * share)));
  });
  RankingLoss loss;
  std::uint64_t pairs = 0;
  for (std::size_t index = 0; index < used_parts_; ++index) {
    loss.context += parts_[index].loss;
    loss.violated += static_cast<double>(parts_[index].violated);
    pairs += parts_[index].pairs;
  }
  loss.violated /= static_cast<double>(std::max<std::uint64_t>(pairs, 1));
  loss.windows = windows.size();
  return loss;
}

// The batch that `learn` looked at: a step, or the gradients if `out` is there. Gives the translation loss.
template <typename Real>
double RankingTrainer<Real>::apply_or_report(std::span<const RankedWindow> windows, const RankingPass& settings,
                                             RankingNetwork<Real>* out) {
  const std::size_t size = shape_.dimensions;
  touched_.clear();
  const auto touch = [&](WordId word) {
    if (word >= settings.active || slot_of_[word] != kNoSlot) return;
    slot_of_[word] = static_cast<std::uint32_t>(touched_.size());
    touched_.push_back(word);
  };
  std::vector<WordId> words(shape_.window);
  for (const RankedWindow& window : windows) {
    read_window(window.token, window.sentence, words);
    for (const WordId word : words) touch(word);
    for (const WordId word : window.replacements) touch(word);
  }
  row_gradients_.assign(touched_.size() * size, 0);
  const auto scale = static_cast<Real>(settings.context / static_cast<double>(windows.size()));
  if (settings.context > 0) {
    for (std::size_t index = 0; index < used_parts_; ++index) {
      const Part& part = parts_[index];
      for (std::size_t row = 0; row < part.row_words.size(); ++row)
        if (const std::uint32_t slot = slot_of_[part.row_words[row]]; slot != kNoSlot)
          add_to(row_gradients_.data() + slot * size, part.row_values.data() + row * size, size);
    }
    for (Real& value : row_gradients_) value *= scale;
  }
  double distance = 0;
  std::size_t pulled = 0;
  if (!targets_.empty()) {
    for (const WordId word : touched_) pulled += has_target_[word];
    const auto strength =
        static_cast<Real>(2 * settings.translation / static_cast<double>(std::max<std::size_t>(pulled, 1)));
    for (std::size_t slot = 0; slot < touched_.size(); ++slot) {
      const WordId word = touched_[slot];
      if (has_target_[word] == 0) continue;
      for (std::size_t i = 0; i < size; ++i) {
        const Real difference = network_.vectors[word * size + i] - targets_[word * size + i];
        distance += static_cast<double>(difference) * static_cast<double>(difference);
        row_gradients_[slot * size + i] += strength * difference;
      }
    }
    distance /= static_cast<double>(std::max<std::size_t>(pulled, 1));
  }
  if (out != nullptr) out->vectors.assign(network_.vectors.size(), 0);
  for (std::size_t slot = 0; slot < touched_.size(); ++slot) {
    const std::size_t at = touched_[slot] * size;
    if (out != nullptr)
      std::copy_n(row_gradients_.data() + slot * size, size, out->vectors.data() + at);
    else
      adaptive_step(network_.vectors.data() + at, squares_.vectors.data() + at, row_gradients_.data() + slot * size,
                    size, static_cast<Real>(settings.rate));
    slot_of_[touched_[slot]] = kNoSlot;
  }
  const auto parts = network_.parts(), squares = squares_.parts();
  for (std::size_t number = 1; number < parts.size(); ++number) {
    std::vector<Real> sum(parts[number].size());
    if (settings.context > 0) {
      for (std::size_t index = 0; index < used_parts_; ++index)
        if (parts_[index].violated > 0) add_to(sum.data(), parts_[index].network.parts()[number].data(), sum.size());
      for (Real& value : sum) value *= scale;
    }
    if (out != nullptr)
      std::ranges::copy(sum, out->parts()[number].begin());
    else if (settings.context > 0)
      adaptive_step(parts[number].data(), squares[number].data(), sum.data(), sum.size(),
                    static_cast<Real>(settings.rate));
  }
  return distance;
}

template <typename Real>
RankingLoss RankingTrainer<Real>::pass(const RankingPass& settings, int threads, const StopCallback& stop,
                                       const std::function<void(double)>& progress) {
  if (settings.active <= kFirstWord + 1 || settings.active > shape_.words)
    throw InputError("fewer than two words to learn", "", "give more text, or lower min_count");
  refresh_documents();
  std::vector<std::uint32_t> order;
  for (std::size_t token = 0; token < text_.words.size(); ++token)
    if (text_.words[token] < settings.active) order.push_back(static_cast<std::uint32_t>(token));
  RandomStream dice(seed_, combine(101, settings.number));
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[dice.below(static_cast<std::uint32_t>(i))]);
  RankingLoss sums;
  std::vector<RankedWindow> windows;
  std::vector<double> chances(settings.active - kFirstWord, 0.0);
  for (const WordId word : text_.words)
    if (word >= kFirstWord && word < settings.active) ++chances[word - kFirstWord];
  double sum = 0;
  for (double& chance : chances) chance = sum += std::pow(std::max(chance, 1.0), settings.noise);
  std::size_t batches = 0;
  for (std::size_t from = 0; from < order.size(); from += settings.batch, ++batches) {
    if (stop && stop()) throw Interrupted();
    const std::size_t count = std::min(settings.batch, order.size() - from);
    windows.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t token = order[from + i];
      windows[i].token = token;
      windows[i].sentence = sentence_of_[token];
      windows[i].replacements.resize(settings.replacements);
      RandomStream chance(seed_, combine(combine(103, settings.number), token));
      for (WordId& word : windows[i].replacements) do
          word = kFirstWord +
                 static_cast<WordId>(std::ranges::upper_bound(chances, chance.uniform() * sum) - chances.begin());
        while (word == text_.words[token]);
    }
    RankingLoss loss;
    if (settings.context > 0) loss = learn(windows, threads);
    require_number(loss.context, "loss of the context", settings.number, batches);
    const double distance = apply_or_report(windows, settings, nullptr);
    require_number(distance, "distance to translations", settings.number, batches);
    sums.context += loss.context;
    sums.translation += distance;
    sums.violated += loss.violated * static_cast<double>(count);
    sums.windows += count;
    if (progress && batches % 64 == 63) progress(static_cast<double>(from + count) / static_cast<double>(order.size()));
  }
  for (const std::span<Real> part : network_.parts())
    for (const Real value : part) require_number(value, "network", settings.number, batches);
  const auto seen = static_cast<double>(std::max<std::uint64_t>(sums.windows, 1));
  sums.context /= seen;
  sums.violated /= seen;
  sums.translation /= static_cast<double>(std::max<std::size_t>(batches, 1));
  return sums;
}

template <typename Real>
double RankingTrainer<Real>::gradients(std::span<const RankedWindow> windows, const RankingPass& settings,
                                       RankingNetwork<Real>& found, int threads) {
  for (const RankedWindow& window : windows) {
    if (window.token >= text_.words.size() || window.sentence != sentence_of_[window.token])
      throw InputError("a window beyond the text");
    for (const WordId word : window.replacements)
      if (word >= shape_.words) throw InputError("a word beyond the vocabulary");
  }
  if (windows.empty()) throw InputError("no windows");
  if (document_means_.empty()) refresh_documents();
  found = network_;
  const RankingLoss loss = learn(windows, threads);
  const double distance = apply_or_report(windows, settings, &found);
  return settings.context * loss.context / static_cast<double>(windows.size()) + settings.translation * distance;
}

template <typename Real>
void RankingTrainer<Real>::save(const std::filesystem::path& path, std::size_t passes) const {
  RankingNetwork<Real> network = network_, squares = squares_;
  BinaryWriter writer(path, kRankingState, 15);
  writer.section(std::vector<std::uint64_t>{passes});
  for (RankingNetwork<Real>* const each : {&network, &squares})
    for (const std::span<Real> part : each->parts()) writer.section(std::span<const Real>(part));
  writer.finish();
}

template <typename Real>
std::size_t RankingTrainer<Real>::restore(const std::filesystem::path& path) {
  const BinaryFile file(path, kRankingState, 15);
  const auto passes = file.section<std::uint64_t>(0);
  file.require(passes.size() == 1, "number of passes");
  std::size_t section = 1;
  for (RankingNetwork<Real>* const each : {&network_, &squares_})
    for (const std::span<Real> part : each->parts()) {
      const auto kept = file.section<Real>(section++);
      file.require(kept.size() == part.size(), "another shape");
      std::ranges::copy(kept, part.begin());
    }
  return passes[0];
}

template class RankingTrainer<float>;
template class RankingTrainer<double>;

}  // namespace dragoman::semantics
