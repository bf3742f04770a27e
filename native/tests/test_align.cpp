#include <cmath>
#include <filesystem>
#include <numeric>

#include "align/em.hpp"
#include "align/fertility_scores.hpp"
#include "align/gibbs.hpp"
#include "align/hmm.hpp"
#include "align/memory.hpp"
#include "align/symmetrize.hpp"
#include "common/random.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::align;

namespace {

struct Buffers {
  std::vector<float> emission, null, posterior, null_posterior;
  std::vector<WordId> given, generated;
  Sentence sentence;
  Buffers(std::vector<float> rows, int l, int m, float null_value)
      : emission(std::move(rows)),
        null(static_cast<std::size_t>(m), null_value),
        posterior(emission.size()),
        null_posterior(static_cast<std::size_t>(m)),
        given(static_cast<std::size_t>(l)),
        generated(static_cast<std::size_t>(m)) {
    std::iota(given.begin(), given.end(), 1u);
    std::iota(generated.begin(), generated.end(), 1u);
    sentence.given = l;
    sentence.generated = m;
    sentence.given_words = given;
    sentence.generated_words = generated;
    sentence.emission = emission.data();
    sentence.null_emission = null.data();
    sentence.posterior = posterior.data();
    sentence.null_posterior = null_posterior.data();
  }
};

bool near(double a, double b, double tolerance = 1e-5) { return std::abs(a - b) < tolerance; }

PositionSettings plain() {
  PositionSettings settings;
  settings.null_probability = 0;
  settings.uniform_share = 0;
  settings.start_by_jump = false;
  return settings;
}

}  // namespace

TEST("forward-backward of the HMM: a worked example, with and without an anchor") {
  HmmModel model(plain());
  model.set_jump(-1, 0, 1);
  model.set_jump(0, 0, 2);
  model.set_jump(1, 0, 1);
  Buffers free({0.9F, 0.1F, 0.2F, 0.8F}, 2, 2, 0);
  std::vector<double> evidence(model.evidence_size());
  CHECK(near(model.expect(free.sentence, evidence), std::log(0.21)));
  CHECK(near(free.posterior[0], 0.857143) && near(free.posterior[3], 0.698413));
  Buffers anchored({0.9F, 0.1F, 0.0F, 0.8F}, 2, 2, 0);
  CHECK(near(model.expect(anchored.sentence, evidence), std::log(0.146667)));
  CHECK(near(anchored.posterior[0], 0.818182));
  CHECK(near(HmmModel::triangular(0, 3), 1.0 / 3) && near(HmmModel::triangular(-1, 3), 2.0 / 9) &&
        near(HmmModel::triangular(2, 3), 1.0 / 9) && HmmModel::triangular(3, 3) == 0);
}

