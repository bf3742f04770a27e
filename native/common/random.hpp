#pragma once
// Random numbers by counting: the n-th draw of stream (seed, item) is a hash of the three, so that a result never
// depends on which thread worked on an item, or in which order.
#include <cstdint>

#include "common/hash.hpp"

namespace dragoman {

class RandomStream {
 public:
  using result_type = std::uint64_t;

  RandomStream(std::uint64_t seed, std::uint64_t item) noexcept : key_(combine(combine(0x5eed, seed), item)) {}

  result_type operator()() noexcept { return combine(key_, counter_++); }
  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return ~std::uint64_t{0}; }

  // Uniform in [0, 1), with 53 random bits.
  double uniform() noexcept { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

  // Uniform in [0, bound); bound > 0. The multiply-shift bias is below 2^-32 for any bound under 2^32.
  std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((((*this)() >> 32) * std::uint64_t{bound}) >> 32);
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace dragoman
