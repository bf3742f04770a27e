// Any bytes at all must either open as a table all of whose rules can be walked, or be refused.
#include <filesystem>
#include <fstream>

#include "grammar/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::grammar;
  static const auto path = std::filesystem::temp_directory_path() / "dragoman_fuzz_table";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const RuleTable table = RuleTable::open(path);
    std::vector<dragoman::WordId> source;
    std::vector<float> values(table.columns().size());
    std::vector<std::uint32_t> sentences;
    for (RuleId rule = 0; rule < table.rules(); ++rule) {
      const NodeId node = table.node_of(rule);
      table.source(node, source);
      table.values(rule, values);
      table.evidence(rule, sentences);
      (void)table.find(table.find(source) == kNoNode ? node : table.find(source),
                       table.find_target(table.target(rule)));
      (void)table.counts(rule, node);
      (void)table.links(rule).size();
      (void)table.sparse(rule).size();
    }
    const std::vector<dragoman::WordId> sentence{1, 2, 3, 1, 2, 3, 4};
    table.match(sentence, 7, [](int, int, RuleRange) {});
    table.match_gappy(sentence, 7, [](std::span<const int>, RuleRange) {});
  } catch (const dragoman::FormatError&) {
  }
  return 0;
}
