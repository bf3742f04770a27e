#pragma once
// Symbols of a rule: words, and nonterminals in the same 32-bit space, marked by the highest bit. A nonterminal carries
// its label and its index, which pairs it with the other side; label 0 is the gap of a discontinuous phrase, which is
// paired with nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/ids.hpp"

namespace dragoman::grammar {

inline constexpr std::uint32_t kGapLabel = 0;
inline constexpr WordId kNullWord = 0x7fffffffu;  // no word of any side: what an unaligned word is linked to

[[nodiscard]] constexpr bool is_nonterminal(WordId symbol) noexcept { return (symbol & kNonterminalBit) != 0; }
[[nodiscard]] constexpr WordId nonterminal(std::uint32_t label, std::uint32_t index) noexcept {
  return kNonterminalBit | ((label & 0x7fffffu) << 8) | (index & 0xffu);
}
[[nodiscard]] constexpr std::uint32_t label_of(WordId symbol) noexcept { return (symbol & ~kNonterminalBit) >> 8; }
[[nodiscard]] constexpr std::uint32_t index_of(WordId symbol) noexcept { return symbol & 0xffu; }

// Where rules differ in what they derive, they are counted with the label of it behind their source: a nonterminal with
// an index that no other has.
inline constexpr std::uint32_t kLeftHandSide = 0xff;
[[nodiscard]] constexpr WordId left_hand_side(std::uint32_t label) noexcept {
  return nonterminal(label, kLeftHandSide);
}
[[nodiscard]] inline bool has_left_hand_side(std::span<const WordId> source) noexcept {
  return !source.empty() && is_nonterminal(source.back()) && index_of(source.back()) == kLeftHandSide;
}
[[nodiscard]] inline std::span<const WordId> right_hand_side(std::span<const WordId> source) noexcept {
  return has_left_hand_side(source) ? source.first(source.size() - 1) : source;
}

// How many of the symbols are words.
[[nodiscard]] inline std::size_t words_of(std::span<const WordId> symbols) noexcept {
  std::size_t count = 0;
  for (const WordId symbol : symbols) count += !is_nonterminal(symbol);
  return count;
}

// The words before the first nonterminal: what a decoder appends that writes from left to right.
[[nodiscard]] inline std::span<const WordId> leading_words(std::span<const WordId> symbols) noexcept {
  std::size_t count = 0;
  while (count < symbols.size() && !is_nonterminal(symbols[count])) ++count;
  return symbols.first(count);
}

// One word link of a rule: positions among the symbols of its two sides.
struct Link {
  std::uint8_t source, target;
  friend bool operator==(const Link&, const Link&) = default;
  friend auto operator<=>(const Link&, const Link&) = default;
};
static_assert(sizeof(Link) == 2);

// Whether links join words that are there; those of a damaged file may not.
[[nodiscard]] inline bool inside(std::span<const Link> links, std::size_t source_size,
                                 std::size_t target_size) noexcept {
  return std::ranges::all_of(links,
                             [&](const Link link) { return link.source < source_size && link.target < target_size; });
}

inline constexpr int kLongestRule = 100;  // symbols on one side; positions and lengths fit a byte

}  // namespace dragoman::grammar
