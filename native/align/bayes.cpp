#include "align/bayes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "align/ibm.hpp"
#include "common/random.hpp"

namespace dragoman::align {

namespace {

constexpr int kChains = 4, kBurnIn = 2, kKept = 6;
constexpr double kFertilityAlpha = 0.5, kJumpAlpha = 0.5;

PositionSettings hmm_settings(double null_probability) {
  PositionSettings settings;
  settings.null_probability = null_probability;
  settings.max_jump = kMaxJump;
  settings.uniform_share = 0;
  return settings;
}

std::uint64_t hash_words(const Sentence& sentence) {
  const auto hash = [](std::span<const WordId> words, std::uint64_t seed) {
    return hash_bytes(words.data(), words.size_bytes(), seed);
  };
  return hash(sentence.generated_words, hash(sentence.given_words, 0));
}

}  // namespace

std::vector<float> fertility_ratios(std::span<const double> counts, double strength, double alpha) {
  std::array<double, kFertilities> general{};
  for (std::size_t at = 0; at < counts.size(); ++at) general[at % kFertilities] += counts[at];
  double all = 0;
  for (double& count : general) all += count += alpha;
  for (double& count : general) count /= all;
  const std::size_t words = counts.size() / kFertilities;
  std::vector<float> ratios((words + 1) * kFertilities);
  for (std::size_t word = 0; word <= words; ++word) {
    const auto value = [&](int n) {
      const auto at = static_cast<std::size_t>(n);
      return (word < words ? counts[word * kFertilities + at] : 0) + strength * general[at];
    };
    for (int n = 0; n < kFertilities; ++n) {
      const int from = std::min(n, kMaxFertility - 1);
      ratios[word * kFertilities + static_cast<std::size_t>(n)] = static_cast<float>(value(from + 1) / value(from));
    }
  }
  return ratios;
}

BayesModel::BayesModel() : BayesModel(Statistics{0.2, 4, std::vector<double>(kJumps, 1.0), {}}) {}

BayesModel::BayesModel(Statistics statistics)
    : statistics_(std::move(statistics)), hmm_(hmm_settings(statistics_.null_probability)) {
  derive();
}

void BayesModel::derive() {
  hmm_ = HmmModel(hmm_settings(statistics_.null_probability));
  jumps_.resize(kJumps);
  double total = 0;
  for (const double count : statistics_.jumps) total += count + kJumpAlpha;
  for (int at = 0; at < kJumps; ++at) {
    const double p = (statistics_.jumps[static_cast<std::size_t>(at)] + kJumpAlpha) / total;
    jumps_[static_cast<std::size_t>(at)] = static_cast<float>(p);
    for (std::size_t from = 0; from < 2; ++from) hmm_.set_jump(at - kMaxJump, from, p);
  }
  ratios_ = fertility_ratios(statistics_.fertilities, statistics_.fertility_strength, kFertilityAlpha);
}

double BayesModel::expect(const Sentence& sentence, std::span<double> evidence) {
  const double loglik = hmm_.expect(sentence, evidence);
  if (std::isfinite(loglik)) sample(sentence);
  return loglik;
}

// Replaces the posteriors of the HMM, from which each chain starts, by averages of the conditionals with fertilities.
void BayesModel::sample(const Sentence& sentence) const {
  const int given = sentence.given, generated = sentence.generated;
  const auto cells = static_cast<std::size_t>(given) * static_cast<std::size_t>(generated);
  std::vector<float> sums(cells), null_sums(static_cast<std::size_t>(generated)),
      weights(static_cast<std::size_t>(given));
  std::vector<int> links(static_cast<std::size_t>(generated)), next(links.size()),
      fertility(static_cast<std::size_t>(given));
  std::vector<const float*> ratio(static_cast<std::size_t>(given));
  const std::size_t rows = ratios_.size() / kFertilities;
  for (int i = 0; i < given; ++i) {
    const std::size_t word = std::min<std::size_t>(sentence.given_words[static_cast<std::size_t>(i)], rows - 1);
    ratio[static_cast<std::size_t>(i)] = ratios_.data() + word * kFertilities;
  }
  const auto jump = [&](int d) {
    return jumps_[static_cast<std::size_t>(std::clamp(d, -kMaxJump, kMaxJump) + kMaxJump)];
  };
  const auto empty = static_cast<float>(statistics_.null_probability), real = 1 - empty;
  RandomStream random(0xa119, hash_words(sentence));
  const auto draw = [&](const float* values, float total) {
    const float bound = static_cast<float>(random.uniform()) * total;
    float sum = 0;
    for (int i = 0; i < given; ++i)
      if ((sum += values[i]) > bound) return i;
    return kNoLink;
  };
  for (int chain = 0; chain < kChains; ++chain) {
    std::fill(fertility.begin(), fertility.end(), 0);
    for (int j = 0; j < generated; ++j) {
      const int link = draw(sentence.posterior_row(j), 1);
      links[static_cast<std::size_t>(j)] = link;
      if (link != kNoLink) ++fertility[static_cast<std::size_t>(link)];
    }
    for (int sweep = 0; sweep < kBurnIn + kKept; ++sweep) {
      for (int j = generated - 1, after = given; j >= 0; --j) {
        next[static_cast<std::size_t>(j)] = after;
        if (links[static_cast<std::size_t>(j)] != kNoLink) after = links[static_cast<std::size_t>(j)];
      }
      int previous = -1;
      for (int j = 0; j < generated; ++j) {
        int& link = links[static_cast<std::size_t>(j)];
        const int after = next[static_cast<std::size_t>(j)];
        if (link != kNoLink) --fertility[static_cast<std::size_t>(link)];
        const float* emission = sentence.row(j);
        float total = 0;
        for (int i = 0; i < given; ++i) {
          const auto at = static_cast<std::size_t>(i);
          weights[at] = real * emission[i] * jump(i - previous) * jump(after - i) *
                        ratio[at][std::min(fertility[at], kMaxFertility)];
          total += weights[at];
        }
        const float null_weight = empty * sentence.null_emission[j] * jump(after - previous);
        const float all = total + null_weight;
        if (!(all > 0)) continue;
        link = draw(weights.data(), all);
        if (sweep >= kBurnIn) {
          float* row = sums.data() + static_cast<std::ptrdiff_t>(j) * given;
          for (int i = 0; i < given; ++i) row[i] += weights[static_cast<std::size_t>(i)] / all;
          null_sums[static_cast<std::size_t>(j)] += null_weight / all;
        }
        if (link != kNoLink) {
          ++fertility[static_cast<std::size_t>(link)];
          previous = link;
        }
      }
    }
  }
  constexpr float kShare = 1.0F / (kChains * kKept);
  for (std::size_t at = 0; at < cells; ++at) sentence.posterior[at] = sums[at] * kShare;
  for (std::size_t j = 0; j < null_sums.size(); ++j) sentence.null_posterior[j] = null_sums[j] * kShare;
}

void BayesModel::viterbi(const Sentence& sentence, std::span<int> links) const {
  // There is no best path to search for: the most probable link of each word is taken from the averages.
  std::vector<double> evidence(hmm_.evidence_size());
  std::vector<float> posterior(static_cast<std::size_t>(sentence.given) * static_cast<std::size_t>(sentence.generated));
  std::vector<float> null_posterior(static_cast<std::size_t>(sentence.generated));
  Sentence copy = sentence;
  copy.posterior = posterior.data();
  copy.null_posterior = null_posterior.data();
  HmmModel hmm = hmm_;
  std::fill(links.begin(), links.end(), kNoLink);
  if (!std::isfinite(hmm.expect(copy, evidence))) return;
  sample(copy);
  for (int j = 0; j < sentence.generated; ++j) {
    const float* row = copy.posterior_row(j);
    const float* best = std::max_element(row, row + sentence.given);
    if (*best > copy.null_posterior[j]) links[static_cast<std::size_t>(j)] = static_cast<int>(best - row);
  }
}

std::vector<double> BayesModel::parameters() const {
  std::vector<double> values{statistics_.null_probability, statistics_.fertility_strength};
  values.insert(values.end(), statistics_.jumps.begin(), statistics_.jumps.end());
  values.insert(values.end(), statistics_.fertilities.begin(), statistics_.fertilities.end());
  return values;
}

void BayesModel::set_parameters(std::span<const double> values) {
  require_parameters(values.size() >= 2 + kJumps && (values.size() - 2 - kJumps) % kFertilities == 0);
  for (const double value : values) require_parameters(std::isfinite(value) && value >= 0);
  require_parameters(values[0] < 1 && values[1] > 0);
  statistics_.null_probability = values[0];
  statistics_.fertility_strength = values[1];
  statistics_.jumps.assign(values.begin() + 2, values.begin() + 2 + kJumps);
  statistics_.fertilities.assign(values.begin() + 2 + kJumps, values.end());
  derive();
}

}  // namespace dragoman::align
