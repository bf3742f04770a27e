// The textual form of expressions, and how one is matched.
#include <algorithm>
#include <optional>

#include "common/error.hpp"
#include "text/rewrite.hpp"

namespace dragoman::text {
namespace {

constexpr std::uint32_t kUnlimited = 0xffffffff;
constexpr char32_t kLast = 0x10ffff;

CharacterSet tidy(CharacterSet set) {
  std::sort(set.begin(), set.end());
  CharacterSet merged;
  for (const auto& [from, to] : set) {
    if (!merged.empty() && from <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, to);
    } else {
      merged.emplace_back(from, to);
    }
  }
  return merged;
}

CharacterSet complement(const CharacterSet& set) {
  CharacterSet rest;
  char32_t next = 0;
  for (const auto& [from, to] : set) {
    if (from > next) rest.emplace_back(next, from - 1);
    next = to + 1;
  }
  if (next <= kLast) rest.emplace_back(next, kLast);
  return rest;
}

class Parser {
 public:
  Parser(std::string_view expression, const NamedSets& named, CharacterTable& table)
      : shown_(expression.substr(0, 60)), text_(decode(expression)), named_(named), table_(table) {}

  Pattern parse() {
    Pattern pattern;
    if (peek() == U'^') {
      pattern.at_start = true;
      ++at_;
    }
    std::uint32_t open = kUnlimited;  // the first item of the group that is open, if one is
    while (at_ < text_.size()) {
      const char32_t c = text_[at_];
      const auto index = static_cast<std::uint32_t>(pattern.items.size());
      if (c == U'(' && text_.compare(at_, 3, U"(?=") == 0) {
        at_ += 3;
        pattern.items.push_back(atom());
        pattern.looks_ahead = true;
        if (peek() != U')' || at_ + 1 != text_.size()) refuse("a look-ahead must be one character at the end");
        ++at_;
      } else if (c == U'(') {
        if (open != kUnlimited || text_.compare(at_, 2, U"(?") == 0) refuse("groups must be plain and not nested");
        open = index;
        ++at_;
      } else if (c == U')') {
        if (open >= index) refuse("unbalanced group");
        pattern.groups.emplace_back(open, index);
        open = kUnlimited;
        ++at_;
        if (at_ < text_.size() && std::u32string_view(U"+*?{").find(text_[at_]) != std::u32string_view::npos) {
          refuse("a group cannot be repeated");
        }
      } else if (c == U'$' && at_ + 1 == text_.size()) {
        pattern.at_end = true;
        ++at_;
      } else {
        pattern.items.push_back(repeated(atom()));
      }
    }
    if (open != kUnlimited) refuse("unbalanced group");
    const std::size_t consuming = pattern.items.size() - (pattern.looks_ahead ? 1 : 0);
    const bool consumes =
        std::any_of(pattern.items.begin(), pattern.items.begin() + static_cast<std::ptrdiff_t>(consuming),
                    [](const auto& item) { return item.least > 0; });
    if (!consumes) refuse("it matches the empty text");
    for (const auto& item : pattern.items) {
      if (item.least == 0) continue;
      pattern.needed_sets |= item.set;
      if (item.set == 0) pattern.needed_letters |= Presence::letter_bit(item.letter);
    }
    return pattern;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw SettingError("the expression '" + shown_ + "' is of a kind that cannot be used here: " + why);
  }
  [[nodiscard]] char32_t peek() const noexcept { return at_ < text_.size() ? text_[at_] : U'\0'; }
  char32_t next() {
    if (at_ >= text_.size()) refuse("it ends too early");
    return text_[at_++];
  }

