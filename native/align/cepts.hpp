#pragma once
// An alignment as the fertility models see it: which generated positions each given word owns (its cept), in order.
// Moves and swaps keep everything up to date, so that a search can try a change and take it back.
#include <span>
#include <vector>

#include "align/position.hpp"

namespace dragoman::align {

class Cepts {
 public:
  Cepts() = default;
  Cepts(std::span<const int> links, int given);

  [[nodiscard]] int given() const noexcept { return static_cast<int>(cepts_.size()); }
  [[nodiscard]] int generated() const noexcept { return static_cast<int>(links_.size()); }
  [[nodiscard]] int link(int j) const noexcept { return links_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] std::span<const int> links() const noexcept { return links_; }
  [[nodiscard]] const std::vector<int>& cept(int i) const noexcept { return cepts_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int fertility(int i) const noexcept { return static_cast<int>(cept(i).size()); }
  [[nodiscard]] int null_fertility() const noexcept { return null_; }

  void move(int j, int to);  // `to` may be kNoLink
  void swap(int first, int second) {
    const int one = link(first), other = link(second);
    move(first, other);
    move(second, one);
  }
  // The nearest given word before or after i that owns something; kNoLink or given() when there is none.
  [[nodiscard]] int previous(int i) const noexcept;
  [[nodiscard]] int next(int i) const noexcept;
  // Mean position of a cept, rounded up, counted from 1; 0 for the start of the sentence.
  [[nodiscard]] int centre(int i) const noexcept;

 private:
  std::vector<int> links_;
  std::vector<std::vector<int>> cepts_;
  int null_ = 0;
};

}  // namespace dragoman::align
