#include <algorithm>
#include <vector>

#include "annotations/parser.hpp"
#include "annotations/perceptron.hpp"
#include "annotations/transitions.hpp"
#include "common/error.hpp"
#include "common/random.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::annotations;

namespace {

// A random tree: each token but the root hangs on one that was placed before it.
std::vector<std::int32_t> random_tree(std::size_t size, RandomStream& random) {
  std::vector<std::int32_t> order(size);
  for (std::size_t at = 0; at < size; ++at) order[at] = static_cast<std::int32_t>(at);
  for (std::size_t at = size; at > 1; --at)
    std::swap(order[at - 1], order[random.below(static_cast<std::uint32_t>(at))]);
  std::vector<std::int32_t> heads(size, -1);
  for (std::size_t at = 1; at < size; ++at) heads[order[at]] = order[random.below(static_cast<std::uint32_t>(at))];
  return heads;
}

}  // namespace

TEST("the oracle builds every tree, crossing arcs and all") {
  RandomStream random(1, 0);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t size = 1 + random.below(12);
    const auto heads = random_tree(size, random);
    std::vector<Label> labels(size);
    for (auto& label : labels) label = static_cast<Label>(random.below(5));
    const auto actions = oracle(heads, labels);
    State state;
    state.start(size);
    for (const Action action : actions) state.apply(action);
    CHECK(state.finished());
    bool same = true;
    for (std::size_t at = 0; at < size; ++at) {
      const Node& node = state.node(static_cast<std::int32_t>(at) + 1);
      same = same && node.head - 1 == heads[at] && node.label == labels[at];
    }
    CHECK(same);
  }
}

TEST("averages are means over all steps") {
  Learner learner;
  const std::vector<Feature> features{7};
  learner.step();
  learner.update(features, 3, 2.0f);  // 2 at steps 1 and 2, 3 at steps 3 and 4
  learner.step();
  learner.step();
  learner.update(features, 3, 1.0f);
  learner.step();
  const auto arrays = learner.averaged(0);
  CHECK(arrays.keys == std::vector<Feature>{7});
  CHECK(arrays.labels == std::vector<Label>{3});
  CHECK(arrays.values[0] == 2.5f);
  CHECK(learner.averaged(2.6).keys.empty());
  std::vector<float> scores(4);
  Weights(arrays, 4).add(features, scores);
  CHECK(scores[3] == 2.5f);
}

TEST("weights that do not fit together are refused") {
  const auto refused = [](Weights::Arrays arrays, std::size_t labels) {
    try {
      const Weights weights(arrays, labels);
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  CHECK(refused({{1, 2}, {1}, {0}, {1.0f}}, 1));
  CHECK(refused({{1}, {2}, {0}, {1.0f}}, 1));
  CHECK(refused({{1}, {1}, {5}, {1.0f}}, 2));
  CHECK(refused({{1, 1}, {1, 2}, {0, 0}, {1.0f, 1.0f}}, 1));
  CHECK(!refused({{1, 2}, {1, 2}, {0, 1}, {1.0f, 1.0f}}, 2));
}
