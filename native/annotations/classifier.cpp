#include "annotations/classifier.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::annotations {

namespace {

[[nodiscard]] std::vector<Feature> hashed(const Bags& items) {
  std::int64_t last = 0;
  for (const std::int64_t end : items.ends) {
    if (end < last) throw InputError("ends of items that are not in order");
    last = end;
  }
  if (items.features.size() != static_cast<std::size_t>(last)) throw InputError("features after the last item");
  std::vector<Feature> out;
  out.reserve(items.features.size());
  for (const std::string_view text : items.features) out.push_back(hash_bytes(text));
  return out;
}

[[nodiscard]] std::span<const Feature> bag(const std::vector<Feature>& features, const Bags& items, std::size_t item) {
  const auto begin = item == 0 ? 0 : static_cast<std::size_t>(items.ends[item - 1]);
  return std::span(features).subspan(begin, static_cast<std::size_t>(items.ends[item]) - begin);
}

}  // namespace

Classifier Classifier::train(const Bags& items, std::span<const Label> gold, std::size_t labels,
                             const Schedule& schedule, const std::function<void(int, std::size_t)>& told,
                             const StopCallback& stop) {
  const std::vector<Feature> features = hashed(items);
  if (gold.size() != items.ends.size()) throw InputError("a label for each item is needed");
  for (const Label label : gold) {
    if (label >= labels) throw InputError("a label out of range");
  }
  Learner learner;
  std::vector<float> scores(labels);
  for (int epoch = 0; epoch < schedule.epochs; ++epoch) {
    std::size_t right = 0, seen = 0;
    for (const std::uint32_t item : shuffled(gold.size(), schedule.seed, static_cast<unsigned>(epoch))) {
      if (stop && ++seen % 4096 == 0 && stop()) throw Interrupted();
      learner.step();
      std::fill(scores.begin(), scores.end(), 0.0f);
      learner.add(bag(features, items, item), scores);
      const Label guess = best_label(scores);
      if (guess == gold[item]) {
        ++right;
      } else {
        learner.update(bag(features, items, item), gold[item], 1);
        learner.update(bag(features, items, item), guess, -1);
      }
    }
    if (told) told(epoch, right);
  }
  return {Weights(learner.averaged(schedule.least), labels), labels};
}

std::vector<float> Classifier::scores(const Bags& items, int threads) const {
  const std::vector<Feature> features = hashed(items);
  std::vector<float> rows(items.ends.size() * labels_);
  parallel_ranges(items.ends.size(), 1024, threads, [&](std::size_t from, std::size_t to) {
    for (std::size_t item = from; item < to; ++item) {
      weights_.add(bag(features, items, item), std::span(rows).subspan(item * labels_, labels_));
    }
  });
  return rows;
}

}  // namespace dragoman::annotations
