#include "common/parallel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/error.hpp"

namespace dragoman {

namespace {

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

  static Stoppable*& current() noexcept {  // the innermost of this thread
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

// This thread is at work on what can be stopped.
class AtWork {
 public:
  explicit AtWork(Stoppable& work) : before_(std::exchange(Stoppable::current(), &work)) {}
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  ~AtWork() { Stoppable::current() = before_; }

 private:
  Stoppable* before_;
};

// The exception of the lowest shard that threw one, so that what a caller sees does not depend on threads.
class FirstFailure {
 public:
  void keep(std::size_t shard) {
    const std::lock_guard guard(lock_);
    if (shard >= shard_) return;
    shard_ = shard;
    what_ = std::current_exception();
  }
  [[nodiscard]] bool any() const noexcept { return what_ != nullptr; }  // when nobody is at work
  void rethrow() const {
    if (what_) std::rethrow_exception(what_);
  }

 private:
  std::mutex lock_;
  std::exception_ptr what_;
  std::size_t shard_ = static_cast<std::size_t>(-1);
};

}  // namespace

void stop_if_interrupted() {
  for (Stoppable* work = Stoppable::current(); work != nullptr; work = work->outer())
    if (work->asked_to_stop(std::chrono::milliseconds(20))) throw Interrupted();
}

int worker_count(int threads) {
  if (threads < 0)
    throw SettingError("threads=" + std::to_string(threads), "it must be at least 0, which means all cores");
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void run_shards(std::size_t shards, int threads, void (*call)(const void*, std::size_t), const void* work,
                const StopCallback& stop) {
  const std::size_t workers = std::min(static_cast<std::size_t>(worker_count(threads)), shards);
  Stoppable stoppable(stop, Stoppable::current());
  std::atomic<std::size_t> next{0};
  std::mutex lock;
  std::condition_variable finished;
  std::size_t busy = workers > 0 ? workers - 1 : 0;
  FirstFailure failure;
  const auto run = [&] {
    const AtWork here(stoppable);
    while (!stoppable.asked_to_stop({})) {
      const std::size_t shard = next.fetch_add(1, std::memory_order_relaxed);
      if (shard >= shards) break;
      try {
        call(work, shard);
      } catch (const Interrupted&) {
        stoppable.stop();
      } catch (...) {
        failure.keep(shard);
        next = shards;  // lower shards are already taken and will finish; no new ones start
      }
    }
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
  failure.rethrow();
  if (stoppable.stopped()) throw Interrupted();
}

void parallel_rounds(std::size_t rounds, const std::function<std::size_t(std::size_t)>& shards_of, int threads,
                     const std::function<void(std::size_t, std::size_t)>& work,
                     const std::function<void(std::size_t)>& after, const StopCallback& stop) {
  struct Round {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
  };
  constexpr std::size_t kOver = static_cast<std::size_t>(-1);
  std::vector<Round> states(rounds);
  std::size_t most = 0;
  for (std::size_t round = 0; round < rounds; ++round) most = std::max(most, shards_of(round));
  const std::size_t workers = std::min(static_cast<std::size_t>(worker_count(threads)), most);
  Stoppable stoppable(stop, Stoppable::current());
  std::atomic<std::size_t> begun{0};  // rounds that may be worked on, or kOver
  FirstFailure failure;
  const auto take_part = [&](std::size_t round) {
    Round& state = states[round];
    const std::size_t shards = shards_of(round);
    while (!stoppable.asked_to_stop({})) {
      const std::size_t shard = state.next.fetch_add(1, std::memory_order_relaxed);
      if (shard >= shards) break;
      try {
        work(round, shard);
      } catch (const Interrupted&) {
        stoppable.stop();
      } catch (...) {
        failure.keep(shard);
      }
      state.done.fetch_add(1, std::memory_order_release);
      state.done.notify_one();
    }
  };
  const auto help = [&] {
    const AtWork here(stoppable);
    for (std::size_t known = 0;;) {
      const std::size_t now = begun.load(std::memory_order_acquire);
      if (now == kOver) return;
      if (now == known) {
        begun.wait(known, std::memory_order_acquire);
      } else {
        known = now;
        take_part(now - 1);
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    struct End {  // is over before the pool is, so that helpers go home whatever happens
      std::atomic<std::size_t>& begun;
      explicit End(std::atomic<std::size_t>& rounds_begun) : begun(rounds_begun) {}
      End(const End&) = delete;
      End& operator=(const End&) = delete;
      ~End() {
        begun.store(kOver, std::memory_order_release);
        begun.notify_all();
      }
    };
    const End end(begun);
    const AtWork here(stoppable);
    pool.reserve(workers);
    for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(help);
    for (std::size_t round = 0; round < rounds; ++round) {
      begun.store(round + 1, std::memory_order_release);
      begun.notify_all();
      take_part(round);
      if (stoppable.stopped()) break;
      const std::atomic<std::size_t>& done = states[round].done;
      const std::size_t shards = shards_of(round);
      for (std::size_t now = done.load(std::memory_order_acquire); now < shards;
           now = done.load(std::memory_order_acquire))
        done.wait(now, std::memory_order_acquire);
      if (failure.any() || stoppable.stopped()) break;
      after(round);
    }
  }
  failure.rethrow();
  if (stoppable.stopped()) throw Interrupted();
}

}  // namespace dragoman
