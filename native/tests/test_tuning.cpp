// Envelopes, sweeps and lists: what sanitizers should see of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "common/hash.hpp"
#include "common/random.hpp"
#include "forest/kbest.hpp"
#include "tests/check.hpp"
#include "tuning/envelope.hpp"
#include "tuning/forest_envelope.hpp"
#include "tuning/line_search.hpp"
#include "tuning/mira.hpp"

using namespace dragoman;
using namespace dragoman::tuning;

namespace {

Pool random_pool(std::uint64_t seed, std::size_t sentences, std::size_t candidates, std::size_t features) {
  RandomStream random(seed, 0);
  Pool pool(sentences, 2);
  std::vector<FeatureId> ids;
  for (std::size_t f = 0; f < features; ++f) ids.push_back(pool.intern("f" + std::to_string(f)));
  for (std::size_t sentence = 0; sentence < sentences; ++sentence)
    for (std::size_t k = 0; k < candidates; ++k) {
      std::vector<std::pair<FeatureId, double>> values;
      for (const FeatureId id : ids) values.emplace_back(id, std::floor(random.uniform() * 7) - 3);
      pool.add(sentence, "text " + std::to_string(random.below(5)), values);
    }
  std::vector<double> rows;
  for (std::size_t i = 0; i < pool.pending().size(); ++i) {
    rows.push_back(random.below(4));
    rows.push_back(4);
  }
  pool.set_statistics(rows);
  return pool;
}

class Share final : public metrics::Gain {
 public:
  using Gain::score;
  [[nodiscard]] std::size_t width() const noexcept override { return 2; }
  void score(std::span<const double> rows, std::span<double> into) const override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = rows[2 * i] / rows[2 * i + 1];
  }
};

}  // namespace

TEST("an envelope is the highest line everywhere") {
  RandomStream random(7, 0);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = 1 + random.below(40);
    std::vector<double> slopes, heights;
    for (std::size_t k = 0; k < size; ++k) {
      slopes.push_back(static_cast<double>(random.below(9)) - 4);
      heights.push_back(static_cast<double>(random.below(9)) - 4);
    }
    std::vector<Segment> envelope;
    EnvelopeBuilder().build(slopes, heights, envelope);
    for (std::size_t i = 0; i < envelope.size(); ++i) {
      const double low = std::max(envelope[i].from, -50.0);
      const double high = i + 1 < envelope.size() ? envelope[i + 1].from : 50.0;
      const double x = (low + high) / 2;
      for (std::size_t k = 0; k < size; ++k)
        CHECK(heights[k] + x * slopes[k] <= envelope[i].line.height + x * envelope[i].line.slope + 1e-9);
    }
  }
}

TEST("a line search reports what is there, on any number of threads") {
  const Share gain;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Pool pool = random_pool(seed, 70, 8, 3);
    RandomStream random(seed, 1);
    std::vector<double> weights, direction;
    for (std::size_t f = 0; f < pool.names().size(); ++f) {
      weights.push_back(random.uniform() - 0.5);
      direction.push_back(random.uniform() - 0.5);
    }
    LineSearch search(pool, gain);
    const auto line = search.line(weights, direction, {Smoothing::kAverage, 3}, 1, {});
    const auto again = LineSearch(pool, gain).line(weights, direction, {Smoothing::kAverage, 3}, 4, {});
    CHECK(line.size() == again.size());
    for (std::size_t t = 0; t < std::min(line.size(), again.size()); ++t) CHECK(line[t].gain == again[t].gain);
    const LinePoint point = best_point(line);
    std::vector<double> there = weights;
    for (std::size_t f = 0; f < there.size(); ++f) there[f] += point.x * direction[f];
    CHECK(std::abs(gain.score(best_statistics(pool, there, 3)) - point.gain) < 1e-12);
  }
}

