#include "annotations/columns.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::annotations {

std::size_t Columns::longest() const noexcept {
  std::size_t most = 0;
  for (std::size_t sentence = 0; sentence < ends.size(); ++sentence) most = std::max(most, size(sentence));
  return most;
}

void Columns::check() const {
  std::int64_t last = 0;
  for (const std::int64_t end : ends) {
    if (end < last) throw InputError("ends of sentences that are not in order");
    last = end;
  }
  const auto tokens = static_cast<std::size_t>(last);
  bool equal = words.size() == tokens && lowered.size() == tokens;
  for (const auto& column : given) equal = equal && column.size() == tokens;
  if (!equal) throw InputError("columns of different lengths");
}

}  // namespace dragoman::annotations
