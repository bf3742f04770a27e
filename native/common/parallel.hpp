#pragma once
// Work cut into shards whose number depends on the data alone, so that results never depend on the thread count:
// workers take shards as they come, the caller reduces per-shard results in shard order.
#include <algorithm>
#include <cstddef>
#include <functional>

#include "common/error.hpp"

namespace dragoman {

// Polled on the calling thread between its shards, within them where they call `stop_if_interrupted`, and while it
// waits for the others; returning true stops the work with `Interrupted`.
using StopCallback = std::function<bool()>;

// Throws `Interrupted` in the middle of a shard that lasts long when its work, or work that it is part of, is to stop.
void stop_if_interrupted();

[[nodiscard]] inline std::size_t shard_count(std::size_t items, std::size_t shard_size) noexcept {
  return (items + shard_size - 1) / shard_size;
}

// How many threads a number of threads means: 0 is all cores. The one place that decides.
[[nodiscard]] int worker_count(int threads);

// What `parallel_shards` does, written once: work that is a function and what it is called with.
void run_shards(std::size_t shards, int threads, void (*call)(const void* work, std::size_t shard), const void* work,
                const StopCallback& stop);

// Calls work(shard) for each shard in [0, shards), on up to `threads` threads (0: all cores). If shards throw, the
// exception of the lowest shard is rethrown. `stop` may be empty.
template <typename Work>
void parallel_shards(std::size_t shards, int threads, const Work& work, const StopCallback& stop = {}) {
  run_shards(
      shards, threads, [](const void* given, std::size_t shard) { (*static_cast<const Work*>(given))(shard); }, &work,
      stop);
}

// Calls work(begin, end) over [0, items) in slices of `shard_size`.
template <typename Work>
void parallel_ranges(std::size_t items, std::size_t shard_size, int threads, const Work& work,
                     const StopCallback& stop = {}) {
  parallel_shards(
      shard_count(items, shard_size), threads,
      [&](std::size_t shard) { work(shard * shard_size, std::min(items, (shard + 1) * shard_size)); }, stop);
}

// Rounds of shards with something to do in between: calls work(round, shard) for all shards of a round on up to
// `threads` threads, then after(round) on the calling thread, and goes on to the next round; `shards_of(round)` says
// how many there are. Threads are started once, and the calling thread waits only for shards that somebody has begun:
// many small rounds take no longer on two threads than on one, even where other programs keep the cores busy. Shards
// should be short, since `stop` is asked between them only. Exceptions are treated as by `parallel_shards`.
void parallel_rounds(std::size_t rounds, const std::function<std::size_t(std::size_t)>& shards_of, int threads,
                     const std::function<void(std::size_t, std::size_t)>& work,
                     const std::function<void(std::size_t)>& after, const StopCallback& stop = {});

}  // namespace dragoman
