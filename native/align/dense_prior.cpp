#include "align/dense_prior.hpp"

#include <algorithm>

namespace dragoman::align {

std::vector<std::vector<float>> dense_prior(const Bitext& bitext, const Anchors& anchors, const Cells& cells,
                                            const PairIndex& pairs, bool exchanged) {
  std::vector<char> anchored(pairs.size());
  std::vector<Slot> scratch;
  for (std::size_t k = 0; k < bitext.size(); ++k)
    for (const Anchor& anchor : anchors.of(k).anchors) {
      const Slot slot = pairs.find(bitext.source(k)[static_cast<std::size_t>(anchor.source)],
                                   bitext.target(k)[static_cast<std::size_t>(anchor.target)]);
      if (slot != kAbsent) anchored[slot] = 1;
    }
  std::vector<std::vector<float>> priors;
  for (const bool forward : {true, false}) {
    std::vector<double> sums(pairs.size());
    for (std::size_t k = 0; k < bitext.size(); ++k) {
      const auto count = static_cast<double>(anchors.of(k).anchors.size());
      if (!bitext.usable(k) || count == 0) continue;
      const auto length = static_cast<double>(forward ? bitext.source(k).size() : bitext.target(k).size());
      const double share = std::max(0.0, (length - count) / length) * count;
      for (const Slot slot : cells.of(k, scratch)) sums[slot] += (anchored[slot] != 0) != exchanged ? share : count;
    }
    const std::size_t words = forward ? bitext.source_words() : bitext.target_words();
    std::vector<double> totals(std::max<std::size_t>(words, pairs.source_words())), support(totals.size());
    const auto grow = [&](WordId given) {
      if (given >= totals.size()) {
        totals.resize(given + 1);
        support.resize(given + 1);
      }
    };
    pairs.for_each([&](WordId source, WordId target, Slot slot) {
      const WordId given = forward ? source : target;
      grow(given);
      totals[given] += sums[slot];
      support[given] += 1;
    });
    std::vector<float> prior(pairs.size());
    pairs.for_each([&](WordId source, WordId target, Slot slot) {
      const WordId given = forward ? source : target;
      const double least = 0.1 / support[given];
      prior[slot] =
          static_cast<float>(totals[given] > 0 ? std::max(least, sums[slot] / totals[given]) : 1 / support[given]);
    });
    priors.push_back(std::move(prior));
  }
  return priors;
}

}  // namespace dragoman::align
