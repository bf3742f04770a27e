#include "semantics/sparse_rows.hpp"

#include <algorithm>

namespace dragoman::semantics {

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
