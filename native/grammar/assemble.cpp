#include "grammar/assemble.hpp"

#include <algorithm>

#include "grammar/score.hpp"

namespace dragoman::grammar {
namespace {

struct LabelledRule {
  std::uint32_t target;
  WordId label;
  std::size_t rule;  // in its block
  friend auto operator<=>(const LabelledRule&, const LabelledRule&) = default;
};

}  // namespace

void assemble(const Merged& merged, const std::vector<std::filesystem::path>& blocks, const TableSchema& schema,
              const std::filesystem::path& path) {
  TableWriter writer(path, schema, merged.targets);
  const std::size_t columns = schema.columns.size();
  std::vector<Link> links;
  std::vector<LabelledRule> rules;  // of one source, whatever they derive
  for (const auto& file : blocks) {
    const Block block(file, columns);
    std::size_t next = 0;
    for (std::size_t s = 0; s < block.sources.size();) {
      const Phrase source = right_hand_side(merged.sources[block.sources[s]]);
      double count = 0;
      rules.clear();
      for (; s < block.sources.size(); ++s) {
        const Phrase counted = merged.sources[block.sources[s]];
        if (!std::ranges::equal(right_hand_side(counted), source)) break;
        count += block.source_counts[s];
        const WordId label = has_left_hand_side(counted) ? label_of(counted.back()) : schema.left_hand_side;
        for (std::uint32_t left = block.rule_counts[s]; left > 0; --left, ++next)
          rules.push_back({block.targets[next], label, next});
      }
      std::sort(rules.begin(), rules.end());
      writer.begin_source(source, static_cast<float>(count));
      for (const auto& [target, label, rule] : rules) {
        links.clear();
        for (const WordId code : merged.patterns[block.patterns[rule]]) links.push_back(link_of(code));
        NewRule made;
        made.target = target;
        made.links = links;
        made.joint = block.joint[rule];
        made.values = block.values.subspan(rule * columns, columns);
        if (schema.evidence) {
          const std::uint64_t begin = rule == 0 ? 0 : block.evidence_ends[rule - 1];
          made.evidence = block.evidence.subspan(begin, block.evidence_ends[rule] - begin);
        }
        made.left_hand_side = label;
        writer.set_target_count(made.target, static_cast<float>(static_cast<double>(merged.target_counts[made.target]) /
                                                                static_cast<double>(merged.unit)));
        writer.add(made);
      }
    }
  }
  writer.finish();
}

}  // namespace dragoman::grammar
