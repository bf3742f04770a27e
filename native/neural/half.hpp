#pragma once
// Numbers of 16 bits (IEEE 754 binary16): 11 significant bits, from 6e-8 to 65504. What is stored needs no more, and
// half the place.
#include <bit>
#include <cmath>
#include <cstdint>

namespace dragoman::neural {

// To the nearest, ties to even; what is too large becomes an infinity.
[[nodiscard]] inline std::uint16_t to_half(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const float size = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00u;
  if (size >= 65520.0f) return sign | 0x7c00u;
  if (size < 0x1.0p-14f)  // a multiple of 2^-24
    return sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1.0p24f));
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(size) - (112u << 23);  // the exponent counts from 15
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return sign | static_cast<std::uint16_t>(rounded >> 13);
}

[[nodiscard]] inline float from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float size = static_cast<float>(fraction) * 0x1.0p-24f;
    return sign != 0 ? -size : size;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

}  // namespace dragoman::neural
