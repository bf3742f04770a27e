#pragma once
// The product of two 64-bit numbers in full.
#include <cstdint>

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
#include <intrin.h>
#endif

namespace dragoman {

struct WideProduct {
  std::uint64_t low, high;
  friend constexpr bool operator==(const WideProduct&, const WideProduct&) = default;
};

// From four products of 32 bits, for compilers that know nothing wider.
[[nodiscard]] constexpr WideProduct wide_product_by_halves(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a_high = a >> 32, a_low = a & 0xffffffff, b_high = b >> 32, b_low = b & 0xffffffff;
  const std::uint64_t lowest = a_low * b_low;
  const std::uint64_t middle = a_high * b_low + (lowest >> 32);
  const std::uint64_t other_middle = a_low * b_high + (middle & 0xffffffff);
  return {other_middle << 32 | (lowest & 0xffffffff), a_high * b_high + (middle >> 32) + (other_middle >> 32)};
}

[[nodiscard]] inline WideProduct wide_product(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#elif defined(_MSC_VER) && defined(_M_X64)
  WideProduct product;
  product.low = _umul128(a, b, &product.high);
  return product;
#elif defined(_MSC_VER) && defined(_M_ARM64)
  return {a * b, __umulh(a, b)};
#else
  return wide_product_by_halves(a, b);
#endif
}

}  // namespace dragoman
