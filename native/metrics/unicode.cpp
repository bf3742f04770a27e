#include "metrics/unicode.hpp"

#include <vector>

#include "metrics/unicode_classes.hpp"

namespace dragoman::metrics::unicode {
namespace {

constexpr std::size_t kCodePoints = 0x110000;

std::vector<std::uint8_t> make_table() {
  std::vector<std::uint8_t> table(kCodePoints, 0);
  const auto mark = [&table](const auto& ranges, Class which) {
    for (const Range& range : ranges) {
      for (std::uint32_t code = range.first; code <= range.last; ++code) table[code] |= which;
    }
  };
  mark(kPunctuationRanges, kPunctuation);
  mark(kNumberRanges, kNumber);
  mark(kSymbolRanges, kSymbol);
  constexpr std::array<Range, 10> spaces{{{0x09, 0x0d},
                                          {0x1c, 0x20},
                                          {0x85, 0x85},
                                          {0xa0, 0xa0},
                                          {0x1680, 0x1680},
                                          {0x2000, 0x200a},
                                          {0x2028, 0x2029},
                                          {0x202f, 0x202f},
                                          {0x205f, 0x205f},
                                          {0x3000, 0x3000}}};
  for (const Range& range : spaces) {
    for (std::uint32_t code = range.first; code <= range.last; ++code) table[code] |= kSpace;
  }
  return table;
}

}  // namespace

const std::uint8_t* class_table() noexcept {
  static const std::vector<std::uint8_t> table = make_table();
  return table.data();
}

std::string_view strip_right(std::string_view text) noexcept {
  if (text.empty() ||
      (static_cast<unsigned char>(text.back()) < 0x80 && !is_space(static_cast<char32_t>(text.back())))) {
    return text;  // nearly always
  }
  std::size_t end = 0;
  for_each_character(text, [&](char32_t code, std::string_view bytes) {
    if (!is_space(code)) end = static_cast<std::size_t>(bytes.data() + bytes.size() - text.data());
  });
  return text.substr(0, end);
}

std::string_view strip(std::string_view text) noexcept {
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size() && is_space(next(text, at));) start = at;
  return strip_right(text.substr(start));
}

}  // namespace dragoman::metrics::unicode