TEST("forward-backward and Viterbi of the HMM equal enumeration") {
  PositionSettings settings;
  settings.null_probability = 0.3;
  settings.max_jump = 2;
  for (std::uint64_t trial = 0; trial < 30; ++trial) {
    RandomStream random(3, trial);
    const int l = 1 + static_cast<int>(random.below(4)), m = 1 + static_cast<int>(random.below(4));
    HmmModel model(settings);
    for (std::size_t from = 0; from < 2; ++from)
      for (int d = -3; d <= 3; ++d) model.set_jump(d, from, 0.1 + random.uniform());
    std::vector<float> emission(static_cast<std::size_t>(l * m));
    for (float& value : emission) value = static_cast<float>(0.05 + random.uniform());
    Buffers buffers(emission, l, m, 0.2F);
    std::vector<double> evidence(model.evidence_size());
    const double loglik = model.expect(buffers.sentence, evidence);
    double total = 0, best = 0;
    std::vector<double> held(static_cast<std::size_t>(l * m));
    std::vector<int> links(static_cast<std::size_t>(m), kNoLink), best_links, viterbi(static_cast<std::size_t>(m));
    const auto transition = [&](int from, int to) {  // from == -1: the start
      const std::size_t origin = from == -1 ? 1 : 0;
      double norm = 0;
      for (int i = 0; i < l; ++i) norm += model.jump(i - from, origin);
      return 0.7 * (0.8 * model.jump(to - from, origin) / norm + 0.2 / l);
    };
    const auto walk = [&](auto&& self, int j, int last, double p) -> void {
      if (j == m) {
        total += p;
        for (int at = 0; at < m; ++at)
          if (links[static_cast<std::size_t>(at)] != kNoLink)
            held[static_cast<std::size_t>(at * l + links[static_cast<std::size_t>(at)])] += p;
        if (p > best) {
          best = p;
          best_links = links;
        }
        return;
      }
      links[static_cast<std::size_t>(j)] = kNoLink;
      self(self, j + 1, last, p * 0.3 * 0.2);
      for (int i = 0; i < l; ++i) {
        links[static_cast<std::size_t>(j)] = i;
        self(self, j + 1, i, p * transition(last, i) * emission[static_cast<std::size_t>(j * l + i)]);
      }
    };
    walk(walk, 0, -1, 1);
    CHECK(near(loglik, std::log(total)));
    for (std::size_t at = 0; at < held.size(); ++at) CHECK(near(buffers.posterior[at], held[at] / total, 1e-4));
    model.viterbi(buffers.sentence, viterbi);
    CHECK(viterbi == best_links);
  }
}

TEST("IBM 3: a worked example") {
  PositionSettings settings;
  settings.distortion_smoothing = 0;
  const auto start = std::make_shared<HmmModel>(plain());
  FertilityModel model(false, settings, start);
  const Bitext bitext({1}, {1}, {1, 2}, {2}, 100);
  model.prepare(bitext, true);
  model.set_null_probability(0.2);
  model.set_fertility(1, 1, 0.6);
  Buffers buffers({0.7F, 0.1F}, 1, 2, 0.5F);
  const std::vector<int> links{0, kNoLink};
  CHECK(near(std::exp(model.score(buffers.sentence, Cepts(links, 1))), 0.021, 1e-6));
}

TEST("moves and swaps change the score of IBM 3 and 4 by what they say") {
  for (const bool fourth : {false, true})
    for (std::uint64_t trial = 0; trial < 20; ++trial) {
      RandomStream random(7, trial);
      const int l = 2 + static_cast<int>(random.below(3)), m = 3 + static_cast<int>(random.below(4));
      std::vector<float> emission(static_cast<std::size_t>(l * m));
      for (float& value : emission) value = static_cast<float>(0.05 + random.uniform());
      Buffers buffers(emission, l, m, 0.2F);
      std::vector<std::int64_t> ends{l}, other{m};
      const Bitext bitext(buffers.given, ends, buffers.generated, other, 100);
      FertilityModel model(fourth, {}, std::make_shared<HmmModel>(PositionSettings{}));
      model.prepare(bitext, true);
      std::vector<double> evidence(2);  // a first iteration makes the distributions uneven
      (void)model.expect(buffers.sentence, evidence);
      model.maximize(evidence);
      std::vector<int> links(static_cast<std::size_t>(m), 0);
      for (int j = 1; j < m; ++j)
        links[static_cast<std::size_t>(j)] =
            static_cast<int>(random.below(static_cast<std::uint32_t>(l) + (j == 1))) - (j == 1);
      Cepts cepts(links, l);
      const double before = model.score(buffers.sentence, cepts);
      FertilityScores scores(model, buffers.sentence);
      for (int j = 0; j < m; ++j) {
        for (int to = 0; to < l; ++to) {
          const double gain = scores.move_gain(cepts, j, to);
          Cepts changed = cepts;
          changed.move(j, to);
          CHECK(near(model.score(buffers.sentence, changed) - before, gain, 1e-6));
        }
        for (int second = j + 1; second < m; ++second) {
          if (cepts.link(j) == cepts.link(second)) continue;
          const double gain = scores.swap_gain(cepts, j, second);
          Cepts changed = cepts;
          changed.swap(j, second);
          CHECK(near(model.score(buffers.sentence, changed) - before, gain, 1e-6));
        }
      }
      CHECK(near(model.score(buffers.sentence, cepts), before, 1e-12));
    }
}

