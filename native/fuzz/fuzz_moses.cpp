// Any lines at all must be read as rules of a Moses phrase table or reordering table, or refused.
#include <string_view>

#include "grammar/moses_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::grammar;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  RuleList rules({"a", "b"});
  MosesReport report;
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  for (const std::string_view line : lines) {
    try {
      (void)count_scores(line, "fuzz");
      read_moses_line(line, "fuzz", {true}, rules, report);
    } catch (const dragoman::FormatError&) {
    }
  }
  rules.add_columns({"c", "d"});
  std::vector<std::uint8_t> filled(rules.size(), 0);
  for (const std::string_view line : lines) {
    for (const bool by_source : {false, true}) {
      try {
        read_reordering_line(line, "fuzz", {true}, by_source, 2, 2, rules, filled);
      } catch (const dragoman::FormatError&) {
      }
    }
  }
  return 0;
}
