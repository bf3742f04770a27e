// Any bytes at all can be normalised, tokenised and joined again, protected text among them; offsets stay inside the
// line.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "text/detokenizer.hpp"
#include "text/tokenizer.hpp"

namespace {

using namespace dragoman::text;

const NamedSets kNamed{{{U'0', U'9'}}, {{U'\t', U'\r'}, {U' ', U' '}, {0xa0, 0xa0}}};
const CharacterSet kLetters{{U'A', U'Z'}, {U'a', U'z'}, {0xc0, 0x24f}};

Tokenizer tokenizer() {
  TokenizerRules rules;
  rules.clean = {{"\\s+", " "}, {"[\\000-\\037]", ""}};
  rules.separate = {{"([^0-9A-Za-zÀ-ɏ\\s\\.'\\`\\,\\-])", " \\1 "}, {"([a-z])\\-(?=[a-z])", "\\1 @-@ "}};
  rules.punctuate = {{"([^0-9])[,]", "\\1 , "},
                     {"[,]([^0-9])", " , \\1"},
                     {"([0-9])[,]$", "\\1 , "},
                     {"([a-z])[']([a-z])", "\\1 '\\2"}};
  rules.finish = {{"\\.' ?$", " . ' "}};
  rules.escape = {{"&", "&amp;"}, {"\\[", "&#91;"}};
  rules.alpha = kLetters;
  rules.lower = {{U'a', U'z'}};
  rules.marks = {{0x300, 0x36f},   {0x591, 0x5bd},   {0x93c, 0x94d},
                 {0x200c, 0x200d}, {0xfe0f, 0xfe0f}, {0x1f3fb, 0x1f3ff}};
  rules.pictographs = {{0x1f1e6, 0x1f1ff}, {0x1f300, 0x1f3fa}, {0x1f400, 0x1faff}};
  rules.prefixes = {"Mr", "No"};
  rules.numeric_prefixes = {"No"};
  return Tokenizer(rules, kNamed);
}

Detokenizer detokenizer(const char* language) {
  DetokenizerRules rules;
  rules.language = language;
  rules.join = {{" \\@\\-\\@ ", "-"}};
  rules.unescape = {{"&#91;", "["}, {"&amp;", "&"}};
  rules.currency = "^[\\$\\(\\[]+$";
  rules.punctuation = "^[\\,\\.\\?\\!\\:\\;\\%\\]\\)]+$";
  rules.open_quote = "^[\\'\\\"„“`]+$";
  rules.apostrophe_first = "^['][a-z]";
  rules.apostrophe_last = "[a-z][']$";
  rules.alpha_first = "^[a-z]";
  rules.cjk = {{0x2e80, 0xa4cf}};
  return Detokenizer(rules, kNamed);
}

void require(bool fact) {
  if (!fact) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tokenizer cut = tokenizer();
  static const std::vector<Detokenizer> join{detokenizer("en"), detokenizer("cs"), detokenizer("fr")};
  static const Normalizer normalizer({{"``", "\""}, {" +", " "}, {"\"([,.]+)", "\\g<1>\""}, {"…", "..."}}, kNamed);
  Workspace work;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const std::size_t letters = decode(line).size();
  const std::string_view start = line.substr(0, line.empty() ? 0 : 1 + data[0] % 4);
  const Protected kept{"THISISPROTECTED", {std::string(start), "DOT", "x"}};
  for (const Protected* protection : {static_cast<const Protected*>(nullptr), &kept}) {
    for (const Normalizer* first : {static_cast<const Normalizer*>(nullptr), &normalizer}) {
      const Tokenized result = cut.tokenize(line, first, protection, work);
      require(result.tokens.size() == result.ranges.size());
      for (const auto& [from, to] : result.ranges) require(from <= to && to <= letters);
      std::vector<std::string_view> tokens(result.tokens.begin(), result.tokens.end());
      for (const Detokenizer& again : join) {
        const Detokenized text = again.detokenize(tokens, work);
        const std::size_t length = decode(text.text).size();
        for (const auto& [from, to] : text.ranges) require(from <= to && to <= length);
      }
    }
  }
  try {  // as an expression, too
    const Normalizer any({{std::string(line), "x"}}, kNamed);
    (void)any.normalize(std::vector<std::string_view>{line, "aaab. c"}, 1);
  } catch (const dragoman::SettingError&) {
  }
  return 0;
}
