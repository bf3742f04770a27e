#pragma once
// Rewriting: an ordered list of substitutions over glyphs, given as regular expressions of the small kind that the
// Moses scripts are made of: a sequence of characters and character sets, each perhaps repeated, groups without
// nesting, `^` and `$` at the ends, one look-ahead at the end. They are read from their textual form, so that the rules
// themselves stay where they are maintained, and run as plain scans: most rules need a character that the line does not
// have, which two words of bits tell at once.
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/glyphs.hpp"

namespace dragoman::text {

// A set of code points as sorted, disjoint, inclusive ranges.
using CharacterSet = std::vector<std::pair<char32_t, char32_t>>;

// What `\d` and `\s` mean; given by the caller, who knows which version of Unicode is meant.
struct NamedSets {
  CharacterSet digits, spaces;
};

struct Substitution {
  std::string pattern, replacement;
};

// Up to 31 character sets behind one look-up per code point.
class CharacterTable {
 public:
  [[nodiscard]] std::uint32_t add(const CharacterSet& set);  // its bit, the same for equal sets
  void freeze();
  [[nodiscard]] std::uint32_t classes(char32_t c) const noexcept {
    return c > 0x10ffff ? 0 : masks_[static_cast<std::size_t>(pages_[c >> 8]) << 8 | (c & 0xff)];
  }

 private:
  std::map<CharacterSet, std::uint32_t> bits_;
  std::array<std::uint16_t, 0x1100> pages_{};
  std::vector<std::uint32_t> masks_;
};

// One compiled expression.
struct Pattern {
  struct Item {
    char32_t letter = 0;    // used when `set` is zero
    std::uint32_t set = 0;  // bit of a set in the table
    std::uint32_t least = 1, most = 1;
    [[nodiscard]] bool accepts(const Glyph& glyph) const noexcept {
      return set != 0 ? (glyph.classes & set) != 0 : glyph.letter == letter;
    }
  };
  std::vector<Item> items;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> groups;  // items of each group, half-open
  bool at_start = false, at_end = false, looks_ahead = false;   // the last item is the look-ahead
  std::uint32_t needed_sets = 0;                                // no match in a text without these
  std::uint64_t needed_letters = 0;

  // Matches at `at`; `ends[k]` is where item k stopped.
  bool match(std::span<const Glyph> text, std::size_t at, std::vector<std::size_t>& ends) const;
  bool search(std::span<const Glyph> text, std::vector<std::size_t>& ends) const;

 private:
  bool match_from(std::span<const Glyph> text, std::size_t item, std::size_t at, std::vector<std::size_t>& ends) const;
};

// Scratch space of one thread.
struct Workspace {
  Glyphs glyphs, other;
  std::u32string letters;
  std::vector<std::size_t> ends;
  std::vector<bool> used;
};

// Which sets and (hashed) letters occur in a text: a superset while rules run, exact after `classify`.
struct Presence {
  std::uint32_t sets = 0;
  std::uint64_t letters = 0;
  static std::uint64_t letter_bit(char32_t c) noexcept { return std::uint64_t{1} << ((c * 0x9e3779b1u) >> 26); }
  void note(const Glyph& glyph) noexcept {
    sets |= glyph.classes;
    letters |= letter_bit(glyph.letter);
  }
};

class Rewriter {
 public:
  explicit Rewriter(NamedSets named) : named_(std::move(named)) {}

  // Compile; all this happens before `freeze`. Throws SettingError for an expression of a larger kind.
  std::size_t add(const Substitution& rule);  // its index
  Pattern pattern(std::string_view expression);
  std::uint32_t set(const CharacterSet& characters) { return table_.add(characters); }
  void freeze() { table_.freeze(); }

  [[nodiscard]] std::size_t size() const noexcept { return rules_.size(); }
  [[nodiscard]] Presence classify(Glyphs& glyphs) const noexcept;
  [[nodiscard]] Glyph glyph(char32_t letter, std::uint32_t start, std::uint32_t end) const noexcept {
    return {letter, start, end, table_.classes(letter)};
  }
  // Applies rules [first, last) in order to `work.glyphs`, which are classified.
  void apply(std::size_t first, std::size_t last, Presence& presence, Workspace& work) const;

 private:
  struct Part {
    std::size_t group;  // from 1; 0 for a letter
    char32_t letter;
  };
  struct Rule {
    Pattern pattern;
    std::vector<Part> parts;
  };
  [[nodiscard]] static bool spells(const Rule& rule, std::size_t at, std::size_t stop, const Glyphs& glyphs);
  void substitute(const Rule& rule, std::size_t at, Presence& presence, Workspace& work) const;
  std::vector<Part> parse_replacement(std::u32string_view text, std::size_t groups) const;

  NamedSets named_;
  CharacterTable table_;
  std::vector<Rule> rules_;
};

}  // namespace dragoman::text
