#include <string>
#include <vector>

#include "common/error.hpp"
#include "tests/check.hpp"
#include "text/detokenizer.hpp"
#include "text/tokenizer.hpp"

using namespace dragoman;
using namespace dragoman::text;

namespace {

const NamedSets kNamed{{{U'0', U'9'}}, {{U'\t', U'\r'}, {U' ', U' '}}};

std::string rewritten(const std::vector<Substitution>& rules, std::string_view line) {
  return Normalizer(rules, kNamed).normalize(std::vector<std::string_view>{line}, 1)[0];
}

}  // namespace

TEST("expressions match as regular expressions do") {
  CHECK(rewritten({{"a+", "x"}}, "baaac aa") == "bxc x");
  CHECK(rewritten({{"([^ ])b", "\\1 b"}}, "abbb") == "a bb b");  // matches do not overlap
  CHECK(rewritten({{"(\\.+)\"(\\s*[^<])", "\"\\g<1>\\g<2>"}}, "a..\" ") == "a\"..");
  CHECK(rewritten({{"(\\.+)\"(\\s*[^<])", "\"\\g<1>\\g<2>"}}, "a.\" <") == "a\". <");  // by giving a space back
  CHECK(rewritten({{"([a-c])-(?=[a-c])", "\\1="}}, "a-b-c-d") == "a=b=c-d");
  CHECK(rewritten({{"x ?$", "!"}}, "x x") == "x !");
  CHECK(rewritten({{"^x", "!"}}, "xx") == "!x");
  CHECK(rewritten({{" {2,}", "_"}}, "a b  c   d") == "a b_c_d");
  CHECK(rewritten({{"[\\000-\\037]", ""}},
                  "a\x01\x1f"
                  "b") == "ab");
  CHECK(rewritten({{"[]x]", "y"}}, "a]x") == "ayy");
  CHECK(rewritten({{"(\\d) %", "\\1%"}}, "5 % x %") == "5% x %");
}

TEST("expressions of a larger kind are refused") {
  for (const char* pattern : {"a|b", "(a(b))", "(a", "a)", "a**", "a+?", "x*", "", ".", "(?:a)", "[a", "\\w", "(a)+",
                              "a{2}", "(?=ab)", "[b-a]", "\\"}) {
    CHECK_THROWS(SettingError, rewritten({{pattern, ""}}, "x"));
  }
  for (const char* replacement : {"\\2", "\\g<2>", "\\", "\\n", "\\g<1"}) {
    CHECK_THROWS(SettingError, rewritten({{"(a)", replacement}}, "x"));
  }
}

TEST("more sets than a table holds are refused") {
  std::vector<Substitution> rules;
  for (char c = 'a'; c < 'a' + 26; ++c) {
    rules.push_back({std::string("[") + c + "0]", ""});
    rules.push_back({std::string("[") + c + "1]", ""});
  }
  CHECK_THROWS(SettingError, rewritten(rules, "x"));
}

TEST("malformed UTF-8 becomes replacement characters, one a byte") {
  CHECK(decode("a\xff\xc3") == U"a\xfffd\xfffd");
  CHECK(decode("\xed\xa0\x80") == U"\xfffd\xfffd\xfffd");            // a surrogate
  CHECK(decode("\xc0\x80\xf5\x80") == U"\xfffd\xfffd\xfffd\xfffd");  // overlong, too large
  CHECK(decode("\xe2\x82") == U"\xfffd\xfffd");                      // cut short
  std::string back;
  for (const char32_t c : decode("aé中😀")) append_utf8(c, back);
  CHECK(back == "aé中😀");
}

TEST("origins follow their characters") {
  const Normalizer normalizer({{"“", "\""}, {"…", "..."}, {"(\\d) %", "\\1%"}, {"\"([.]+)", "\\1\""}}, kNamed);
  const auto [line, origins] = normalizer.trace("5 % “…");
  CHECK(line == "5% ...\"");
  const std::vector<Range> expected{{0, 1}, {2, 3}, {3, 4}, {5, 6}, {5, 6}, {5, 6}, {4, 5}};
  CHECK(origins == expected);
}
