#pragma once
// What was made from a key once and is shared by threads and by all decoders of a model: a rule in some order, or a
// pair of classes, leads to its features without spelling their names again. It is bounded and may forget; what is made
// anew is the same.
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "common/hash.hpp"

namespace dragoman::features {

inline constexpr std::size_t kMostIds = 1u << 22;  // remembered per thread
inline constexpr std::uint32_t kUnnamed = ~std::uint32_t{0};

// Keys to ids, asked for at every step of search, hence without locks: a bucket is one cache line with a version that
// is odd while somebody writes. Who reads while another writes, or finds a bucket being written, makes the id anew.
class SharedIds {
 public:
  explicit SharedIds(std::size_t buckets_log2 = 17) : shift_(64 - buckets_log2) {}

  template <typename Make>
  std::uint32_t get(std::uint64_t key, const Make& make) {
    std::call_once(allocated_, [this] { buckets_ = std::vector<Bucket>(std::size_t{1} << (64 - shift_)); });
    const std::uint64_t hash = mix(key);  // tells keys apart as well as they do
    Bucket& bucket = buckets_[hash >> shift_];
    const std::uint32_t before = bucket.version.load(std::memory_order_acquire);
    std::uint32_t id = 0;
    bool found = false;
    for (std::size_t i = 0; i < kSlots && !found; ++i) {
      found = bucket.hashes[i].load(std::memory_order_relaxed) == hash && i < before / 2;
      if (found) id = bucket.ids[i].load(std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool calm = before % 2 == 0 && bucket.version.load(std::memory_order_relaxed) == before;
    if (found && calm) return id;
    id = make();
    if (calm) bucket.put(before, hash, id);
    return id;
  }

 private:
  static constexpr std::size_t kSlots = 5;
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, kSlots> hashes;
    std::array<std::atomic<std::uint32_t>, kSlots> ids;
    std::atomic<std::uint32_t> version;  // twice the number of entries that were ever put here

    // In the place of the oldest entry, unless another thread came first.
    void put(std::uint32_t before, std::uint64_t hash, std::uint32_t id) noexcept {
      if (!version.compare_exchange_strong(before, before + 1, std::memory_order_acquire)) return;
      std::atomic_thread_fence(std::memory_order_release);
      const std::size_t slot = before / 2 % kSlots;
      hashes[slot].store(hash, std::memory_order_relaxed);
      ids[slot].store(id, std::memory_order_relaxed);
      // Wraps to a full bucket, not to an empty one.
      version.store(before + 2 == 0 ? 2 * kSlots : before + 2, std::memory_order_release);
    }
  };
  std::once_flag allocated_;
  std::size_t shift_;
  std::vector<Bucket> buckets_;
};

}  // namespace dragoman::features
