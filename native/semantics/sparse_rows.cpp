#include "semantics/sparse_rows.hpp"

#include <algorithm>

namespace dragoman::semantics {

void Accumulator::keep_greatest(std::size_t top) {
  if (touched_.size() <= top) return;
  const auto rest = touched_.begin() + static_cast<std::ptrdiff_t>(top);
  // Whole rows are never sorted: most of a row is dropped.
  std::nth_element(touched_.begin(), rest, touched_.end(), [this](Column one, Column other) {
    const double x = (*this)[one], y = (*this)[other];
    return x != y ? x > y : one < other;
  });
  for (auto dropped = rest; dropped != touched_.end(); ++dropped) {
    sums_[static_cast<std::size_t>(*dropped)] = 0.0;
    seen_[static_cast<std::size_t>(*dropped)] = 0;
  }
  touched_.erase(rest, touched_.end());
}

void Accumulator::flush(Rows& rows, double scale) {
  std::sort(touched_.begin(), touched_.end());
  for (const Column column : touched_) {
    rows.columns.push_back(column);
    rows.values.push_back(sums_[static_cast<std::size_t>(column)] * scale);
  }
  rows.end_row();
  clear();
}

}  // namespace dragoman::semantics
