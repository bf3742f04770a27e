#include "grammar/assemble.hpp"

#include "grammar/score.hpp"

namespace dragoman::grammar {

void assemble(const Merged& merged, const std::vector<std::filesystem::path>& blocks, const TableSchema& schema,
              const std::filesystem::path& path) {
  TableWriter writer(path, schema, merged.targets);
  const std::size_t columns = schema.columns.size();
  std::vector<Link> links;
  for (const auto& file : blocks) {
    const Block block(file, columns);
    std::size_t rule = 0;
    for (std::size_t s = 0; s < block.sources.size(); ++s) {
      writer.begin_source(merged.sources[block.sources[s]], static_cast<float>(block.source_counts[s]));
      for (std::uint32_t left = block.rule_counts[s]; left > 0; --left, ++rule) {
        links.clear();
        for (const WordId code : merged.patterns[block.patterns[rule]]) links.push_back(link_of(code));
        NewRule made;
        made.target = block.targets[rule];
        made.links = links;
        made.joint = block.joint[rule];
        made.values = block.values.subspan(rule * columns, columns);
        if (schema.evidence) {
          const std::uint64_t begin = rule == 0 ? 0 : block.evidence_ends[rule - 1];
          made.evidence = block.evidence.subspan(begin, block.evidence_ends[rule] - begin);
        }
        made.left_hand_side = schema.left_hand_side;
        writer.set_target_count(made.target, static_cast<float>(static_cast<double>(merged.target_counts[made.target]) /
                                                                static_cast<double>(merged.unit)));
        writer.add(made);
      }
    }
  }
  writer.finish();
}

}  // namespace dragoman::grammar
