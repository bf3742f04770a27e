#include "grammar/run.hpp"

namespace dragoman::grammar {

std::string link_text(Phrase pattern) {
  std::string text;
  for (const WordId code : pattern) {
    const Link link = link_of(code);
    if (!text.empty()) text += ' ';
    text += std::to_string(link.source) + '-' + std::to_string(link.target);
  }
  return text;
}

Run::Run(const std::filesystem::path& path) : file_(std::make_shared<const BinaryFile>(path, kFormat, kSections)) {}

Run Run::open(const std::filesystem::path& path) {
  Run run(path);
  const BinaryFile& file = *run.file_;
  run.sources = FlatPhrases::read(file, 0);
  run.targets = FlatPhrases::read(file, 2);
  run.target_counts = file.section<std::uint64_t>(4);
  run.patterns = FlatPhrases::read(file, 5);
  run.pair_source = file.section<std::uint32_t>(7);
  run.pair_target = file.section<std::uint32_t>(8);
  run.pair_count = file.section<std::uint32_t>(9);
  run.pattern_ends = file.section<std::uint64_t>(10);
  run.pattern_counts = file.section<PatternCount>(11);
  run.orientations = file.section<Orientations>(12);
  run.domains = file.section<std::uint32_t>(13);
  run.evidence_ends = file.section<std::uint64_t>(14);
  run.evidence = file.section<std::uint32_t>(15);
  run.lexical = file.section<LexicalCount>(16);
  const auto unit = file.section<std::uint64_t>(17);
  file.require(unit.size() == 1 && unit[0] != 0, "unit of weights");
  run.unit = unit[0];
  run.pair_weight = file.section<std::uint64_t>(18);
  const std::size_t pairs = run.pair_source.size();
  file.require(run.target_counts.size() == run.targets.size() && run.pair_target.size() == pairs &&
                   run.pair_count.size() == pairs && run.pattern_ends.size() == pairs,
               "pair counts differ");
  const auto optional = [&](std::size_t size) { file.require(size == 0 || size == pairs, "pair counts differ"); };
  optional(run.pair_weight.size());
  optional(run.orientations.size());
  optional(run.domains.size());
  optional(run.evidence_ends.size());
  return run;
}

}  // namespace dragoman::grammar
