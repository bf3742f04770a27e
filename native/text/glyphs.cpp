#include "text/glyphs.hpp"

#include <algorithm>

namespace dragoman::text {
namespace {

constexpr char32_t kReplacement = 0xfffd;

// The code point that starts at `at`, and its length in bytes; anything malformed is one byte long.
std::pair<char32_t, std::size_t> decode_one(std::string_view bytes, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead >= 0xf5 || at + length > bytes.size()) return {kReplacement, 1};
  char32_t letter = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {kReplacement, 1};
    letter = letter << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = (length == 3 && letter < 0x800) || (length == 4 && letter < 0x10000);
  if (overlong || letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000)) return {kReplacement, 1};
  return {letter, length};
}

}  // namespace

void decode(std::string_view bytes, std::u32string& letters) {
  letters.clear();
  letters.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const auto [letter, length] = decode_one(bytes, at);
    letters.push_back(letter);
    at += length;
  }
}

std::u32string decode(std::string_view bytes) {
  std::u32string letters;
  decode(bytes, letters);
  return letters;
}

void append_utf8(char32_t letter, std::string& bytes) {
  const auto put = [&](char32_t value) { bytes.push_back(static_cast<char>(static_cast<unsigned char>(value))); };
  if (letter < 0x80) {
    put(letter);
  } else if (letter < 0x800) {
    put(0xc0 | letter >> 6);
    put(0x80 | (letter & 0x3f));
  } else if (letter < 0x10000) {
    put(0xe0 | letter >> 12);
    put(0x80 | (letter >> 6 & 0x3f));
    put(0x80 | (letter & 0x3f));
  } else {
    put(0xf0 | letter >> 18);
    put(0x80 | (letter >> 12 & 0x3f));
    put(0x80 | (letter >> 6 & 0x3f));
    put(0x80 | (letter & 0x3f));
  }
}

void raw_glyphs(std::u32string_view letters, Glyphs& glyphs) {
  glyphs.clear();
  glyphs.reserve(letters.size());
  std::uint32_t at = 0;
  for (const char32_t letter : letters) {
    glyphs.push_back({letter, at, at + 1});
    ++at;
  }
}

void strip(Glyphs& glyphs) {
  while (!glyphs.empty() && is_space(glyphs.back().letter)) glyphs.pop_back();
  const auto first = std::find_if(glyphs.begin(), glyphs.end(), [](const Glyph& g) { return !is_space(g.letter); });
  glyphs.erase(glyphs.begin(), first);
}

Range raw_range(std::span<const Glyph> piece) noexcept {
  Range range{0, 0};
  bool found = false;
  for (const Glyph& glyph : piece) {
    if (glyph.start == glyph.end) continue;
    range.first = found ? std::min(range.first, glyph.start) : glyph.start;
    range.second = found ? std::max(range.second, glyph.end) : glyph.end;
    found = true;
  }
  if (!found && !piece.empty()) range = {piece.front().start, piece.front().start};
  return range;
}

std::string utf8(std::span<const Glyph> piece, std::u32string_view raw) {
  std::string bytes;
  bytes.reserve(piece.size());
  for (const Glyph& glyph : piece) {
    append_utf8(glyph.letter, bytes);
    if ((glyph.classes & kCluster) == 0) continue;
    for (std::size_t at = glyph.start + std::size_t{1}; at < glyph.end && at < raw.size(); ++at)
      append_utf8(raw[at], bytes);
  }
  return bytes;
}

}  // namespace dragoman::text
