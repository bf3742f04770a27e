#pragma once
// What a search without a beam may take. One with a beam is bounded by it; one that keeps everything, so that exact
// inference may follow, grows with the number of derivations, from left to right exponentially.
#include <chrono>
#include <cstdint>

#include "common/error.hpp"
#include "common/parallel.hpp"

namespace dragoman::search {

struct SpaceLimits {
  std::uint64_t memory = 0;  // bytes, about; 0: any number
  double seconds = 0;        // 0: any number
  bool whole = false;        // whether all derivations are wanted, and no best one
};

// Looks at the limits of one sentence's search, and at Ctrl-C.
class SpaceWatch {
 public:
  void begin(const SpaceLimits& limits) {
    limits_ = limits;
    if (limits_.seconds > 0) started_ = Clock::now();
  }

  void check(std::size_t nodes) const {
    stop_if_interrupted();
    if (limits_.memory > 0 && nodes > limits_.memory / kBytesPerNode) throw LimitReached("memory");
    if (limits_.seconds > 0 && std::chrono::duration<double>(Clock::now() - started_).count() > limits_.seconds)
      throw LimitReached("time");
  }

 private:
  using Clock = std::chrono::steady_clock;
  // A node with its states, the key by which it is found, the list of spans that it leaves, and its edge of a forest.
  static constexpr std::uint64_t kBytesPerNode = 512;

  SpaceLimits limits_;
  Clock::time_point started_;
};

}  // namespace dragoman::search
