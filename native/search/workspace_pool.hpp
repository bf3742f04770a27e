#pragma once
// Workspaces of threads: what a thread needs for a sentence keeps its memory for the next. Features keep tables per
// sentence, so no two threads share one.
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/parallel.hpp"

namespace dragoman::search {

template <typename Workspace>
class WorkspacePool {
 public:
  // Calls work(workspace, number) for all numbers below `count` in several threads. What goes wrong with one of them,
  // fail(number) gets to know while the exception is being handled; the others are not touched by it.
  template <typename Make, typename Work, typename Fail>
  void run(std::size_t count, int threads, const StopCallback& stop, const Make& make, const Work& work,
           const Fail& fail) {
    parallel_shards(
        count, threads,
        [&](std::size_t number) {
          auto workspace = borrow();
          if (workspace == nullptr) workspace = make();
          try {
            work(*workspace, number);
          } catch (const Error&) {
            fail(number);
          }
          give_back(std::move(workspace));
        },
        stop);
  }

 private:
  std::unique_ptr<Workspace> borrow() {
    const std::lock_guard guard(lock_);
    if (idle_.empty()) return nullptr;
    auto workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard guard(lock_);
    idle_.push_back(std::move(workspace));
  }

  std::mutex lock_;
  std::vector<std::unique_ptr<Workspace>> idle_;  // one per thread that has worked
};

}  // namespace dragoman::search
