#pragma once
// The edit lattice of two sentences: all ways to turn the first into the second by deleting, inserting and substituting
// words that match, with jumps that let a block match out of order (Wang and Cer 2012).
//
// A way is a sequence of operations. Each operation, and each pair of neighbouring ones, has a weight; the weight of a
// way is the product of their exponentials, and the value of a pair the logarithm of the sum over all ways. The first
// operation has no neighbour before it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dragoman::similarity {

enum EditOperation : std::uint8_t {
  kDelete,
  kInsert,
  kSameWord,
  kSamePunctuation,
  kSameLemma,
  kSynonym,
  kParaphrase11,
  kParaphrase12,
  kParaphrase21,
  kParaphrase22,
  kJumpSecond1,  // forward over a gap of the second sentence
  kJumpSecond2,  // back to the gap
  kJumpSecond3,  // on, when the gap is filled
  kJumpFirst1,
  kJumpFirst2,
  kJumpFirst3,
  kOperations,
};

constexpr std::uint8_t kStart = kOperations;
// One weight for each operation, and one for each pair of neighbouring operations.
constexpr std::size_t kFeatures = kOperations + std::size_t{kOperations} * kOperations;

[[nodiscard]] constexpr std::size_t pair_feature(std::uint8_t before, std::uint8_t operation) noexcept {
  return kOperations + std::size_t{before} * kOperations + operation;
}

// A substitution that is possible: at these positions, of so many words on each side.
struct EditMatch {
  std::uint16_t first, second;
  std::uint8_t operation, first_length, second_length;
};

struct EditLimits {
  int jump = 5;             // the farthest landing of a jump; 0 allows none
  int max_ahead = 0;        // the most words of the jumped side consumed ahead of the gap; 0 for no limit
  bool jump_first = true;   // jumps that leave a gap in the first sentence
  bool jump_second = true;  // ... in the second
};

struct EditStep {
  std::uint8_t operation;
  std::uint16_t first, second;  // where the operation starts
};

class EditLattice {
 public:
  // All ways between sentences of these lengths; what cannot be finished is left out.
  EditLattice(std::size_t first, std::size_t second, std::span<const EditMatch> matches, const EditLimits& limits);

  // The logarithm of the sum over all ways; `expected` (of kFeatures), if not empty, is filled with how often each
  // feature fires in a way drawn by its weight.
  [[nodiscard]] double value(std::span<const double> weights, std::span<double> expected) const;
  // The way of the greatest weight; of equal ones the first that was found.
  [[nodiscard]] std::vector<EditStep> best(std::span<const double> weights) const;
  // Adds one for each feature that can fire in some way.
  void count_features(std::span<double> counts) const;

  [[nodiscard]] std::size_t edges() const noexcept { return to_.size(); }

 private:
  struct Node {
    std::uint16_t first, second;
    std::uint8_t before;  // the operation that led here
  };

  [[nodiscard]] double weight(const Node& from, std::uint8_t operation,
                              std::span<const double> weights) const noexcept {
    return weights[operation] + (from.before == kStart ? 0.0 : weights[pair_feature(from.before, operation)]);
  }

  // Nodes in an order in which edges lead to later ones only, the first is the start; the edges of a node end where
  // `ends_` says. A node without edges is an end.
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> to_;
  std::vector<std::uint8_t> operation_;
};

}  // namespace dragoman::similarity
