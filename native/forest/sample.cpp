#include "forest/sample.hpp"

#include <algorithm>

#include "common/parallel.hpp"
#include "common/random.hpp"
#include "forest/inside.hpp"

namespace dragoman::forest {

Sampler::Sampler(const Forest& forest) : forest_(forest), cumulative_(forest.edges()) {
  const auto weight = score_weight(forest);
  const std::vector<double> masses = inside(LogPlus{}, forest, weight);
  for (NodeId node = 0; node < forest.nodes(); ++node) {
    double total = 0;
    for (EdgeId edge = forest.first_edge(node); edge < forest.first_edge(node + 1); ++edge) {
      total += std::exp(inside_edge(LogPlus{}, forest, weight, std::span<const double>(masses), edge) - masses[node]);
      cumulative_[edge] = total;
    }
  }
}

void Sampler::draw(std::uint64_t seed, std::uint64_t item, std::vector<EdgeId>& into) const {
  RandomStream random(seed, item);
  std::vector<NodeId> open{forest_.goal()};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    const auto first = cumulative_.begin() + forest_.first_edge(node);
    const auto last = cumulative_.begin() + forest_.first_edge(node + 1) - 1;  // the last edge takes what is left
    const auto edge =
        static_cast<EdgeId>(std::upper_bound(first, last, random.uniform() * *last) - cumulative_.begin());
    into.push_back(edge);
    const auto tails = forest_.tails(edge);
    open.insert(open.end(), tails.rbegin(), tails.rend());
  }
}

Derivations sample(const Forest& forest, std::uint64_t seed, std::uint64_t first, std::size_t count, int threads) {
  Derivations all;
  if (forest.empty()) return all;
  constexpr std::size_t kShard = 256;
  const Sampler sampler(forest);
  std::vector<Derivations> shards(shard_count(count, kShard));
  parallel_ranges(count, kShard, threads, [&](std::size_t begin, std::size_t end) {
    Derivations& mine = shards[begin / kShard];
    std::vector<EdgeId> edges;
    for (std::size_t item = begin; item < end; ++item) {
      edges.clear();
      sampler.draw(seed, first + item, edges);
      double score = 0;
      for (const EdgeId edge : edges) score += forest.score(edge);
      mine.edges.push_back(edges);
      mine.scores.push_back(score);
    }
  });
  for (const Derivations& shard : shards)
    for (std::size_t i = 0; i < shard.size(); ++i) {
      all.edges.push_back(shard.edges[i]);
      all.scores.push_back(shard.scores[i]);
    }
  return all;
}

}  // namespace dragoman::forest
