#pragma once
// The joint model (Devlin et al. 2014): the probability of a target word given the words before it and the source words
// around the one that it is affiliated with. One hidden layer over the vectors of all context words. Training asks that
// the exponentiated scores sum to one, so that scores are log probabilities as they are, and a score costs one row of
// the output.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"
#include "neural/matrix.hpp"

namespace dragoman::neural {

using Unit = std::uint32_t;  // a frequent word, a class of rare ones, or the edge of a sentence

inline constexpr Unit kStart = 0, kEnd = 1;  // of a sentence, on both sides
inline constexpr std::size_t kMostHistory = 8;

struct JointShape {
  std::size_t source_units = 0, target_units = 0;
  std::size_t history = 3;  // target words before the one in question
  std::size_t window = 5;   // source words on each side of the affiliated one
  std::size_t vector = 64;  // of a word
  std::size_t hidden = 256;

  [[nodiscard]] std::size_t source_width() const noexcept { return 2 * window + 1; }
  [[nodiscard]] std::size_t inputs() const noexcept { return history + source_width(); }
};

// What the words of one side are to the model. A frequent word is a unit of its own; a rare one has the unit of its
// class, and of that unit's probability a share. Words that were never seen are as id 0, `<unk>`.
struct JointWords {
  Vocabulary words;
  std::vector<Unit> units;    // by id of the word
  std::vector<float> shares;  // natural logarithms

  [[nodiscard]] Unit unit(std::string_view word) const { return units[words.id(word)]; }
};

// Sentence pairs in units, with the source position that each target word is affiliated with.
class JointText {
 public:
  // Lines of tokens, and links as Pharaoh has them; `where` is for errors.
  void add(const JointWords& source_words, const JointWords& target_words, std::string_view source,
           std::string_view target, std::string_view links, const std::string& where);

  [[nodiscard]] std::size_t sentences() const noexcept { return target_ends_.size(); }
  [[nodiscard]] std::size_t words(std::size_t sentence) const noexcept {  // of the target, with its end
    return target_ends_[sentence] - begin(target_ends_, sentence) + 1;
  }
  // The target word at a position; one behind the last is the end.
  [[nodiscard]] Unit word(std::size_t sentence, std::size_t position) const noexcept {
    return position + 1 == words(sentence) ? kEnd : target_[begin(target_ends_, sentence) + position];
  }
  // What it is predicted from: the words before it, the nearest first, then the source window. `out` has room for all.
  void context(const JointShape& shape, std::size_t sentence, std::size_t position, std::span<Unit> out) const;

 private:
  [[nodiscard]] static std::uint64_t begin(const std::vector<std::uint64_t>& ends, std::size_t index) noexcept {
    return index == 0 ? 0 : ends[index - 1];
  }

  std::vector<Unit> source_, target_;
  std::vector<std::uint64_t> source_ends_, target_ends_;
  std::vector<std::uint32_t> affiliations_;
};

// The units around a position of a source sentence, its end being one behind the last.
void source_window(std::span<const Unit> source, std::size_t centre, std::size_t window, std::span<Unit> out);

struct JointQuality {
  double log_probability = 0;                 // mean of normalised scores, natural logarithm
  double score = 0;                           // mean of the scores as they are
  double log_sum = 0, log_sum_deviation = 0;  // of the exponentiated scores: 0 where they are probabilities
  std::size_t words = 0;
};

struct JointModel {
  JointShape shape;
  JointWords source_words, target_words;
  Matrix source_vectors, target_vectors;  // one row per unit
  Matrix input;                           // (inputs * vector) x hidden
  std::vector<float> input_bias;
  Matrix output;  // one row per target unit
  std::vector<float> output_bias;

  // Random vectors and weights; the bias of a unit is its share of the text.
  JointModel(const JointShape& wanted, JointWords source, JointWords target, std::span<const double> target_counts,
             std::uint64_t seed);

  // Networks over the same units as one, whose hidden layers stand side by side: its scores are the means of theirs.
  [[nodiscard]] static JointModel joined(std::span<const JointModel* const> networks);

  // Parameters are written as numbers of 16 bits.
  void save(const std::filesystem::path& path) const;
  [[nodiscard]] static JointModel open(const std::filesystem::path& path);
  // All parameters, part after part.
  [[nodiscard]] std::vector<std::span<float>> parameters();
  [[nodiscard]] std::vector<std::span<const float>> parameters() const;

  // The vectors of a context, one after the other.
  void vectors_of(std::span<const Unit> context, std::span<float> out) const;
  // By scores of all units.
  [[nodiscard]] JointQuality evaluate(const JointText& text, int threads) const;
  // Log probabilities of the target words of a text, each with its share in that of its unit: by one row of the output
  // each, as search has them, or normalised.
  [[nodiscard]] std::vector<float> unit_scores(const JointText& text, bool normalized, int threads) const;

 private:
  JointModel() = default;
};

}  // namespace dragoman::neural
