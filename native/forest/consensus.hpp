#pragma once
// Consensus: how often each n-gram is expected in the target, over all derivations of a forest, and candidates scored
// by how much they share with that expectation (Tromble et al. 2008; DeNero, Chiang and Knight 2009).
//
// For that, nodes are split by the words at the ends of their targets, up to order - 1 on each side: then every n-gram
// belongs to one edge, and counts are sums of edge posteriors, exactly. Only ends to which something can be joined are
// looked at, so the nodes of phrase-based forests split by their last words alone, and nodes that a decoder has split
// by a language model of this order or higher do not split again. An edge becomes as many as there are combinations of
// the parts of its tails; where charts without such states give too many, prune first.
#include <span>
#include <vector>

#include "forest/sequences.hpp"

namespace dragoman::forest {

class NgramExpectations {
 public:
  NgramExpectations(const Forest& forest, std::size_t order, std::size_t most_edges);

  [[nodiscard]] const SequenceIndex& ngrams() const noexcept { return ngrams_; }
  // Expected number of occurrences of each n-gram, and of words altogether.
  [[nodiscard]] const std::vector<double>& counts() const noexcept { return counts_; }
  [[nodiscard]] double length() const noexcept { return length_; }
  [[nodiscard]] std::size_t order() const noexcept { return order_; }
  [[nodiscard]] std::size_t edges() const noexcept { return split_.edges(); }  // after splitting: what it cost
  // Probability that each of these n-grams occurs at all.
  [[nodiscard]] std::vector<double> occurrence(std::span<const std::uint32_t> ids, int threads) const;

  // BLEU of each candidate with the expected counts and length in place of a reference's (DeNero, Chiang and Knight
  // 2009), precisions above the first smoothed by one.
  [[nodiscard]] std::vector<double> bleu(const Rows<WordId>& candidates) const;
  // Linear approximation of the log of corpus BLEU (Tromble et al. 2008): factors[0] per word and factors[n] for each
  // n-gram, times the probability that it occurs.
  [[nodiscard]] std::vector<double> linear(const Rows<WordId>& candidates, std::span<const double> factors,
                                           int threads) const;

 private:
  std::size_t order_;
  Forest split_;                     // the forest with ends told apart
  std::vector<double> conditional_;  // per edge of it: probability given its head
  SequenceIndex ngrams_;
  std::vector<double> counts_;
  Rows<EdgeId> where_;  // for each n-gram, the edges that write its last word
  double length_ = 0;
};

}  // namespace dragoman::forest
