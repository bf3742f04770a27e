#pragma once
// Hashing whose results are stored in files, hence the same on every machine. Who changes a function here raises
// `kHashVersion` and the version of every format in `common/binary_formats.hpp`.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/wide_product.hpp"

namespace dragoman {

static_assert(std::endian::native == std::endian::little, "binary files are little-endian and mapped as they are");

inline constexpr int kHashVersion = 2;

// A bijective finalizer: every input bit reaches every output bit.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

[[nodiscard]] constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t value) noexcept {
  return mix(seed * 0x9e3779b97f4a7c15ULL + value + 0x632be59bd9b4e019ULL);
}

// The parts of `hash_bytes`: words of eight bytes enter two by two, and the 128 bits of their product are folded into
// 64. A plain product of 64 bits carries differences upwards only, so that one in the highest bits of a word stays
// there and the next word can cancel it; in the full product every bit reaches the middle. What went in is added again,
// so that a factor of zero does not lose the other. (The construction of wyhash, Wang Yi 2019, and of XXH3.)
namespace hashing {

// Square roots of the first primes: bits without a pattern.
inline constexpr std::uint64_t kRoots[] = {0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL,
                                           0xa54ff53a5f1d36f1ULL, 0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL};

[[nodiscard]] inline std::uint64_t word_at(const unsigned char* bytes) noexcept {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
[[nodiscard]] inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  const WideProduct product = wide_product(a, b);
  return (a ^ product.low) ^ (b ^ product.high);
}
[[nodiscard]] constexpr std::uint64_t start(std::uint64_t seed) noexcept {
  return seed * 0x9e3779b97f4a7c15ULL ^ kRoots[0];
}
[[nodiscard]] inline std::uint64_t absorb(std::uint64_t state, const unsigned char* block) noexcept {
  return fold(word_at(block) ^ kRoots[1], word_at(block + 8) ^ state);
}
// All but the last 1 to 64 of more than 64 bytes, in four lanes that do not wait for each other. Moves `bytes` on.
[[nodiscard]] std::uint64_t absorb_long(std::uint64_t state, const unsigned char*& bytes, std::size_t& size) noexcept;

}  // namespace hashing

// Fewer than eight bytes that are in a register already, zero-padded: the same as `hash_bytes` of them. They and their
// number fit into 63 bits, and mixing loses nothing: under one seed no two of them have the same hash, nor does any of
// them have that of something longer, for which the highest bit is set before mixing.
[[nodiscard]] constexpr std::uint64_t hash_short(std::uint64_t bytes, std::size_t size,
                                                 std::uint64_t seed = 0) noexcept {
  return mix((bytes | std::uint64_t{size} << 56) ^ hashing::start(seed));
}

[[nodiscard]] inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0) noexcept {
  using namespace hashing;
  const auto* bytes = static_cast<const unsigned char*>(data);
  if (size < 8) {
    std::uint64_t word = 0;  // overlapping reads avoid a copy of unknown length
    if (size >= 4) {
      std::uint32_t low, high;
      std::memcpy(&low, bytes, 4);
      std::memcpy(&high, bytes + size - 4, 4);
      word = low | (std::uint64_t{high} << (8 * (size - 4)));
    } else if (size != 0) {
      word = bytes[0] | (std::uint64_t{bytes[size / 2]} << (8 * (size / 2))) |
             (std::uint64_t{bytes[size - 1]} << (8 * (size - 1)));
    }
    return hash_short(word, size, seed);
  }
  std::uint64_t state = start(seed);
  std::size_t left = size;
  if (left > 64) state = absorb_long(state, bytes, left);
  for (; left > 16; left -= 16, bytes += 16) state = absorb(state, bytes);
  // The last 16 bytes, which may overlap what went before; of fewer, the first 8 and the last 8.
  const std::uint64_t first = word_at(size < 16 ? bytes : bytes + left - 16), last = word_at(bytes + left - 8);
  return mix((fold(first ^ kRoots[1], last ^ state ^ size * kRoots[2]) | std::uint64_t{1} << 63) ^ start(seed));
}

[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed = 0) noexcept {
  return hash_bytes(text.data(), text.size(), seed);
}

}  // namespace dragoman
