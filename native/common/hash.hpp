#pragma once
// Hashing whose results are stored in files, hence fixed for ever: the same on every machine and in every version.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dragoman {

static_assert(std::endian::native == std::endian::little, "binary files are little-endian and mapped as they are");

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

[[nodiscard]] inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t state = seed ^ (0x9e3779b97f4a7c15ULL * (size + 1));
  while (size >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    state = (std::rotl(state, 23) ^ word) * 0xd6e8feb86659fd93ULL;
    bytes += 8;
    size -= 8;
  }
  std::uint64_t tail = 0;  // the remaining bytes, zero-padded; overlapping reads avoid a copy of unknown length
  if (size >= 4) {
    std::uint32_t low, high;
    std::memcpy(&low, bytes, 4);
    std::memcpy(&high, bytes + size - 4, 4);
    tail = low | (std::uint64_t{high} << (8 * (size - 4)));
  } else if (size != 0) {
    tail = bytes[0] | (std::uint64_t{bytes[size / 2]} << (8 * (size / 2))) |
           (std::uint64_t{bytes[size - 1]} << (8 * (size - 1)));
  }
  return mix(std::rotl(state, 23) ^ tail);
}

// The same for fewer than eight bytes that are in a register already, zero-padded.
[[nodiscard]] constexpr std::uint64_t hash_short(std::uint64_t bytes, std::size_t size) noexcept {
  return mix(std::rotl(0x9e3779b97f4a7c15ULL * (size + 1), 23) ^ bytes);
}

[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed = 0) noexcept {
  return hash_bytes(text.data(), text.size(), seed);
}

}  // namespace dragoman
