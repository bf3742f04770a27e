#pragma once
// What the parts of an alignment of one sentence pair weigh under IBM 3 or 4, as logarithms that are each taken once:
// the search for the best alignment looks at every part many times. A move or swap is judged by what it touches alone.
#include <vector>

#include "align/fertility.hpp"

namespace dragoman::align {

class FertilityScores {
 public:
  FertilityScores(const FertilityModel& model, const Sentence& sentence);

  // Log-probability of the sentence with its alignment, from scratch.
  [[nodiscard]] double score(const Cepts& cepts);
  // The change of `score` by a move or swap; the alignment is given back unchanged.
  [[nodiscard]] double move_gain(Cepts& cepts, int j, int to);
  [[nodiscard]] double swap_gain(Cepts& cepts, int first, int second);

 private:
  [[nodiscard]] double emission(int j, int i) const noexcept {
    return emission_[static_cast<std::size_t>(j * (given_ + 1) + (i == kNoLink ? given_ : i))];
  }
  [[nodiscard]] double fertility(int i, int count) const noexcept {
    return fertility_[static_cast<std::size_t>(i * (generated_ + 2) + count)];
  }
  [[nodiscard]] double placed(int j, int i) const noexcept {  // IBM 3
    return i == kNoLink ? 0 : placed_[static_cast<std::size_t>(j * given_ + i)];
  }
  [[nodiscard]] double cept(const Cepts& cepts, int i);  // IBM 4: where the words of a cept stand

  const FertilityModel& model_;
  const Sentence& sentence_;
  int given_, generated_;
  std::vector<double> emission_, fertility_, null_, placed_;
  double uniform_ = 0;
  std::vector<std::size_t> given_class_, generated_class_;  // IBM 4: numbered anew, within the sentence
  std::size_t generated_classes_ = 0;
  std::vector<double> heads_, tails_;  // by these classes and shift; 1 where not yet known
};

}  // namespace dragoman::align
