#pragma once
// The joint model (Devlin et al. 2014): the probability of a target word given the words before it and the source words
// around the one that it is affiliated with. One hidden layer over the vectors of all context words. Training asks that
// the sum of all exponentiated scores, estimated by a sample (Bengio and Senecal 2008), be one (Devlin et al. 2014), so
// that scores are log probabilities as they are, and a score costs one row of the output.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "neural/matrix.hpp"

namespace dragoman::neural {

using Unit = std::uint32_t;  // a frequent word, a class of rare ones, or the edge of a sentence

inline constexpr Unit kSourceStart = 0, kSourceEnd = 1, kTargetStart = 0, kTargetEnd = 1;

struct JointShape {
  std::size_t source_units = 0, target_units = 0;
  std::size_t history = 3;  // target words before the one in question
  std::size_t window = 5;   // source words on each side of the affiliated one
  std::size_t vector = 64;  // of a word
  std::size_t hidden = 256;

  [[nodiscard]] std::size_t source_width() const noexcept { return 2 * window + 1; }
  [[nodiscard]] std::size_t inputs() const noexcept { return history + source_width(); }
};

struct JointModel {
  JointShape shape;
  Matrix source_vectors, target_vectors;  // one row per unit
  Matrix input;                           // (inputs * vector) x hidden
  std::vector<float> input_bias;
  Matrix output;  // one row per target unit
  std::vector<float> output_bias;

  JointModel(const JointShape& wanted, std::span<const double> target_frequencies, std::uint64_t seed);
};

// Sentences in units, one after the other; sentence i is [ends[i - 1], ends[i]). `affiliations` has the source position of each target word.
struct JointText {
  std::span<const Unit> source, target;
  std::span<const std::uint64_t> source_ends, target_ends;
  std::span<const std::uint32_t> affiliations;

  [[nodiscard]] std::size_t sentences() const noexcept { return target_ends.size(); }
};

struct JointTraining {
  std::size_t batch = 128;
  std::size_t samples = 1024;  // words whose scores stand for those of all, in each batch
  double normalization = 0.1;  // weight of the squared logarithm of the sum
  double dropout = 0.2;
  std::uint64_t seed = 1;
};

// Rows of a matrix that some words touch, with their gradients.
struct TouchedRows {
  std::vector<std::uint32_t> slot_of;  // by row, kNone: not touched
  std::vector<Unit> rows;
  std::vector<float> gradients;
  std::size_t width = 0;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void reset(std::size_t row_count, std::size_t row_width) {
    if (slot_of.size() != row_count) slot_of.assign(row_count, kNone);
    for (const Unit row : rows) slot_of[row] = kNone;
    rows.clear();
    gradients.clear();
    width = row_width;
  }
  std::span<float> row(Unit unit) {
    if (slot_of[unit] == kNone) {
      slot_of[unit] = static_cast<std::uint32_t>(rows.size());
      rows.push_back(unit);
      gradients.resize(gradients.size() + width, 0.0f);
    }
    return {gradients.data() + slot_of[unit] * width, width};
  }
};

// One pass over the text in a random order; gives the mean contrastive loss. The state of the optimiser is kept in a
// trainer, so that passes go on from each other.
class JointTrainer {
 public:
  JointTrainer(JointModel& model, const JointText& text, const JointTraining& settings);
  JointTrainer(const JointTrainer&) = delete;
  JointTrainer& operator=(const JointTrainer&) = delete;
  ~JointTrainer();

  double pass(std::size_t number, double rate, int threads, const StopCallback& stop,
              const std::function<void(double)>& progress);

 private:
  struct Place {
    std::uint32_t sentence, position;
  };
  struct Part;

  void learn(std::span<const Place> batch, std::uint64_t number, float rate, int threads, double& loss);
  void apply(Part& part, float rate);

  JointModel& model_;
  JointText text_;
  JointTraining settings_;
  std::vector<Place> places_;
  std::vector<double> sample_ends_;  // cumulative distribution
  std::vector<float> log_expected_;  // logarithm of how often a batch has a word as a sample
  std::vector<Unit> samples_;
  Matrix sample_rows_;
  TouchedRows output_;
  // Sums of squared gradients (Duchi et al. 2011); vectors and rows of the output have one for all their elements.
  std::vector<float> source_squares_, target_squares_, output_squares_, output_bias_squares_;
  Matrix input_squares_;
  std::vector<float> input_bias_squares_;
  std::vector<Part> parts_;
};

struct JointQuality {
  double log_probability = 0;  // mean of normalised scores, natural logarithm
  double score = 0;            // mean of the scores as they are
  double log_sum = 0, log_sum_squared = 0;
  std::size_t words = 0;
};
[[nodiscard]] JointQuality evaluate(const JointModel& model, const JointText& text, int threads);

// The units that a target word is predicted from: `history` before it, then the source window. `out` has room for all.
void context_of(const JointShape& shape, const JointText& text, std::size_t sentence, std::size_t position,
                std::span<Unit> out);

}  // namespace dragoman::neural