  // After a backslash: a letter, or the set it names.
  std::optional<CharacterSet> escape(char32_t& letter) {
    const char32_t c = next();
    if (c == U's') return named_.spaces;
    if (c == U'd') return named_.digits;
    if (c == U'0') {
      letter = 0;
      for (int i = 0; i < 2 && peek() >= U'0' && peek() <= U'7'; ++i) letter = letter * 8 + (next() - U'0');
      return std::nullopt;
    }
    if (c == U'r' || c == U'n' || c == U't') {
      letter = c == U'r' ? U'\r' : c == U'n' ? U'\n' : U'\t';
      return std::nullopt;
    }
    if (c < 0x80 && ((c >= U'0' && c <= U'9') || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'))) {
      refuse("unknown escape");
    }
    letter = c;
    return std::nullopt;
  }

  Pattern::Item of_set(const CharacterSet& set) {
    Pattern::Item item;
    if (set.size() == 1 && set[0].first == set[0].second) {
      item.letter = set[0].first;
    } else {
      item.set = table_.add(set);
    }
    return item;
  }

  Pattern::Item atom() {
    const char32_t c = next();
    if (c == U'\\') {
      char32_t letter = 0;
      if (const auto named = escape(letter)) return of_set(tidy(*named));
      Pattern::Item item;
      item.letter = letter;
      return item;
    }
    if (c == U'[') return of_set(brackets());
    if (std::u32string_view(U".^$|?*+{}").find(c) != std::u32string_view::npos) refuse("unknown operator");
    Pattern::Item item;
    item.letter = c;
    return item;
  }

  CharacterSet brackets() {
    const bool negated = peek() == U'^';
    if (negated) ++at_;
    CharacterSet set;
    for (bool first = true; first || peek() != U']'; first = false) {
      char32_t from = next();
      if (from == U'\\') {
        if (const auto named = escape(from)) {
          set.insert(set.end(), named->begin(), named->end());
          continue;
        }
      }
      char32_t to = from;
      if (peek() == U'-' && at_ + 1 < text_.size() && text_[at_ + 1] != U']') {
        ++at_;
        to = next();
        if (to == U'\\' && escape(to)) refuse("a range must end in a character");
        if (to < from) refuse("a range runs backwards");
      }
      set.emplace_back(from, to);
    }
    ++at_;
    set = tidy(std::move(set));
    return negated ? complement(set) : set;
  }

  Pattern::Item repeated(Pattern::Item item) {
    const char32_t c = peek();
    if (c == U'+' || c == U'*' || c == U'?') {
      ++at_;
      item.least = c == U'+' ? 1 : 0;
      item.most = c == U'?' ? 1 : kUnlimited;
    } else if (c == U'{') {
      ++at_;
      const char32_t digit = next();
      if (digit < U'1' || digit > U'9' || next() != U',' || next() != U'}') refuse("only {n,} can be counted");
      item.least = digit - U'0';
      item.most = kUnlimited;
    } else {
      return item;
    }
    if (peek() == U'?' || peek() == U'+') refuse("repetition must be greedy");
    return item;
  }

  std::string shown_;
  std::u32string text_;
  const NamedSets& named_;
  CharacterTable& table_;
  std::size_t at_ = 0;
};

}  // namespace

Pattern Rewriter::pattern(std::string_view expression) { return Parser(expression, named_, table_).parse(); }

bool Pattern::match(std::span<const Glyph> text, std::size_t at, std::vector<std::size_t>& ends) const {
  if (at_start && at != 0) return false;
  ends.resize(items.size());
  return match_from(text, 0, at, ends);
}

// Greedy, with backtracking, as regular expressions are; the depth is the number of items.
bool Pattern::match_from(std::span<const Glyph> text, std::size_t index, std::size_t at,
                         std::vector<std::size_t>& ends) const {
  if (index == items.size()) {
    return !at_end || at == text.size() || (at + 1 == text.size() && text[at].letter == U'\n');
  }
  const Item& item = items[index];
  if (looks_ahead && index + 1 == items.size()) {
    ends[index] = at;
    return at < text.size() && item.accepts(text[at]);
  }
  std::size_t stop = at;
  while (stop < text.size() && stop - at < item.most && item.accepts(text[stop])) ++stop;
  for (std::size_t end = stop;; --end) {
    if (end < at + item.least) return false;
    ends[index] = end;
    if (match_from(text, index + 1, end, ends)) return true;
    if (end == at) return false;
  }
}

bool Pattern::search(std::span<const Glyph> text, std::vector<std::size_t>& ends) const {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((items.front().least == 0 || items.front().accepts(text[at])) && match(text, at, ends)) return true;
    if (at_start) return false;
  }
  return false;
}

}  // namespace dragoman::text
