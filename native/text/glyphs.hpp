#pragma once
// Text as code points that remember where they came from: each glyph carries the half-open range of raw code points it
// stands for, so that after any number of rewriting passes a token can still point back into the raw text.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::text {

struct Glyph {
  char32_t letter;
  std::uint32_t start, end;   // raw code points; empty for what was inserted
  std::uint32_t classes = 0;  // one bit per character set of the engine at work (see `rewrite.hpp`), and kCluster
};
// In `classes`: the glyph stands for a letter with its marks, which follow it in the raw text up to `end`.
inline constexpr std::uint32_t kCluster = std::uint32_t{1} << 31;
using Glyphs = std::vector<Glyph>;
using Range = std::pair<std::uint32_t, std::uint32_t>;

// White space as Unicode and Python's `str.split` have it.
[[nodiscard]] constexpr bool is_space(char32_t c) noexcept {
  return c == U' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

// Decodes UTF-8; bytes that are none become U+FFFD, one for each.
void decode(std::string_view utf8, std::u32string& letters);
[[nodiscard]] std::u32string decode(std::string_view utf8);
void append_utf8(char32_t letter, std::string& utf8);

// Glyphs of a text that nothing has happened to yet.
void raw_glyphs(std::u32string_view letters, Glyphs& glyphs);

void strip(Glyphs& glyphs);

// Calls use(piece) for each maximal run without white space.
template <typename Use>
void for_each_piece(std::span<const Glyph> glyphs, Use&& use) {
  std::size_t at = 0;
  while (at < glyphs.size()) {
    while (at < glyphs.size() && is_space(glyphs[at].letter)) ++at;
    std::size_t end = at;
    while (end < glyphs.size() && !is_space(glyphs[end].letter)) ++end;
    if (end > at) use(glyphs.subspan(at, end - at));
    at = end;
  }
}

// What a run of glyphs stands for in the raw text; inserted glyphs do not count unless there is nothing else.
[[nodiscard]] Range raw_range(std::span<const Glyph> piece) noexcept;
// `raw` is the text that the marks of clusters are taken from.
[[nodiscard]] std::string utf8(std::span<const Glyph> piece, std::u32string_view raw = {});

}  // namespace dragoman::text
