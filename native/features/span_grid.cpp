#include "features/span_grid.hpp"

#include <algorithm>

namespace dragoman::features {

void SpanGrid::fill(std::span<const LabelledSpan> nodes, std::span<const std::string> labels, std::uint32_t length,
                    std::uint32_t longest) {
  longest_ = std::min(longest, length);
  cells_.assign(std::size_t{length} * longest_, {});
  for (const LabelledSpan& node : nodes) {
    const std::uint32_t a = node.start, b = node.end;
    Labels bits = kAny;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == node.label) bits |= Labels{1} << i;
    if (b - a <= longest_) cells_[slot(a, b)].matching |= bits;
    // Those that begin before the node and end within it, and those that begin within it and end behind it.
    for (std::uint32_t i = a + 1 > longest_ ? a + 1 - longest_ : 0; i < a; ++i)
      for (std::uint32_t j = a + 1; j < b && j - i <= longest_; ++j) cells_[slot(i, j)].crossing |= bits;
    for (std::uint32_t i = std::max(a + 1, b + 1 > longest_ ? b + 1 - longest_ : 0); i < b; ++i)
      for (std::uint32_t j = b + 1; j <= length && j - i <= longest_; ++j) cells_[slot(i, j)].crossing |= bits;
  }
}

}  // namespace dragoman::features
