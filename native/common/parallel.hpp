#pragma once
// Work cut into shards whose number depends on the data alone, so that results never depend on the thread count:
// workers take shards as they come, the caller reduces per-shard results in shard order.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/error.hpp"

namespace dragoman {

// Polled on the calling thread between its shards, within them where they call `stop_if_interrupted`, and while it
// waits for the others; returning true stops the work with `Interrupted`.
using StopCallback = std::function<bool()>;

// Work that can be stopped: one for each `parallel_shards` that is going on, known to the threads that do it.
class Stoppable {
 public:
  Stoppable(const StopCallback& stop, Stoppable* outer)
      : stop_(&stop), outer_(outer), caller_(std::this_thread::get_id()) {}

  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  // Asks the callback if this is the calling thread, and it was not asked a moment ago.
  [[nodiscard]] bool asked_to_stop(std::chrono::milliseconds moment) {
    if (std::this_thread::get_id() != caller_ || !*stop_ || stopped()) return stopped();
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ >= moment) {
      asked_ = now;
      if ((*stop_)()) stop();
    }
    return stopped();
  }
  [[nodiscard]] Stoppable* outer() const noexcept { return outer_; }

  static Stoppable*& current() noexcept {
    thread_local Stoppable* innermost = nullptr;
    return innermost;
  }

 private:
  const StopCallback* stop_;
  Stoppable* outer_;
  std::thread::id caller_;
  std::atomic<bool> stopped_{false};
  std::chrono::steady_clock::time_point asked_{};
};

// Throws `Interrupted` in the middle of a shard that lasts long when its work, or work that it is part of, is to stop.
inline void stop_if_interrupted() {
  for (Stoppable* work = Stoppable::current(); work != nullptr; work = work->outer())
    if (work->asked_to_stop(std::chrono::milliseconds(20))) throw Interrupted();
}

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
  Stoppable stoppable(stop, Stoppable::current());
  std::atomic<std::size_t> next{0};
  std::mutex lock;
  std::condition_variable finished;
  std::size_t busy = workers > 0 ? workers - 1 : 0;
  std::exception_ptr failure;
  std::size_t failed_shard = shards;
  const auto run = [&] {
    Stoppable* const before = std::exchange(Stoppable::current(), &stoppable);
    while (!stoppable.asked_to_stop({})) {
      const std::size_t shard = next.fetch_add(1, std::memory_order_relaxed);
      if (shard >= shards) break;
      try {
        work(shard);
      } catch (const Interrupted&) {
        stoppable.stop();
      } catch (...) {
        const std::lock_guard guard(lock);
        if (shard < failed_shard) {
          failed_shard = shard;
          failure = std::current_exception();
        }
        next = shards;  // lower shards are already taken and will finish; no new ones start
      }
    }
    Stoppable::current() = before;
  };
  {
    std::vector<std::jthread> pool;
    pool.reserve(workers);
    for (std::size_t i = 1; i < workers; ++i)
      pool.emplace_back([&] {
        run();
        const std::lock_guard guard(lock);
        --busy;
        finished.notify_one();
      });
    run();
    // The callback belongs to this thread: while others are still at work, it goes on asking.
    std::unique_lock guard(lock);
    while (stop && !finished.wait_for(guard, std::chrono::milliseconds(50), [&] { return busy == 0; })) {
      guard.unlock();
      (void)stoppable.asked_to_stop({});
      guard.lock();
    }
  }
  if (failure) std::rethrow_exception(failure);
  if (stoppable.stopped()) throw Interrupted();
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
