#pragma once
// Discontinuous phrase pairs (Galley and Manning 2010): sets of source and target positions with at least one link,
// closed under links, with a gap on at least one side. Every gap holds at least one aligned word that is not part of
// the unit. Source sets may hold any unaligned words; target sets grow over unaligned words beside those they have.
#include <functional>
#include <vector>

#include "grammar/aligned_pair.hpp"

namespace dragoman::grammar {

struct GappyLimits {
  int max_words = 5;  // per side
  int max_source_span = 12, max_target_span = 12;
  bool both_sides = false;      // gaps on the source and the target side of one unit
  bool unaligned_gaps = false;  // a gap may consist of unaligned words only
};

struct GappyUnit {
  std::vector<int> source, target;  // positions, ascending
};

class GappyExtractor {
 public:
  explicit GappyExtractor(const GappyLimits& limits) : limits_(limits) {}
  void extract(const AlignedPair& pair, const std::function<void(const GappyUnit&)>& use);

 private:
  void choose_source(int position);
  void close_and_grow();
  void choose_target(std::size_t segment);
  [[nodiscard]] bool gaps_allowed(const std::vector<int>& positions, bool source) const;

  GappyLimits limits_;
  const AlignedPair* pair_ = nullptr;
  const std::function<void(const GappyUnit&)>* use_ = nullptr;
  GappyUnit unit_;
  std::vector<int> component_, component_last_;  // of each source word; last source word of each component
  std::vector<char> chosen_;                     // components in the unit
  struct Segment {
    int first, last;
  };
  std::vector<Segment> segments_;  // maximal runs of linked target words
  std::vector<int> grown_;
};

}  // namespace dragoman::grammar
