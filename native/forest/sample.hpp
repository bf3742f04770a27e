#pragma once
// Derivations drawn by their probability, exp(score) over the sum of all: top-down, each node choosing an edge in
// proportion to what is inside it. Draws are independent and exact, and draw i of a seed is the same on any machine
// and for any number of threads.
#include <cstdint>
#include <span>
#include <vector>

#include "forest/derivation.hpp"

namespace dragoman::forest {

class Sampler {
 public:
  explicit Sampler(const Forest& forest);  // the forest must outlive it

  // Draw `item` of stream `seed`, appended to `into`.
  void draw(std::uint64_t seed, std::uint64_t item, std::vector<EdgeId>& into) const;

 private:
  const Forest& forest_;
  std::vector<double> cumulative_;  // per edge: probability of it or an earlier edge of the same node
};

// Draws first .. first + count - 1 of a seed; scores are those of the derivations.
[[nodiscard]] Derivations sample(const Forest& forest, std::uint64_t seed, std::uint64_t first, std::size_t count,
                                 int threads);

}  // namespace dragoman::forest
