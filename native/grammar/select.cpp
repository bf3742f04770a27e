#include "grammar/select.hpp"

#include <algorithm>

namespace dragoman::grammar {

void mark_matching(const RuleTable& table, const Sentences& text, int max_gap_span, std::span<std::uint8_t> keep) {
  const auto mark = [&](RuleRange rules) {
    if (keep[rules.first] == 0) std::fill(keep.begin() + rules.first, keep.begin() + rules.last, std::uint8_t{1});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    table.match(text[i], 0, [&](int, int, RuleRange rules) { mark(rules); });
    if (max_gap_span > 0)
      table.match_gappy(text[i], max_gap_span, [&](std::span<const int>, RuleRange rules) { mark(rules); });
  }
}

void mark_best(const RuleTable& table, std::size_t column, std::size_t k, std::span<std::uint8_t> keep) {
  std::vector<std::pair<float, RuleId>> ranked;
  for (NodeId node = 0; node < table.nodes(); ++node) {
    const RuleRange rules = table.rules_of(node);
    ranked.clear();
    for (RuleId rule = rules.first; rule < rules.last; ++rule) ranked.emplace_back(-table.value(rule, column), rule);
    const std::size_t kept = std::min(k, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end());
    for (std::size_t i = 0; i < kept; ++i) keep[ranked[i].second] = 1;
  }
}

void write_selected(const RuleTable& table, std::span<const std::uint8_t> keep, const std::string& metadata,
                    bool compact, int threads, const std::filesystem::path& path) {
  const TableTargets targets(table);
  TableSchema schema{table.columns(),      metadata,       table.source_words(),
                     table.target_words(), table.labels(), table.features(),
                     table.has_evidence(), compact,        threads};
  TableWriter writer(path, std::move(schema), targets);
  std::vector<WordId> source;
  std::vector<float> values(table.columns().size());
  std::vector<std::uint32_t> evidence;
  for (NodeId node = 0; node < table.nodes(); ++node) {
    const RuleRange rules = table.rules_of(node);
    bool begun = false;
    for (RuleId rule = rules.first; rule < rules.last; ++rule) {
      if (keep[rule] == 0) continue;
      if (!begun) {
        table.source(node, source);
        writer.begin_source(source, table.source_count(node));
        begun = true;
      }
      table.values(rule, values);
      if (table.has_evidence()) table.evidence(rule, evidence);
      const std::uint32_t target = table.target_id(rule);
      if (target >= table.targets()) throw FormatError("damaged: a rule without a target", path.string());
      writer.set_target_count(target, table.target_count(target));
      writer.add({target, table.links(rule), table.joint_count(rule), values, table.left_hand_side(rule),
                  table.sparse(rule), evidence});
    }
  }
  writer.finish();
}

}  // namespace dragoman::grammar
