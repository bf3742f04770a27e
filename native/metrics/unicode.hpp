#pragma once
// Code points and the classes that tokenizers ask about. White space is what Python's `str.split` takes for it, since
// metric definitions are written in those terms.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::metrics::unicode {

enum Class : std::uint8_t { kPunctuation = 1, kNumber = 2, kSymbol = 4, kSpace = 8 };

// The classes of every code point below 0x110000, as sums of the above.
[[nodiscard]] const std::uint8_t* class_table() noexcept;

[[nodiscard]] inline bool is_space(char32_t code) noexcept {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r') || (code >= 0x1c && code <= 0x1f);
  return code < 0x3001 && code >= 0x85 && (class_table()[code] & kSpace) != 0;
}

// The code point at `at`, which moves past it. The text comes from Python and is valid UTF-8; should it not be, bytes
// are taken one by one and nothing outside the text is read.
[[nodiscard]] inline char32_t next(std::string_view text, std::size_t& at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 1;
  if (length == 1 || at + length > text.size()) return static_cast<char32_t>(byte(at++));
  char32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) code = (code << 6) | (byte(at + i) & 0x3fu);
  at += length;
  return code < 0x110000 ? code : 0xfffd;
}

// Calls use(code point, its bytes) for each character.
template <typename Use>
void for_each_character(std::string_view text, Use&& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t code = next(text, at);
    use(code, text.substr(start, at - start));
  }
}

// Calls use(token) for each piece between white space.
template <typename Use>
void for_each_word(std::string_view text, Use&& use) {
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (is_space(next(text, at))) {
      if (here > start) use(text.substr(start, here - start));
      start = at;
    }
  }
  if (text.size() > start) use(text.substr(start));
}

[[nodiscard]] std::string_view strip_right(std::string_view text) noexcept;
[[nodiscard]] std::string_view strip(std::string_view text) noexcept;

}  // namespace dragoman::metrics::unicode
