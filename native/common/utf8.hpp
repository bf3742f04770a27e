#pragma once
// Whether bytes are UTF-8: what a file says is text goes to people and to Python, who cannot do with anything else.
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dragoman {

[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at != end) {
    if (end - at >= 8) {  // most text is ASCII
      std::uint64_t word;
      std::memcpy(&word, at, sizeof word);
      if ((word & 0x8080808080808080ULL) == 0) {
        at += 8;
        continue;
      }
    }
    const unsigned char lead = *at;
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const int length = lead >= 0xc2 && lead < 0xe0   ? 2
                       : lead >= 0xe0 && lead < 0xf0 ? 3
                       : lead >= 0xf0 && lead < 0xf5 ? 4
                                                     : 0;
    if (length == 0 || end - at < length) return false;
    for (int i = 1; i < length; ++i)
      if ((at[i] & 0xc0) != 0x80) return false;
    // Overlong forms, surrogates, and what lies beyond the last code point.
    if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] >= 0xa0) || (lead == 0xf0 && at[1] < 0x90) ||
        (lead == 0xf4 && at[1] >= 0x90))
      return false;
    at += length;
  }
  return true;
}

}  // namespace dragoman
