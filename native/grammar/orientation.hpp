#pragma once
// How a phrase stands to its neighbours in target order: monotone, swapped, or discontinuous on its left or right side.
// Three models differ in what must touch the phrase's corner: a link (word; Koehn et al. 2005), an extractable phrase
// (phrase; Tillmann 2004), or a consistent block of any length (hierarchical; Galley and Manning 2008). Where phrases
// have gaps, one may also be contained in its neighbour: what that translates stands on both sides (Galley and Manning
// 2010).
#include <cstdint>
#include <vector>

#include "grammar/aligned_pair.hpp"
#include "grammar/extract_phrases.hpp"

namespace dragoman::grammar {

enum class Orientation : std::uint8_t { kMonotone, kSwap, kLeft, kRight, kContained };
inline constexpr std::size_t kOrientations = 5;

// How a table groups them, in the order of its columns.
enum class OrientationClasses : std::uint8_t { kNone, kMsd, kMslr, kMonotonicity, kLeftRight, kMsdc, kMslrc };

// Whether containment is a class of its own; without, no phrase is contained.
[[nodiscard]] constexpr bool has_containment(OrientationClasses classes) noexcept {
  return classes == OrientationClasses::kMsdc || classes == OrientationClasses::kMslrc;
}

enum class OrientationModel : std::uint8_t { kNone, kWord, kPhrase, kHierarchical };

class OrientationLabeler {
 public:
  OrientationLabeler(OrientationModel model, const PhraseLimits& limits, bool containment)
      : model_(model), limits_(limits), containment_(containment) {}

  // Prepares for the phrases of one pair, which must outlive their labels; quadratic in the target length for the
  // hierarchical model, else linear.
  void assign(const AlignedPair& pair);
  [[nodiscard]] Orientation previous(const PhraseSpans& spans) const noexcept;
  [[nodiscard]] Orientation next(const PhraseSpans& spans) const noexcept;

 private:
  // Corners touched by a block, as bits over (target boundary, source boundary).
  class Corners {
   public:
    void assign(int sources, int targets);
    void mark(int source, int target) noexcept;
    [[nodiscard]] bool at(int source, int target) const noexcept;

   private:
    int sources_ = 0;
    std::vector<std::uint64_t> bits_;
  };

  void mark_links(const AlignedPair& pair);
  void mark_phrases(const AlignedPair& pair);
  void mark_blocks(const AlignedPair& pair);
  [[nodiscard]] bool contained(const PhraseSpans& spans, int target) const noexcept;
  [[nodiscard]] bool inside(int source, int target) const noexcept {
    return source >= 0 && target >= 0 && source < source_size_ && target < target_size_;
  }

  OrientationModel model_;
  PhraseLimits limits_;
  bool containment_;
  const AlignedPair* pair_ = nullptr;
  int source_size_ = 0, target_size_ = 0;
  // Named for where a block ends or starts: (source, target).
  Corners ends_ends_, starts_ends_, starts_starts_, ends_starts_;
  std::vector<int> latest_start_, earliest_end_;  // of the blocks that end, and that start, at a target position
};

}  // namespace dragoman::grammar
