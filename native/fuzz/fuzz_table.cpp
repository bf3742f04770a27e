// Any bytes at all must either open as a table all of whose rules can be walked, chosen from, joined and saved again,
// or be refused.
#include "fuzz/input_file.hpp"
#include "grammar/join.hpp"
#include "grammar/layered.hpp"
#include "grammar/select.hpp"
#include "grammar/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::grammar;
  const auto path = dragoman::input_file("fuzz_table", data, size);
  try {
    const auto opened = std::make_shared<const RuleTable>(RuleTable::open(path));
    const RuleTable& table = *opened;
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
    if (table.rules() > 1000) return 0;
    const auto out = dragoman::scratch_path("fuzz_table_out");
    LayeredTable layered(opened);
    RuleList::Draft draft;
    draft.source = {layered.intern_source("new")};
    draft.target = {layered.intern_target("neu")};
    draft.values.assign(values.size(), -1.0f);
    layered.add(draft);
    layered.write(out, "", 1);
    write_selected(table, std::vector<std::uint8_t>(table.rules(), 1), "", false, 1, out);
    join_tables({opened, opened}, {}, out);
    JoinSettings linear;
    linear.mode = JoinMode::kLinear;
    linear.weights.assign(2 * values.size(), 0.5);
    join_tables({opened, opened}, linear, out);
    if (!values.empty()) (void)relative_entropy(table, 0, 1);
  } catch (const dragoman::Error&) {
  }
  return 0;
}