TEST("MIRA runs for every rule and never loses its fixed weights") {
  const Share gain;
  const Pool pool = random_pool(3, 30, 10, 4);
  const std::vector<double> start(pool.names().size(), 0.1), words(pool.size(), 4.0);
  std::vector<std::uint8_t> fixed(start.size(), 0);
  fixed[2] = 1;
  for (const MiraRule rule : {MiraRule::kMargin, MiraRule::kPerceptron, MiraRule::kRamp}) {
    MiraOptions options;
    options.rule = rule;
    options.passes = 5;
    options.pull = 1e-3;
    options.threads = 3;
    const MiraResult found = batch_mira(pool, gain, start, words, fixed, options, {});
    CHECK(found.weights.size() == start.size());
    CHECK(std::abs(found.weights[2] - 0.1) < 1e-12);
    CHECK(found.gains.size() == 5);
  }
}

TEST("the envelope of a forest holds the best derivation of every point") {
  RandomStream random(11, 0);
  for (int round = 0; round < 50; ++round) {
    forest::ForestBuilder builder;
    std::vector<forest::NodeId> nodes;
    for (int n = 0; n < 6; ++n) {
      nodes.push_back(builder.add_node({}));
      const std::uint32_t edges = 1 + random.below(3);
      for (std::uint32_t e = 0; e < edges; ++e) {
        std::vector<forest::NodeId> tails;
        if (n > 0)
          for (std::uint32_t t = random.below(3); t > 0; --t)
            tails.push_back(nodes[random.below(static_cast<std::uint32_t>(n))]);
        std::vector<WordId> target{1};
        for (std::size_t t = 0; t < tails.size(); ++t) target.push_back(forest::tail_symbol(t));
        const std::vector<FeatureId> ids{0, 1};
        const std::vector<double> values{random.uniform() - 0.5, random.uniform() - 0.5};
        builder.add_edge({nodes.back(), tails, target, 0, {}, ids, values, 0, {}});
      }
    }
    const forest::Forest forest = builder.finish(nodes.back());
    const std::vector<double> weights{1, 0}, direction{0, 1};
    const ForestEnvelope found = forest_envelope(forest, weights, direction);
    for (double x = -4; x <= 4; x += 0.5) {
      double highest = -HUGE_VAL;
      for (std::size_t k = 0; k < found.from.size(); ++k)
        highest = std::max(highest, found.heights[k] + x * found.slopes[k]);
      const std::vector<double> there{1, x};
      const forest::Forest scored = forest.reweighted(there);
      CHECK(std::abs(forest::k_best(scored, {1, false, 0}).scores[0] - highest) < 1e-9);
    }
    for (std::size_t k = 0; k < found.from.size(); ++k)
      CHECK(forest::derivation_problem(forest, found.derivations[k]) == nullptr);
  }
  CHECK(forest_envelope(forest::Forest(), {}, {}).from.empty());
}

TEST("a pool compares candidates by content, not by hash") {
  Candidates list;
  const FeatureId one[] = {1}, two[] = {6};
  const std::uint32_t text = list.intern("text");
  const auto add = [&](std::span<const FeatureId> ids, double value) { return list.add(text, ids, {&value, 1}); };
  CHECK(add(one, 0.5) && !add(one, 0.5 + 1e-8) && add(one, 0.5 + 1e-5));
  CHECK(add(two, 1e-9) && !add(two, -1e-9));  // both are rounded to zero
  // Values under which these two features have the same hash: hashing one number after the other can be undone.
  int tried = 0;
  for (double small = 1000; small < 1010; ++small) {
    const std::uint64_t difference = combine(0, one[0]) - combine(0, two[0]);
    const auto large = std::bit_cast<double>(std::bit_cast<std::uint64_t>(small) + difference * 0x9e3779b97f4a7c15ULL);
    if (!(std::abs(large) > 0x1p53 && std::abs(large) < 1e300) || std::round(large / 1e6 * 1e6) != large) continue;
    if (std::round(small / 1e6 * 1e6) != small) continue;
    ++tried;
    CHECK(add(one, small / 1e6) && add(two, large / 1e6));
    CHECK(!add(one, small / 1e6) && !add(two, large / 1e6));
  }
  CHECK(tried > 0);
}