TEST("slots that are searched for give what slots that are remembered give") {
  std::vector<WordId> source, target;
  std::vector<std::int64_t> source_ends, target_ends;
  RandomStream random(11, 0);
  for (int k = 0; k < 200; ++k) {
    for (std::uint32_t n = random.below(8); n > 0; --n) source.push_back(1 + random.below(20));
    for (std::uint32_t n = random.below(8); n > 0; --n) target.push_back(1 + random.below(20));
    source_ends.push_back(static_cast<std::int64_t>(source.size()));
    target_ends.push_back(static_cast<std::int64_t>(target.size()));
  }
  const auto bitext = std::make_shared<const Bitext>(source, source_ends, target, target_ends, 100);
  std::vector<std::vector<float>> found;
  for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 20})
    for (const int threads : {1, 3}) {
      EmSettings settings;
      settings.cell_budget = budget;
      Trainer trainer(bitext, {}, {}, settings, nullptr, 1, threads, {});
      trainer.begin("hmm", {}, {});
      for (int iteration = 0; iteration < 3; ++iteration) (void)trainer.iterate(threads, {});
      found.push_back(trainer.finish().directions[0].lexicon.probability);
    }
  for (const auto& one : found) CHECK(one == found[0]);
  GibbsSettings sampling;
  sampling.sweeps = {2, 2, 6};
  sampling.burn_in = 3;
  const Model one = Sampler(*bitext, {}, sampling, 0, nullptr, 1, 1, {}).run_all(1, {});
  const Model other = Sampler(*bitext, {}, sampling, std::size_t{1} << 20, nullptr, 1, 3, {}).run_all(3, {});
  // Each chain by itself, as on machines of their own.
  Sampler gathered(*bitext, {}, sampling, 0, nullptr, 1, 1, {});
  for (std::size_t number = 0; number < gathered.chains(); ++number) {
    const Sampler elsewhere(*bitext, {}, sampling, 0, nullptr, 1, 1, {});
    gathered.add(number, elsewhere.run(number, {}));
  }
  const Model apart = gathered.finish();
  for (const Model* each : {&other, &apart}) {
    CHECK(one.directions[0].lexicon.probability == each->directions[0].lexicon.probability);
    CHECK(one.directions[1].position->parameters() == each->directions[1].position->parameters());
    CHECK(one.memory.parts().keys == each->memory.parts().keys);
  }
}

TEST("links are remembered by the words of a pair, not by their hash") {
  const std::vector<WordId> source{1, 2}, target{3}, other{4};
  const LinkMemory::Entry entry{0, 5, 6};
  const LinkMemory known({{LinkMemory::key_of(source, target)}, {1}, {entry}, {2, 3}, {1, 2, 3}});
  CHECK(known.find(source, target).value()[0].forward == 5);
  // A file in which another pair has the hash of this one: once alone, once before the right one.
  const std::uint64_t key = LinkMemory::key_of(source, target);
  const LinkMemory alone({{key}, {1}, {entry}, {2, 3}, {1, 2, 4}});
  CHECK(!alone.find(source, target) && !alone.find(source, other));
  const LinkMemory both({{key, key}, {1, 2}, {entry, {1, 7, 8}}, {2, 3, 5, 6}, {1, 2, 4, 1, 2, 3}});
  CHECK(both.find(source, target).value()[0].forward == 7);
  CHECK_THROWS(InputError, LinkMemory({{key}, {1}, {{2, 5, 6}}, {2, 3}, {1, 2, 4}}));  // a cell outside the pair
}
