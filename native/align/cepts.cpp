#include "align/cepts.hpp"

#include <algorithm>

namespace dragoman::align {

Cepts::Cepts(std::span<const int> links, int given)
    : links_(links.begin(), links.end()), cepts_(static_cast<std::size_t>(given)) {
  for (int j = 0; j < generated(); ++j) {
    if (link(j) == kNoLink)
      ++null_;
    else
      cepts_[static_cast<std::size_t>(link(j))].push_back(j);
  }
}

void Cepts::move(int j, int to) {
  int& link = links_[static_cast<std::size_t>(j)];
  if (link == kNoLink) {
    --null_;
  } else {
    auto& cept = cepts_[static_cast<std::size_t>(link)];
    cept.erase(std::lower_bound(cept.begin(), cept.end(), j));
  }
  link = to;
  if (to == kNoLink) {
    ++null_;
  } else {
    auto& cept = cepts_[static_cast<std::size_t>(to)];
    cept.insert(std::lower_bound(cept.begin(), cept.end(), j), j);
  }
}

int Cepts::previous(int i) const noexcept {
  for (--i; i >= 0 && cept(i).empty(); --i) {
  }
  return i >= 0 ? i : kNoLink;
}

int Cepts::next(int i) const noexcept {
  for (++i; i < given() && cept(i).empty(); ++i) {
  }
  return i;
}

int Cepts::centre(int i) const noexcept {
  if (i == kNoLink) return 0;
  const auto& positions = cept(i);
  const auto count = static_cast<int>(positions.size());
  int sum = 0;
  for (const int j : positions) sum += j + 1;
  return (sum + count - 1) / count;
}

}  // namespace dragoman::align
