#include "lm/interpolate.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/error.hpp"

namespace dragoman::lm {
namespace {

constexpr double kLeast = 1e-100;  // of any probability or weight that is written as a logarithm

// log p(newest | the others), from a list of words newest first.
double query(const Model& model, std::span<const WordId> words) {
  const auto most = static_cast<std::size_t>(model.order());
  State state, next;
  for (std::size_t i = std::min(words.size(), most) - 1; i > 0; --i) {
    const State before = state;
    (void)model.score(before, words[i], state);
  }
  return model.score(state, words[0], next);
}

struct Union {
  InternedRows<WordId> ngrams;
  std::vector<double> probability;
};

}  // namespace

Ngrams interpolate(std::span<const MixturePart> parts) {
  double sum = 0;
  for (const MixturePart& part : parts) {
    if (!(part.weight >= 0)) throw SettingError("a weight is negative", "weights must be 0 or more and sum to 1");
    sum += part.weight;
  }
  if (parts.empty() || std::abs(sum - 1) > 1e-6)
    throw SettingError("the weights sum to " + std::to_string(sum), "let them sum to 1");

  Ngrams mixed;
  int order = 0;
  std::vector<std::vector<WordId>> joint;  // from a part's ids to the joint ones
  for (const MixturePart& part : parts) {
    order = std::max(order, part.ngrams->order());
    auto& ids = joint.emplace_back();
    for (const std::string_view word : part.ngrams->words) ids.push_back(mixed.words.intern(word));
  }
  std::vector<std::vector<WordId>> own;  // and back; 0 where the part does not know the word
  for (std::size_t k = 0; k < parts.size(); ++k) {
    auto& ids = own.emplace_back(mixed.words.size(), kUnknown);
    for (std::size_t id = 0; id < joint[k].size(); ++id) ids[joint[k][id]] = static_cast<WordId>(id);
  }
  const WordId begin = mixed.words.id(kBeginWord);

  std::vector<Union> levels(static_cast<std::size_t>(order));
  WordId words[kMaxOrder], mapped[kMaxOrder];
  for (int n = 1; n <= order; ++n) {
    Union& level = levels[static_cast<std::size_t>(n) - 1];
    level.ngrams.reset(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const ClosedNgrams& ngrams = *parts[k].ngrams;
      if (n > ngrams.order()) continue;
      for (std::size_t i = 0; i < ngrams.levels[static_cast<std::size_t>(n) - 1].size(); ++i) {
        const auto ngram = ngrams.ngram(n, i);
        for (std::size_t w = 0; w < ngram.size(); ++w) words[w] = joint[k][ngram[w]];
        level.ngrams.intern({words, ngram.size()});
      }
    }
    level.probability.resize(level.ngrams.size());
    for (std::size_t i = 0; i < level.probability.size(); ++i) {
      const auto ngram = level.ngrams[static_cast<std::uint32_t>(i)];
      if (ngram[0] == begin && begin != kUnknown) {
        level.probability[i] = 1;  // never predicted
        continue;
      }
      for (std::size_t k = 0; k < parts.size(); ++k) {
        for (std::size_t w = 0; w < ngram.size(); ++w) mapped[w] = own[k][ngram[w]];
        if (mapped[0] == kUnknown && ngram[0] != kUnknown) continue;
        level.probability[i] += parts[k].weight * std::exp(query(*parts[k].model, {mapped, ngram.size()}));
      }
    }
  }

  for (int n = 1; n <= order; ++n) {
    const auto at = static_cast<std::size_t>(n);
    const Union& level = levels[at - 1];
    std::vector<double> listed(level.probability.size()), lower(level.probability.size());
    std::vector<std::uint8_t> extended_right(level.probability.size());
    if (n < order) {
      const Union& longer = levels[at];
      for (std::size_t i = 0; i < longer.probability.size(); ++i) {
        const auto ngram = longer.ngrams[static_cast<std::uint32_t>(i)];
        const std::uint32_t context = *level.ngrams.find(ngram.subspan(1));
        listed[context] += longer.probability[i];
        lower[context] += level.probability[*level.ngrams.find(ngram.first(at))];
        extended_right[context] = 1;
      }
    }
    mixed.levels.emplace_back(ngram_width(n));
    for (std::size_t i = 0; i < level.probability.size(); ++i) {
      double backoff = 0;
      if (extended_right[i] != 0 && 1 - lower[i] > 1e-9)
        backoff = std::log(std::max(1 - listed[i], 1e-12) / (1 - lower[i]));
      mixed.append(n, level.ngrams[static_cast<std::uint32_t>(i)],
                   std::log(std::clamp(level.probability[i], kLeast, 1.0)), backoff);
    }
  }
  return mixed;
}

}  // namespace dragoman::lm
