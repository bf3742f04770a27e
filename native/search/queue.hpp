#pragma once
// The queue of cube pruning: a heap of sixteen-byte entries with four children each, which lie in one cache line. Most
// entries that leave are followed by their successor, so the best can be replaced in one step.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dragoman::search {

struct Queued {
  double key;
  std::uint32_t cell;

  // The better key first, then the cell that was made first.
  [[nodiscard]] bool before(const Queued& other) const noexcept {
    return key > other.key || (key == other.key && cell < other.cell);
  }
};

class Queue {
 public:
  void clear() noexcept { entries_.clear(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] const Queued& top() const noexcept { return entries_.front(); }

  // Many at once: `append` them all, then `arrange`.
  void append(Queued entry) { entries_.push_back(entry); }
  void arrange() noexcept {
    for (std::size_t at = (entries_.size() + 2) / kChildren; at-- > 0;) sink(at, entries_[at]);
  }

  void push(Queued entry) {
    std::size_t at = entries_.size();
    entries_.push_back(entry);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kChildren;
      if (!entry.before(entries_[parent])) break;
      entries_[at] = entries_[parent];
      at = parent;
    }
    entries_[at] = entry;
  }
  void replace_top(Queued entry) noexcept { sink(0, entry); }
  void pop() noexcept {
    const Queued last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(0, last);
  }

 private:
  static constexpr std::size_t kChildren = 4;

  void sink(std::size_t at, Queued entry) noexcept {
    const std::size_t size = entries_.size();
    for (std::size_t child; (child = at * kChildren + 1) < size;) {
      std::size_t best = child;
      const std::size_t last = std::min(child + kChildren, size);
      while (++child < last)
        if (entries_[child].before(entries_[best])) best = child;
      if (!entries_[best].before(entry)) break;
      entries_[at] = entries_[best];
      at = best;
    }
    entries_[at] = entry;
  }

  std::vector<Queued> entries_;
};

}  // namespace dragoman::search
