#include <string>
#include <vector>

#include "common/error.hpp"
#include "tests/check.hpp"
#include "text/detokenizer.hpp"
#include "text/selection.hpp"
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

TEST("feature decay picks in portions as it does at once, and for any number of threads") {
  std::vector<std::string> text;
  for (unsigned i = 0, state = 1; i < 3000; ++i) {
    std::string line;
    for (unsigned length = i % 9; length > 0; --length) {
      state = state * 1664525u + 1013904223u;
      line += std::string(1, char('a' + (state >> 24) % 7)) + (length % 3 ? " " : " \t ");
    }
    text.push_back(line);
  }
  const std::vector<std::string_view> lines(text.begin(), text.end());
  const std::vector<std::string_view> domain(lines.begin(), lines.begin() + 20);
  FeatureDecay whole(domain, {3, 1.0, 1.0}), parts(domain, {3, 1.0, 1.0});
  whole.add(lines, 1);
  parts.add({lines.begin(), lines.begin() + 1500}, 3);
  parts.add({lines.begin() + 1500, lines.end()}, 2);
  std::vector<std::int64_t> first, second;
  std::vector<double> first_scores, second_scores;
  whole.take(5000, first, first_scores);
  while (second.size() < lines.size()) parts.take(7, second, second_scores);
  CHECK(first.size() == lines.size());
  CHECK(first == second);
  CHECK(first_scores == second_scores);
  CHECK(whole.coverage()[0].picked == 7);
  CHECK_THROWS(InputError, whole.add(lines, 1));
  CHECK_THROWS(SettingError, FeatureDecay(domain, {0, 1.0, 1.0}));
}

TEST("feature decay of nothing") {
  FeatureDecay nothing({}, {5, 1.0, 1.0});
  nothing.add({"a b", ""}, 1);
  std::vector<std::int64_t> lines;
  std::vector<double> scores;
  nothing.take(5, lines, scores);
  CHECK((lines == std::vector<std::int64_t>{0, 1}));
  CHECK((scores == std::vector<double>{0.0, 0.0}));
}
