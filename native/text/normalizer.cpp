#include "text/normalizer.hpp"

#include "common/parallel.hpp"
#include "text/shards.hpp"

namespace dragoman::text {

Normalizer::Normalizer(const std::vector<Substitution>& rules, NamedSets named) : rewriter_(std::move(named)) {
  for (const Substitution& rule : rules) rewriter_.add(rule);
  rewriter_.freeze();
}

void Normalizer::normalize(Workspace& work) const {
  Presence presence = rewriter_.classify(work.glyphs);
  rewriter_.apply(0, rewriter_.size(), presence, work);
  strip(work.glyphs);
}

std::vector<std::string> Normalizer::normalize(const std::vector<std::string_view>& lines, int threads) const {
  std::vector<std::string> normal(lines.size());
  parallel_ranges(lines.size(), kLinesPerShard, threads, [&](std::size_t begin, std::size_t end) {
    Workspace work;
    for (std::size_t i = begin; i < end; ++i) {
      decode(lines[i], work.letters);
      raw_glyphs(work.letters, work.glyphs);
      normalize(work);
      normal[i] = utf8(work.glyphs);
    }
  });
  return normal;
}

std::pair<std::string, std::vector<Range>> Normalizer::trace(std::string_view line) const {
  Workspace work;
  raw_glyphs(decode(line), work.glyphs);
  normalize(work);
  std::vector<Range> origins;
  origins.reserve(work.glyphs.size());
  for (const Glyph& glyph : work.glyphs) origins.emplace_back(glyph.start, glyph.end);
  return {utf8(work.glyphs), std::move(origins)};
}

}  // namespace dragoman::text
