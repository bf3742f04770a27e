#pragma once
// How long something takes that is done too often to look at a clock each time: now and then it is timed, and stands
// for all the others. Short sums are rough estimates, and right on average. What takes a tenth of a millisecond was
// interrupted by another program and is left out, so that sums are of processor time.
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dragoman {

class SampledTime {
 public:
  // What work() gives.
  template <typename Work>
  auto operator()(const Work& work) {
    if (--wait_ != 0) return work();
    wait_ = kEvery;
    const auto start = Clock::now();
    const auto found = work();
    if (const double taken = since(start); taken < kInterrupted)
      sum_ += kEvery * std::max(0.0, taken - clock_seconds());
    return found;
  }
  [[nodiscard]] double seconds() const noexcept { return sum_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t kEvery = 61;   // a prime: nothing is timed always or never because it comes in turns
  static constexpr double kInterrupted = 1e-4;  // seconds: far more than any piece of work here

  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
  // What looking at the clock takes, which is as long as what is timed.
  static double clock_seconds() {
    static const double cost = [] {
      double least = 1;
      for (int i = 0; i < 100; ++i) least = std::min(least, since(Clock::now()));
      return least;
    }();
    return cost;
  }

  std::uint32_t wait_ = kEvery;
  double sum_ = 0;
};

}  // namespace dragoman
