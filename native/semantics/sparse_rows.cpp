#include "semantics/sparse_rows.hpp"

#include <algorithm>

namespace dragoman::semantics {

void Accumulator::keep_greatest(std::size_t top) {
  if (touched_.size() <= top) return;
  // Whole rows are never sorted: most of a row is dropped. Sums stand beside their columns, which is quicker than to
  // look each of them up at every comparison.
  ranked_.clear();
  for (const Column column : touched_) ranked_.emplace_back((*this)[column], column);
  const auto rest = ranked_.begin() + static_cast<std::ptrdiff_t>(top);
  std::nth_element(ranked_.begin(), rest, ranked_.end(), [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first : one.second < other.second;
  });
  for (auto dropped = rest; dropped != ranked_.end(); ++dropped) forget(dropped->second);
  touched_.clear();
  for (auto kept = ranked_.begin(); kept != rest; ++kept) touched_.push_back(kept->second);
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
