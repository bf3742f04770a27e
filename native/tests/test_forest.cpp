#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "common/random.hpp"
#include "forest/combine.hpp"
#include "forest/consensus.hpp"
#include "forest/expectation.hpp"
#include "forest/forest_file.hpp"
#include "forest/intersect.hpp"
#include "forest/kbest.hpp"
#include "forest/oracle.hpp"
#include "forest/prune.hpp"
#include "forest/sample.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::forest;

namespace {

// A random graph as a careless decoder might leave it: dead ends, repeated tails, ids in no useful order.
Forest random_forest(std::uint64_t item) {
  RandomStream random(11, item);
  ForestBuilder builder;
  const std::uint32_t nodes = 1 + random.below(9);
  const std::array<std::uint64_t, 2> coverage{random(), random()};
  std::vector<NodeId> ids(nodes);
  for (std::uint32_t rank = 0; rank < nodes; ++rank) {
    ids[rank] = builder.add_node({rank, rank + 1, 1, 0}, coverage);
    std::swap(ids[rank], ids[random.below(rank + 1)]);
  }
  for (std::uint32_t rank = 0; rank < nodes; ++rank) {
    for (std::uint32_t k = random.below(4); k > 0; --k) {
      std::vector<NodeId> tails;
      std::vector<WordId> target{1 + random.below(3)};
      for (std::uint32_t t = rank == 0 ? 0 : random.below(4); t > 0; --t) {
        target.insert(target.begin() + random.below(static_cast<std::uint32_t>(target.size()) + 1),
                      tail_symbol(tails.size()));
        tails.push_back(ids[random.below(rank)]);
      }
      const std::vector<FeatureId> features{random.below(4), 100000 + random.below(3)};
      const std::vector<double> values{random.uniform(), -random.uniform()};
      const NewEdge edge{.head = ids[rank],
                         .tails = tails,
                         .target = target,
                         .rule = k,
                         .span = {rank, rank + 2},
                         .features = features,
                         .values = values,
                         .score = -3 * random.uniform(),
                         .links = {}};
      CHECK(edge_problem(edge, builder.nodes()) == nullptr);
      builder.add_edge(edge);
    }
  }
  return builder.finish(ids[nodes - 1]);
}

}  // namespace

TEST("all walks over random forests stay inside their arrays and agree with each other") {
  for (std::uint64_t item = 0; item < 300; ++item) {
    const Forest forest = random_forest(item);
    const Residues count = count_residues(forest);
    if (forest.empty()) {
      CHECK(count.remainders[0] == 0 && best_derivation(forest).empty());
      continue;
    }
    const Derivations best = k_best(forest, {20, false, 0});
    CHECK(best.size() == std::min<std::uint64_t>(20, count.remainders[0]) ||
          count.remainders[1] != count.remainders[0]);
    for (std::size_t i = 0; i < best.size(); ++i) {
      CHECK(derivation_problem(forest, best.edges[i]) == nullptr);
      CHECK(i == 0 || best.scores[i] <= best.scores[i - 1]);
    }
    const MaxMarginals marginals = max_marginals(forest);
    for (const EdgeId edge : best.edges[0]) CHECK(std::abs(marginals.edges[edge] - best.scores[0]) < 1e-9);
    const Derivations drawn = sample(forest, 1, 0, 50, 3);
    for (std::size_t i = 0; i < drawn.size(); ++i) CHECK(derivation_problem(forest, drawn.edges[i]) == nullptr);
    CHECK(std::abs(posteriors(forest).nodes.back() - 1) < 1e-9);
    const Forest smaller = pruned(forest, {.margin = 0.5});
    CHECK(smaller.edges() <= forest.edges() && !smaller.empty());
    const Forest* twice[] = {&forest, &smaller};
    CHECK(!unite(twice).empty());
    if (count.remainders[0] != count.remainders[1] || count.remainders[0] > 2000) continue;  // small ones from here on
    const NgramExpectations expected(forest, 3, 1'000'000);
    std::vector<std::uint32_t> ids(expected.counts().size());
    for (std::uint32_t id = 0; id < ids.size(); ++id) ids[id] = id;
    const std::vector<double> occurrence = expected.occurrence(ids, 2);
    for (const std::uint32_t id : ids) CHECK(occurrence[id] <= expected.counts()[id] + 1e-9);
    const Yield yield = yield_of(forest, best.edges[0]);
    StringAutomaton same(yield.words);
    const Intersection forced = intersect(forest, same);
    CHECK(std::abs(k_best(forced.forest, {1, false, 0}).scores[0] - best.scores[0]) < 1e-9);
    Rows<WordId> references;
    references.push_back(yield.words);
    CHECK(bleu_oracle(forest, references, 30).bleu <= 1 + 1e-12);
  }
}

TEST("forests survive their file, and copies of a forest share their structure") {
  const auto path = std::filesystem::temp_directory_path() / "dragoman_native_forests";
  Vocabulary words, features;
  for (int i = 0; i < 10; ++i) words.intern("w" + std::to_string(i));
  for (int i = 0; i < 100010; ++i) features.intern("f" + std::to_string(i));
  std::vector<Forest> forests;
  ForestWriter writer(path);
  const std::vector<std::string_view> source{"ein", "Satz"};
  for (std::uint64_t item = 0; item < 20; ++item) {
    forests.push_back(random_forest(item));
    writer.add(forests.back(), words.view(), features.view(), source);
  }
  writer.finish();
  const ForestFile file(path);
  CHECK(file.size() == forests.size() && file.words().size() <= 7);
  for (std::size_t i = 0; i < forests.size(); ++i) {
    std::vector<WordId> tokens;
    const Forest again = file.forest(i, tokens);
    CHECK(tokens.size() == 2 && file.words().word(tokens[1]) == "Satz");
    CHECK(again.nodes() == forests[i].nodes() && again.edges() == forests[i].edges());
    for (EdgeId edge = 0; edge < again.edges(); ++edge) CHECK(again.score(edge) == forests[i].score(edge));
    const std::vector<double> weights{0, 1, 2};
    const Forest other = again.reweighted(weights);
    CHECK(&other.structure() == &again.structure());
  }
  std::filesystem::remove(path);
}

TEST("a builder that is cleared starts afresh, and refuses cycles") {
  ForestBuilder builder;
  const WordId first = tail_symbol(0), word = 1;
  for (int round = 0; round < 2; ++round) {
    const NodeId a = builder.add_node({}), b = builder.add_node({});
    builder.add_edge({.head = a, .target = {&word, 1}});
    builder.add_edge({.head = b, .tails = {&a, 1}, .target = {&first, 1}});
    CHECK(builder.finish(b).nodes() == 2);
    builder.add_edge({.head = a, .tails = {&b, 1}, .target = {&first, 1}});
    CHECK_THROWS(InputError, (void)builder.finish(b));
    builder.clear();
  }
}
