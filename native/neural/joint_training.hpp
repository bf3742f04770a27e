#pragma once
// Training of the joint model: passes over a text in random order, in small batches, whose work is cut into parts that
// depend on sizes alone, so that threads change nothing. The sum of all exponentiated scores is asked to be one (Devlin
// et al. 2014); a sample of the units may stand for all (Bengio and Senecal 2008), which is much faster and less exact.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "neural/joint_model.hpp"

namespace dragoman::neural {

struct JointTraining {
  std::size_t batch = 256;     // words that are learned from at once
  double normalization = 0.1;  // weight of the squared logarithm of the sum
  double dropout = 0.2;        // share of the hidden layer that is left out of each step
  double vector_dropout = 0;   // and of the vectors of context words
  std::uint64_t seed = 1;
};

// Gradients of some rows of a matrix.
struct RowGradients {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<std::uint32_t> slot_of;  // by row, kNone: not touched
  std::vector<Unit> rows;
  std::vector<float> values;
  std::size_t width = 0;

  void reset(std::size_t row_count, std::size_t row_width);
  [[nodiscard]] std::span<float> row(Unit unit);
  [[nodiscard]] std::span<const float> slot(std::size_t index) const { return {values.data() + index * width, width}; }
};

struct JointGradients {
  RowGradients source, target, output;  // rows of the output have their bias behind them
  Matrix input;
  std::vector<float> input_bias;
};

// What a batch is worked out in, one row for each of its words.
struct JointBatch {
  std::vector<Unit> units, words;  // contexts, and what is predicted from them
  Matrix contexts, hidden, scores, hidden_gradient, context_gradient;
  Matrix mask, context_mask;
  std::vector<float> own;  // gradients of the scores of the words themselves
  std::vector<double> losses;
  Matrix sample_gradient;
};

class JointTrainer {
 public:
  // The text must outlive the trainer, as must the model, which it changes.
  JointTrainer(JointModel& model, const JointText& text, const JointTraining& settings);
  JointTrainer(const JointTrainer&) = delete;
  JointTrainer& operator=(const JointTrainer&) = delete;
  ~JointTrainer();

  // One pass; so many samples stand for all units in each batch, 0 for none. Gives the mean loss. Stops with an error
  // when a loss is no number; what the model has become by then is of no use.
  double pass(std::size_t number, double rate, std::size_t samples, int threads, const StopCallback& stop,
              const std::function<void(double)>& progress);

  // The gradients of the summed loss of the whole text, without dropout; and that loss. So many samples stand for all
  // units, 0 for none.
  double gradients(JointGradients& found, std::size_t samples, int threads);
  // The units that stood for all the last time, some of them more than once.
  [[nodiscard]] std::span<const Unit> samples() const noexcept { return samples_; }

  // The model and all that training goes on from, exactly as they are.
  void save(const std::filesystem::path& path, std::size_t passes) const;
  // Gives the passes that had been made.
  std::size_t restore(const std::filesystem::path& path);

 private:
  struct Place {
    std::uint32_t sentence, position;
  };

  void shuffle(std::size_t pass);
  void choose_samples(std::size_t samples, std::uint64_t number);
  double learn(std::span<const Place> batch, std::uint64_t number, double dropout, int threads);
  // Steps of it, for words [from, to): their vectors, half of them left out; what is above zero in the hidden layer,
  // and how each unit scores by itself; gradients of the scores, and of the hidden layer by those of the words
  // themselves.
  void gather(std::span<const Place> places, std::size_t from, std::size_t to, std::uint64_t stream, double dropout);
  void rectify(std::size_t from, std::size_t to, std::uint64_t stream, double dropout);
  void score_gradients(std::size_t from, std::size_t to);
  void mask_gradients(std::size_t from, std::size_t to);
  void add_vector_gradients();
  void add_output_gradients();
  // Leaves a share of the values out, and keeps the scale of what is left (Srivastava et al. 2014).
  void drop(std::span<float> values, std::span<float> mask, double share, std::uint64_t stream) const;
  void apply(float rate, int threads);

  JointModel& model_;
  const JointText& text_;
  JointTraining settings_;
  std::vector<Place> places_;
  std::vector<double> sample_ends_;  // cumulative distribution
  std::vector<float> log_weights_;   // by unit: logarithm of how often a batch is expected to have it as a sample
  bool sampled_ = false;
  std::vector<Unit> samples_;
  Matrix sample_rows_;
  JointBatch batch_;
  JointGradients gradients_;
  // Sums of squared gradients (Duchi et al. 2011); rows of vectors and of the output have one for all their elements.
  std::vector<float> source_squares_, target_squares_, input_squares_, input_bias_squares_, output_squares_,
      output_bias_squares_;
};

}  // namespace dragoman::neural
