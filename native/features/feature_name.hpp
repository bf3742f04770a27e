#pragma once
// How sparse features are spelt: `template:parts`, words joined by `_`, two sides by `>`, a copy for a domain after
// `@`. Characters that mean something in a name or in a weight file are written as %XX, so that every name can be read
// back; blanks beyond ASCII are too, because a weight file is split at blanks.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace dragoman::features {

namespace detail {
// Bytes of the blank that starts here, in UTF-8: U+0085, U+00A0, U+1680, U+2000-200A, U+2028/9, U+202F, U+205F, U+3000.
[[nodiscard]] inline std::size_t wide_blank(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  if (byte(0) == 0xc2) return byte(1) == 0x85 || byte(1) == 0xa0 ? 2 : 0;
  if (byte(0) == 0xe1) return byte(1) == 0x9a && byte(2) == 0x80 ? 3 : 0;
  if (byte(0) == 0xe3) return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;
  if (byte(0) != 0xe2) return 0;
  if (byte(1) == 0x81) return byte(2) == 0x9f ? 3 : 0;
  if (byte(1) != 0x80) return 0;
  return (byte(2) >= 0x80 && byte(2) <= 0x8a) || byte(2) == 0xa8 || byte(2) == 0xa9 || byte(2) == 0xaf ? 3 : 0;
}
}  // namespace detail

namespace detail {
// Bytes that may not stand in a name as they are: blanks, what has a meaning, and what may begin a blank.
inline constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> special{};
  for (std::size_t byte = 0; byte <= 0x20; ++byte) special[byte] = true;
  for (const char letter : std::string_view("%_>@#=\x7f\xc2\xe1\xe2\xe3"))
    special[static_cast<unsigned char>(letter)] = true;
  return special;
}();
}  // namespace detail

inline void append_token(std::string& name, std::string_view token) {
  const auto special = [](char letter) { return detail::kSpecial[static_cast<unsigned char>(letter)]; };
  if (std::none_of(token.begin(), token.end(), special)) {
    name += token;
    return;
  }
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto coded = [&](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    name += {'%', kHex[byte >> 4], kHex[byte & 15]};
  };
  for (std::size_t at = 0; at < token.size(); ++at) {
    const char letter = token[at];
    const auto byte = static_cast<unsigned char>(letter);
    if (const std::size_t blank = byte >= 0xc2 ? detail::wide_blank(token.substr(at)) : 0; blank != 0) {
      for (std::size_t i = 0; i < blank; ++i) coded(token[at + i]);
      at += blank - 1;
    } else if (byte <= 0x20 || byte == 0x7f || std::string_view("%_>@#=").find(letter) != std::string_view::npos) {
      coded(letter);
    } else {
      name += letter;
    }
  }
}

inline void append_tokens(std::string& name, std::span<const std::string_view> tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i != 0) name += '_';
    append_token(name, tokens[i]);
  }
}

}  // namespace dragoman::features
