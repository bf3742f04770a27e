// Any lines at all must be read as rules with nonterminals, in each format, or refused.
#include <string_view>

#include "grammar/rule_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::grammar;
  for (const RuleFormat format : {RuleFormat::kHiero, RuleFormat::kMoses, RuleFormat::kLeftToRight}) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    RuleList rules({"a", "b"});
    RuleReader reader(rules, {format, size % 2 == 0, false, static_cast<LabelSide>(size / 2 % 4)});
    for (std::uint64_t number = 1; !text.empty(); ++number) {
      const std::size_t end = text.find('\n');
      try {
        (void)value_names(text.substr(0, end), format, "fuzz");
        reader.read(text.substr(0, end), number, "fuzz");
      } catch (const dragoman::FormatError&) {
      }
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    try {
      reader.finish("fuzz");
    } catch (const dragoman::FormatError&) {
    }
  }
  return 0;
}
