#pragma once
// Discontinuous phrase pairs (Galley and Manning 2010): sets of source and target positions with at least one link,
// closed under links, with a gap on at least one side. Every gap holds at least one aligned word that is not part of
// the unit. Source sets may hold any unaligned words; target sets grow over unaligned words beside those they have.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grammar/aligned_pair.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {

// Sizes of gaps are told apart as 1 to 2 words, 3 to 4, 5 to 8, and more.
inline constexpr std::size_t kGapSizes = 4;
[[nodiscard]] constexpr std::size_t size_of_gap(std::uint32_t words) noexcept {
  return words <= 2 ? 0 : words <= 4 ? 1 : words <= 8 ? 2 : 3;
}
inline constexpr std::uint32_t kLargeGap = 9;  // words from which on gaps are of one size

struct GappyLimits {
  int max_words = 5;  // per side
  int max_source_span = 12, max_target_span = 12;
  bool both_sides = false;      // gaps on the source and the target side of one unit
  bool unaligned_gaps = false;  // a gap may consist of unaligned words only
};

struct GappyUnit {
  std::vector<int> source, target;  // positions, ascending
};

// The words at some positions as a side of a rule, with a nonterminal for each gap; `places` says where among the
// symbols the word at a position stands, -1 for others.
void spell_with_gaps(const std::vector<int>& positions, std::span<const WordId> words, std::vector<WordId>& symbols,
                     std::vector<int>& places);

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
