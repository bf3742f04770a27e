#include "forest/consensus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/parallel.hpp"
#include "forest/expectation.hpp"
#include "forest/inside.hpp"

namespace dragoman::forest {
namespace {

// Calls use(n-gram) for each n-gram of a string, up to an order.
template <typename Use>
void for_each_ngram(std::span<const WordId> words, std::size_t order, const Use& use) {
  for (std::size_t start = 0; start < words.size(); ++start)
    for (std::size_t length = 1; length <= std::min(order, words.size() - start); ++length)
      use(words.subspan(start, length));
}

}  // namespace

NgramExpectations::NgramExpectations(const Forest& forest, std::size_t order, std::size_t most_edges) : order_(order) {
  HistoryAutomaton histories(order - 1);
  Intersection meeting = intersect(forest, histories, {.most_edges = most_edges});
  split_ = std::move(meeting.forest);
  const auto weight = score_weight(split_);
  const std::vector<double> masses = inside(LogPlus{}, split_, weight);
  const std::vector<double> used = posteriors(split_).edges;
  conditional_.resize(split_.edges());
  std::vector<std::pair<std::uint32_t, EdgeId>> places;
  std::vector<WordId> ngram;
  for (EdgeId edge = 0; edge < split_.edges(); ++edge) {
    const NodeId head = split_.head(edge);
    const double mass = inside_edge(LogPlus{}, split_, weight, std::span<const double>(masses), edge);
    conditional_[edge] = std::exp(mass - masses[head]);
    StateId state = meeting.entry[head];
    for (const WordId symbol : split_.target(edge)) {
      if (is_tail(symbol)) {
        state = meeting.exit[split_.tails(edge)[tail_index(symbol)]];
        continue;
      }
      const auto history = histories.history(state);
      ngram.assign(history.begin(), history.end());
      ngram.push_back(symbol);
      for (std::size_t start = ngram.size(); start-- > 0;) {
        const std::uint32_t id = ngrams_.insert(std::span<const WordId>(ngram).subspan(start));
        if (id == counts_.size()) counts_.push_back(0);
        counts_[id] += used[edge];
        places.emplace_back(id, edge);
      }
      length_ += used[edge];
      state = histories.step(state, symbol)->state;
    }
  }
  std::stable_sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<EdgeId> row;
  for (std::size_t at = 0, id = 0; id < ngrams_.size(); ++id) {
    row.clear();
    for (; at < places.size() && places[at].first == id; ++at) row.push_back(places[at].second);
    where_.push_back(row);
  }
}

std::vector<double> NgramExpectations::occurrence(std::span<const std::uint32_t> ids, int threads) const {
  std::vector<double> probabilities(ids.size());
  constexpr std::size_t kShard = 64;
  parallel_ranges(ids.size(), kShard, threads, [&](std::size_t begin, std::size_t end) {
    // Probability that a derivation of a node, drawn at random, is without the n-gram: every edge that completes one
    // contributes nothing. Nodes below the first such edge are without it for certain.
    std::vector<double> without(split_.nodes(), 1.0);
    std::vector<bool> completes(split_.edges());
    for (std::size_t i = begin; i < end; ++i) {
      const auto edges = where_[ids[i]];
      for (const EdgeId edge : edges) completes[edge] = true;
      const NodeId first = split_.head(edges.front());
      for (NodeId node = first; node < split_.nodes(); ++node) {
        double sum = 0;
        for (EdgeId edge = split_.first_edge(node); edge < split_.first_edge(node + 1); ++edge) {
          if (completes[edge]) continue;
          double product = conditional_[edge];
          for (const NodeId tail : split_.tails(edge)) product *= without[tail];
          sum += product;
        }
        without[node] = sum;
      }
      probabilities[i] = std::clamp(1 - without.back(), 0.0, 1.0);
      std::fill(without.begin() + first, without.end(), 1.0);
      for (const EdgeId edge : edges) completes[edge] = false;
    }
  });
  return probabilities;
}

std::vector<double> NgramExpectations::bleu(const Rows<WordId>& candidates) const {
  std::vector<double> gains;
  gains.reserve(candidates.size());
  SequenceIndex own;
  std::vector<double> times;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto words = candidates[i];
    own = {};
    times.clear();
    for_each_ngram(words, order_, [&](std::span<const WordId> ngram) {
      const std::uint32_t id = own.insert(ngram);
      if (id == times.size()) times.push_back(0);
      ++times[id];
    });
    std::vector<double> matches(order_);
    for (std::uint32_t id = 0; id < own.size(); ++id) {
      const std::uint32_t known = ngrams_.find(own[id]);
      if (known != kAbsent) matches[own[id].size() - 1] += std::min(times[id], counts_[known]);
    }
    const auto size = static_cast<double>(words.size());
    if (words.empty() || matches[0] <= 0) {
      gains.push_back(0);
      continue;
    }
    double log_mean = std::log(matches[0] / size);
    for (std::size_t n = 2; n <= order_; ++n) {
      const double total = std::max(0.0, size - static_cast<double>(n) + 1);
      log_mean += std::log((matches[n - 1] + 1) / (total + 1));
    }
    gains.push_back(std::exp(log_mean / static_cast<double>(order_) + std::min(0.0, 1 - length_ / size)));
  }
  return gains;
}

std::vector<double> NgramExpectations::linear(const Rows<WordId>& candidates, std::span<const double> factors,
                                              int threads) const {
  std::vector<std::uint32_t> needed;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for_each_ngram(candidates[i], order_, [&](std::span<const WordId> ngram) {
      const std::uint32_t id = ngrams_.find(ngram);
      if (id != kAbsent) needed.push_back(id);
    });
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  const std::vector<double> found = occurrence(needed, threads);
  std::vector<double> probability(ngrams_.size());
  for (std::size_t i = 0; i < needed.size(); ++i) probability[needed[i]] = found[i];
  std::vector<double> gains;
  gains.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    double gain = factors[0] * static_cast<double>(candidates[i].size());
    for_each_ngram(candidates[i], order_, [&](std::span<const WordId> ngram) {
      const std::uint32_t id = ngrams_.find(ngram);
      if (id != kAbsent) gain += factors[ngram.size()] * probability[id];
    });
    gains.push_back(gain);
  }
  return gains;
}

}  // namespace dragoman::forest
