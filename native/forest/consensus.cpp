#include "forest/consensus.hpp"

#include <algorithm>
#include <cmath>
#include <string>

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

// Which ends of the targets of each node can have something joined to them.
struct Joints {
  std::vector<bool> left, right;

  explicit Joints(const Forest& forest) : left(forest.nodes()), right(forest.nodes()) {
    for (EdgeId edge = static_cast<EdgeId>(forest.edges()); edge-- > 0;) {
      const NodeId head = forest.head(edge);
      const auto target = forest.target(edge);
      for (std::size_t at = 0; at < target.size(); ++at) {
        if (!is_tail(target[at])) continue;
        const NodeId tail = forest.tails(edge)[tail_index(target[at])];
        if (left[head] || at > 0) left[tail] = true;
        if (right[head] || at + 1 < target.size()) right[tail] = true;
      }
    }
  }
};

// Splits the nodes of a forest by the ends of their targets, bottom-up, and notes which n-grams each edge completes.
// The split forest holds what sums need, tails and scores, and nothing else.
class Splitter {
 public:
  Splitter(const Forest& forest, std::size_t order, std::size_t most_edges, SequenceIndex& ngrams)
      : forest_(forest),
        joints_(forest),
        order_(order),
        most_edges_(most_edges),
        ngrams_(ngrams),
        variants_(forest.nodes()) {}

  // The split forest; row e of `completed` lists the n-grams whose last word is joined by edge e.
  Forest run(Rows<std::uint32_t>& completed) {
    if (forest_.empty()) return {};
    for (EdgeId edge = 0; edge < forest_.edges(); ++edge) {
      chosen_.assign(forest_.tails(edge).size(), 0);
      choose(edge, 0);
    }
    Origin origin;
    Forest split = builder_.finish(variants_.back().front(), &origin);
    for (const EdgeId edge : origin.edges) completed.push_back(completed_[edge]);
    return split;
  }

 private:
  void choose(EdgeId edge, std::size_t tail) {
    const auto tails = forest_.tails(edge);
    if (tail == tails.size()) {
      join(edge);
      return;
    }
    for (const NodeId variant : variants_[tails[tail]]) {
      chosen_[tail] = variant;
      choose(edge, tail + 1);
    }
  }

  void join(EdgeId edge) {
    if (builder_.edges() >= most_edges_)
      throw InputError("n-grams split the forest into more than " + std::to_string(most_edges_) + " edges", "forest",
                       "prune the forest first, or ask for a lower order");
    const NodeId head = forest_.head(edge);
    found_.clear();
    left_.clear();
    recent_.clear();
    for (const WordId symbol : forest_.target(edge)) {
      if (!is_tail(symbol)) {
        note(recent_, symbol, 0);
        shift(recent_, symbol);
        if (left_.size() < order_ - 1) left_.push_back(symbol);
        continue;
      }
      const NodeId part = chosen_[tail_index(symbol)];
      before_ = recent_;  // for n-grams that start before the part and end in it
      const auto left = lefts_[part];
      for (std::size_t k = 0; k < left.size(); ++k) {
        note(before_, left[k], k + 1);
        shift(before_, left[k]);
        if (left_.size() < order_ - 1) left_.push_back(left[k]);
      }
      for (const WordId word : rights_[part]) shift(recent_, word);
    }
    builder_.add_edge({.head = variant(head), .tails = chosen_, .score = forest_.score(edge)});
    completed_.push_back(found_);
  }

  // The node of the split forest for a head whose target begins and ends as the edge at hand says.
  NodeId variant(NodeId head) {
    if (!joints_.left[head]) left_.clear();
    if (!joints_.right[head]) recent_.clear();
    key_.assign({head, static_cast<WordId>(left_.size())});
    key_.insert(key_.end(), left_.begin(), left_.end());
    key_.insert(key_.end(), recent_.begin(), recent_.end());
    const NodeId node = states_.insert(key_);
    if (node == builder_.nodes()) {
      builder_.add_node({});
      lefts_.push_back(left_);
      rights_.push_back(recent_);
      variants_[head].push_back(node);
    }
    return node;
  }

  // Notes the n-grams that end in `word`, longer than `inner` words, after the words in `before`.
  void note(const std::vector<WordId>& before, WordId word, std::size_t inner) {
    ngram_ = before;
    ngram_.push_back(word);
    for (std::size_t n = inner + 1; n <= ngram_.size(); ++n)
      found_.push_back(ngrams_.insert(std::span<const WordId>(ngram_).last(n)));
  }

  void shift(std::vector<WordId>& words, WordId word) const {
    words.push_back(word);
    if (words.size() >= order_) words.erase(words.begin());
  }

  const Forest& forest_;
  Joints joints_;
  std::size_t order_, most_edges_;
  SequenceIndex& ngrams_;
  ForestBuilder builder_;
  SequenceIndex states_;                       // numbered as the nodes of the builder are
  Rows<WordId> lefts_, rights_;                // ends of the targets of those nodes, where they matter
  std::vector<std::vector<NodeId>> variants_;  // of each node of the forest
  Rows<std::uint32_t> completed_;
  std::vector<NodeId> chosen_;
  std::vector<std::uint32_t> found_;
  std::vector<WordId> left_, recent_, before_, ngram_, key_;
};

}  // namespace

NgramExpectations::NgramExpectations(const Forest& forest, std::size_t order, std::size_t most_edges) : order_(order) {
  Rows<std::uint32_t> completed;
  split_ = Splitter(forest, order, most_edges, ngrams_).run(completed);
  const auto weight = score_weight(split_);
  const std::vector<double> masses = inside(LogPlus{}, split_, weight);
  const std::vector<double> used = posteriors(split_).edges;
  conditional_.resize(split_.edges());
  counts_.resize(ngrams_.size());
  std::vector<std::size_t> next(ngrams_.size() + 1);  // a counting sort of edges by n-gram
  for (const std::uint32_t id : completed.values()) ++next[id + 1];
  for (std::size_t id = 0; id < ngrams_.size(); ++id) next[id + 1] += next[id];
  std::vector<EdgeId> places(completed.values().size());
  for (EdgeId edge = 0; edge < split_.edges(); ++edge) {
    const double mass = inside_edge(LogPlus{}, split_, weight, std::span<const double>(masses), edge);
    conditional_[edge] = std::exp(mass - masses[split_.head(edge)]);
    for (const std::uint32_t id : completed[edge]) {
      counts_[id] += used[edge];
      if (ngrams_[id].size() == 1) length_ += used[edge];
      places[next[id]++] = edge;
    }
  }
  for (std::size_t id = 0, start = 0; id < ngrams_.size(); start = next[id++]) {
    const auto first = places.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = std::unique(first, places.begin() + static_cast<std::ptrdiff_t>(next[id]));
    where_.push_back({first, last});
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
