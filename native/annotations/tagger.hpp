#pragma once
// A tagger for anything that is one label a token: parts of speech, rules that make lemmas, where words split. It goes
// from left to right and sees the word's letters, its neighbours, what is given about them, and its own last two
// labels (Collins 2002, without the search: greedy decisions lose little where the right context is a feature).
#include <functional>
#include <span>
#include <vector>

#include "annotations/columns.hpp"
#include "annotations/perceptron.hpp"
#include "common/parallel.hpp"

namespace dragoman::annotations {

class Tagger {
 public:
  Tagger(Weights weights, std::size_t labels) : weights_(std::move(weights)), labels_(labels) {}

  // `told(epoch, right)` hears how many tokens were right while learning.
  static Tagger train(const Columns& sentences, std::span<const Label> gold, std::size_t labels,
                      const Schedule& schedule, const std::function<void(int, std::size_t)>& told,
                      const StopCallback& stop);

  [[nodiscard]] std::vector<Label> tag(const Columns& sentences, int threads, const StopCallback& stop) const;
  [[nodiscard]] const Weights& weights() const noexcept { return weights_; }
  [[nodiscard]] std::size_t labels() const noexcept { return labels_; }

 private:
  Weights weights_;
  std::size_t labels_;
};

}  // namespace dragoman::annotations
