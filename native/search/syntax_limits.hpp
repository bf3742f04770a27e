#pragma once
// Hard syntactic constraints: which spans of a sentence a rule may cover at all, whatever it would score (the strict
// counterpart of `features/soft_syntax.hpp`; Marton and Resnik 2008). One word may always be translated by itself, so
// every sentence has a translation; a sentence without a tree restricts nothing.
#include <cstdint>
#include <span>

#include "features/span_grid.hpp"

namespace dragoman::search {

// Rules may cover any span, those that cut no phrase in two, or phrases only.
enum class HardSyntax : std::uint8_t { kFree, kNoCross, kMatchOnly };

class SyntaxLimits {
 public:
  void begin(HardSyntax kind, std::span<const features::LabelledSpan> phrases, std::uint32_t length) {
    kind_ = phrases.empty() ? HardSyntax::kFree : kind;
    if (kind_ != HardSyntax::kFree) grid_.fill(phrases, {}, length, length);
  }
  [[nodiscard]] bool admits(std::uint32_t start, std::uint32_t end) const noexcept {
    if (kind_ == HardSyntax::kFree || end == start + 1) return true;
    return kind_ == HardSyntax::kNoCross ? grid_.crossing(start, end) == 0 : grid_.matching(start, end) != 0;
  }

 private:
  HardSyntax kind_ = HardSyntax::kFree;
  features::SpanGrid grid_;
};

}  // namespace dragoman::search
