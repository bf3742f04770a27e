#pragma once
// What templates fire for rules, kept for all threads: a rule leads to its list by its number, without a lock. Lists
// are never changed or moved; when there are too many of them, new ones are not kept.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "common/lazy_array.hpp"
#include "features/feature.hpp"

namespace dragoman::features {

struct RuleEntry {
  FeatureId feature;
  std::uint32_t scale;  // which number of the sentence divides the value, or kUnscaled
  double value;
};

// Lists of entries by a number that is not 0.
class RuleEntryLists {
 public:
  // 0 if there is no more room.
  [[nodiscard]] std::uint32_t add(std::span<const RuleEntry> entries) {
    const std::lock_guard writing(lock_);
    const std::uint32_t size = static_cast<std::uint32_t>(entries.size()) + 1;
    if (size > kChunk) return 0;
    if (next_ % kChunk + size > kChunk) next_ = (next_ / kChunk + 1) * kChunk;
    if (next_ / kChunk >= kChunks) return 0;
    auto& chunk = chunks_[next_ / kChunk];
    if (!chunk) chunk = std::make_unique<RuleEntry[]>(kChunk);
    RuleEntry* const list = chunk.get() + next_ % kChunk;
    list[0] = {size - 1, 0, 0};  // the first one says how many follow
    std::copy(entries.begin(), entries.end(), list + 1);
    const std::uint32_t number = next_;
    next_ += size;
    return number;
  }
  // Of a list that another thread may have added, if its number was handed over in order.
  [[nodiscard]] std::span<const RuleEntry> operator[](std::uint32_t number) const noexcept {
    const RuleEntry* const list = chunks_[number / kChunk].get() + number % kChunk;
    return {list + 1, list->feature};
  }

 private:
  static constexpr std::uint32_t kChunk = 1u << 16, kChunks = 1u << 8;
  std::mutex lock_;
  std::uint32_t next_ = 1;
  std::array<std::unique_ptr<RuleEntry[]>, kChunks> chunks_;
};

// The lists of the rules of one table.
class RuleEntries {
 public:
  explicit RuleEntries(std::size_t rules) : rules_(rules) {}

  // The list of a rule, made by make(), which gives entries, if it is not known; use(entries) may look at it.
  template <typename Make, typename Use>
  void get(std::uint32_t rule, RuleEntryLists& lists, const Make& make, const Use& use) {
    std::call_once(allocated_, [this] { known_ = LazyArray<std::uint32_t>(rules_); });
    if (const std::uint32_t number = known_.load(rule); number != 0) return use(lists[number]);
    const auto made = make();
    if (const std::uint32_t number = lists.add(made); number != 0) known_.store(rule, number);
    use(std::span<const RuleEntry>(made));
  }

 private:
  std::size_t rules_;
  std::once_flag allocated_;
  LazyArray<std::uint32_t> known_;
};

}  // namespace dragoman::features
