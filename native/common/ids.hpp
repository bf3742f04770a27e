#pragma once
// Integer types that everything shares. Words are plain 32-bit numbers because they travel to and from numpy arrays;
// zero is always the unknown word.
#include <cstdint>

namespace dragoman {

using WordId = std::uint32_t;

inline constexpr WordId kUnknown = 0;

// In a target side, a symbol with this bit set stands for the yield of a nonterminal; the other bits are its index.
inline constexpr WordId kNonterminalBit = 0x80000000u;

}  // namespace dragoman
