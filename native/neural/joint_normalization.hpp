#pragma once
// Scores that are log probabilities as they are. A trained network says how words compare in a context, and the sum of
// its exponentiated scores is what it is. A few more hidden units learn the logarithm of that sum, from contexts of the
// text and from others that search will meet, and every score has what they say taken off. In the file they are hidden
// units like the others, whose weights are the same for all words, so that nothing else needs to know of them.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "neural/joint_model.hpp"

namespace dragoman::neural {

struct JointNormalization {
  std::size_t units = 64;        // hidden units that are added
  std::size_t contexts = 65536;  // that are learned from, at most
  std::size_t passes = 8;        // over these
  std::uint64_t seed = 1;
};

// The network that learns sums: what the hidden layer has and some units more, to one number.
struct SumNetwork {
  Matrix input;  // (inputs * vector) x units
  std::vector<float> input_bias;
  std::vector<float> known;  // weights of the hidden units that were there
  std::vector<float> added;  // and of those that are new
  float bias = 0;

  SumNetwork(const JointShape& shape, std::size_t units);
  [[nodiscard]] std::vector<std::span<float>> parameters() {
    return {input.values, input_bias, known, added, {&bias, 1}};
  }
};

// What gradients are worked out in, and the gradients themselves.
struct SumWork {
  Matrix contexts, hidden, units, unit_gradient;
  SumNetwork gradient;

  SumWork(const JointShape& shape, std::size_t count) : gradient(shape, count) {}
};

// Half of the squared errors of a network about contexts, one after the other, whose sums have these logarithms; and
// the gradients of that.
double sum_gradients(const JointModel& model, const SumNetwork& network, std::span<const Unit> contexts,
                     std::span<const float> sums, SumWork& work);

// Adds the units to a model; `progress` is told the share that is done.
void normalize(JointModel& model, const JointText& text, const JointNormalization& settings, int threads,
               const StopCallback& stop, const std::function<void(double)>& progress);

}  // namespace dragoman::neural
