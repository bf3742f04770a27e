#pragma once
// Work cut into shards whose number depends on the data alone, so that results never depend on the thread count:
// workers take shards as they come, the caller reduces per-shard results in shard order.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/error.hpp"

namespace dragoman {

// Polled on the calling thread between its shards; returning true stops the work with `Interrupted`.
using StopCallback = std::function<bool()>;

[[nodiscard]] inline std::size_t shard_count(std::size_t items, std::size_t shard_size) noexcept {
  return (items + shard_size - 1) / shard_size;
}

// How many threads a number of threads means: 0 is all cores. The one place that decides.
[[nodiscard]] inline int worker_count(int threads) {
  if (threads < 0)
    throw SettingError("threads=" + std::to_string(threads), "it must be at least 0, which means all cores");
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Calls work(shard) for each shard in [0, shards), on up to `threads` threads (0: all cores). If shards throw, the
// exception of the lowest shard is rethrown. `stop` may be empty.
template <typename Work>
void parallel_shards(std::size_t shards, int threads, const Work& work, const StopCallback& stop = {}) {
  const std::size_t workers = std::min(static_cast<std::size_t>(worker_count(threads)), shards);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex lock;
  std::exception_ptr failure;
  std::size_t failed_shard = shards;
  const auto run = [&](bool is_caller) {
    while (!stopped.load(std::memory_order_relaxed)) {
      if (is_caller && stop && stop()) {
        stopped = true;
        break;
      }
      const std::size_t shard = next.fetch_add(1, std::memory_order_relaxed);
      if (shard >= shards) break;
      try {
        work(shard);
      } catch (...) {
        const std::lock_guard guard(lock);
        if (shard < failed_shard) {
          failed_shard = shard;
          failure = std::current_exception();
        }
        next = shards;  // lower shards are already taken and will finish; no new ones start
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    pool.reserve(workers);
    for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(run, false);
    run(true);
  }
  if (failure) std::rethrow_exception(failure);
  if (stopped) throw Interrupted();
}

// Calls work(begin, end) over [0, items) in slices of `shard_size`.
template <typename Work>
void parallel_ranges(std::size_t items, std::size_t shard_size, int threads, const Work& work,
                     const StopCallback& stop = {}) {
  parallel_shards(
      shard_count(items, shard_size), threads,
      [&](std::size_t shard) { work(shard * shard_size, std::min(items, (shard + 1) * shard_size)); }, stop);
}

}  // namespace dragoman
