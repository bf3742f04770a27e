#pragma once
// A classifier for whatever is described by a bag of texts: the candidates of semantic roles, for one.
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "annotations/columns.hpp"
#include "annotations/perceptron.hpp"
#include "common/parallel.hpp"

namespace dragoman::annotations {

// Items as bags of features: flat texts, and where each item ends.
struct Bags {
  std::vector<std::string_view> features;
  std::vector<std::int64_t> ends;
};

class Classifier {
 public:
  Classifier(Weights weights, std::size_t labels) : weights_(std::move(weights)), labels_(labels) {}

  static Classifier train(const Bags& items, std::span<const Label> gold, std::size_t labels, const Schedule& schedule,
                          const std::function<void(int, std::size_t)>& told, const StopCallback& stop);

  // A row of scores for each item, as long as there are labels.
  [[nodiscard]] std::vector<float> scores(const Bags& items, int threads) const;
  [[nodiscard]] const Weights& weights() const noexcept { return weights_; }
  [[nodiscard]] std::size_t labels() const noexcept { return labels_; }

 private:
  Weights weights_;
  std::size_t labels_;
};

}  // namespace dragoman::annotations
