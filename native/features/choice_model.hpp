#pragma once
// Log-linear models of choices: of several candidates, each described by a bag of hashed cues, one is taken with a
// probability proportional to exp(sum of weights). Classes are candidates, too: their cues are hashed together with the
// class. Trained by stochastic gradients with a step for each weight (Duchi, Hazan and Singer 2011); the same seed
// gives the same weights.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "annotations/perceptron.hpp"
#include "common/binary_file.hpp"
#include "common/parallel.hpp"

namespace dragoman::features {

using Cue = annotations::Feature;

// One choice: the cues of all candidates, where those of each end, and which one was taken.
struct Choices {
  std::vector<Cue> cues;
  std::vector<std::uint32_t> ends;
  std::uint32_t taken = 0;

  void clear() noexcept {
    cues.clear();
    ends.clear();
    taken = 0;
  }
  void end_candidate() { ends.push_back(static_cast<std::uint32_t>(cues.size())); }
  [[nodiscard]] std::span<const Cue> candidate(std::size_t number) const noexcept {
    const std::uint32_t begin = number == 0 ? 0 : ends[number - 1];
    return std::span(cues).subspan(begin, ends[number] - begin);
  }
};

class ChoiceModel {
 public:
  ChoiceModel() = default;
  // Each cue once, with its weight.
  ChoiceModel(std::span<const Cue> cues, std::span<const float> weights);
  // From two sections of a file, which is refused unless there is a finite weight for each cue, and each cue once.
  static ChoiceModel read(const BinaryFile& file, std::size_t section);

  [[nodiscard]] double score(std::span<const Cue> cues) const noexcept {
    double sum = 0;
    for (const Cue cue : cues)
      if (const std::uint32_t entry = index_.find(cue); entry != annotations::FeatureIndex::kAbsent)
        sum += weights_[entry];
    return sum;
  }
  // Log probabilities of all candidates.
  void log_probabilities(const Choices& choices, std::vector<double>& found) const;
  [[nodiscard]] std::vector<Cue> cues() const { return index_.keys(); }
  [[nodiscard]] std::span<const float> weights() const noexcept { return weights_; }

 private:
  annotations::FeatureIndex index_;
  std::vector<float> weights_;
};

struct ChoiceTraining {
  int passes = 5;
  double step = 0.2;
  std::uint32_t min_count = 2;  // a cue of fewer choices that were taken has no weight
  std::uint64_t seed = 1;
};

// `fill` describes a choice by its number; it is asked again in every pass. `told` hears the mean log probability of
// what was taken after each.
[[nodiscard]] ChoiceModel train_choices(std::size_t choices, const std::function<void(std::size_t, Choices&)>& fill,
                                        const ChoiceTraining& training, const std::function<void(int, double)>& told,
                                        const StopCallback& stop);

}  // namespace dragoman::features
