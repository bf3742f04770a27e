// Combination of random outputs: what sanitizers should see of frontiers, runs and offers.
#include <string>
#include <vector>

#include "combination/combiner.hpp"
#include "common/random.hpp"
#include "forest/kbest.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::combination;

namespace {

using Texts = std::vector<std::vector<std::string>>;

// Every word is linked to the first of its kind that is free in each other system, every third one by `third`.
Outputs linked(const Texts& texts, LinkKind third) {
  std::vector<std::vector<bool>> marks;
  for (const auto& text : texts) {
    auto& row = marks.emplace_back();
    for (const std::string& word : text) row.push_back(word == ",");
  }
  std::vector<WordLink> links;
  for (std::size_t a = 0; a < texts.size(); ++a)
    for (std::size_t b = a + 1; b < texts.size(); ++b) {
      std::vector<bool> taken(texts[b].size());
      for (std::size_t i = 0; i < texts[a].size(); ++i)
        for (std::size_t j = 0; j < texts[b].size(); ++j)
          if (!taken[j] && texts[a][i] == texts[b][j]) {
            taken[j] = true;
            links.push_back({{static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(i)},
                             {static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(j)},
                             i % 3 == 0 ? third : LinkKind::exact});
            break;
          }
    }
  return Outputs(texts, marks, links);
}

CombinerSettings settings(int systems, Horizon horizon, int radius) {
  CombinerSettings made;
  made.systems = systems;
  made.matches = {{static_cast<KindSet>(only(LinkKind::exact) | only(LinkKind::self) | only(LinkKind::boundary)), 2, 0},
                  {static_cast<KindSet>((1u << kLinkKinds) - 1), 1, 3}};
  made.horizon = horizon;
  made.radius = radius;
  made.beam = 40;
  return made;
}

std::vector<double> weights(const Combiner& combiner, RandomStream& random) {
  std::vector<double> made(combiner.layout().size());
  for (double& weight : made) weight = random.uniform() - 0.3;
  return made;
}

}  // namespace

TEST("combinations of random outputs come to an end, with lists in order") {
  const std::vector<std::string> words{"a", "b", "c", "d", ","};
  RandomStream random(7, 0);
  for (int round = 0; round < 60; ++round) {
    Texts texts(1 + random.below(4));
    for (auto& text : texts) {
      const std::uint64_t length = round % 10 == 0 ? 60 + random.below(10) : random.below(8);
      for (std::uint64_t i = 0; i < length; ++i) text.push_back(words[random.below(5)]);
    }
    const Outputs outputs = linked(texts, LinkKind::stem);
    const Horizon horizon = round % 2 == 0 ? Horizon::length : Horizon::alignment;
    const Combiner combiner(settings(outputs.systems(), horizon, static_cast<int>(random.below(8))), nullptr);
    const Combined found = combiner.combine(outputs, weights(combiner, random));
    const forest::Derivations best = forest::k_best(found.forest, {50, true, 500});
    CHECK(horizon == Horizon::alignment || !best.scores.empty());
    for (std::size_t i = 1; i < best.scores.size(); ++i) CHECK(best.scores[i - 1] >= best.scores[i] - 1e-9);
  }
}

TEST("systems that agree in all have one derivation together, and so have systems that are silent") {
  RandomStream random(8, 0);
  for (const std::vector<std::string>& text : {std::vector<std::string>{"a", ",", "b", ",", ",", "c", ","}, {}}) {
    const Outputs outputs = linked(Texts(4, text), LinkKind::exact);
    const Combiner combiner(settings(4, Horizon::length, 7), nullptr);
    const Combined found = combiner.combine(outputs, weights(combiner, random));
    CHECK(forest::k_best(found.forest, {10, false, 0}).scores.size() == 1);
  }
}
