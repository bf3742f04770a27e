#pragma once
// A run: the rules of one slice of the bitext, counted and sorted, as a file. Everything in it is an integer, so that
// runs of any slicing merge into the same totals: where several rules share one count, weights are whole multiples of a
// small unit. Extraction writes as many runs as its memory bound demands.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/binary_file.hpp"
#include "grammar/bitext.hpp"
#include "grammar/extract_hiero.hpp"
#include "grammar/extract_phrases.hpp"
#include "grammar/gappy.hpp"
#include "grammar/orientation.hpp"
#include "grammar/phrase_set.hpp"
#include "grammar/source_filter.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {

struct ExtractionSettings {
  PhraseLimits limits;
  OrientationModel orientation = OrientationModel::kNone;
  bool containment = false;  // as an orientation of its own
  bool gappy = false;
  GappyLimits gappy_limits;
  bool hierarchical = false;  // rules with nonterminals; the limits of phrases then say nothing
  HieroLimits hiero_limits;
  bool domains = false;   // keep which domains a rule was seen in
  bool evidence = false;  // keep which sentences a rule was seen in
  std::uint64_t instances_per_run = 4'000'000;
};

// A count of one where counts are shared: all of 1 to 20 divide it, so that shares of the usual sizes are exact.
inline constexpr std::uint64_t kSharedUnit = 232'792'560;
[[nodiscard]] constexpr std::uint64_t share_of(std::uint64_t unit, std::uint16_t shares) noexcept {
  return (unit + shares / 2) / shares;
}

struct ExtractedRuns {
  std::vector<std::filesystem::path> paths;
  std::uint64_t cut_words = 0;  // of trees: words with more rules than may be taken, see GhkmExtractor
};

// Extracts all rules of `bitext` and writes them as PREFIX.0, PREFIX.1, ... With `filter`, only rules whose source is
// in it are kept, while target phrases are still counted wherever they occur, so that the kept rules get the same
// scores as without it.
ExtractedRuns extract_runs(const Bitext& bitext, const ExtractionSettings& settings, const SourceFilter* filter,
                           const std::filesystem::path& prefix);

// What a text can use of the rules that are extracted.
[[nodiscard]] std::unique_ptr<const SourceFilter> filter_for(std::span<const WordId> words,
                                                             std::span<const std::int64_t> ends,
                                                             const ExtractionSettings& settings);

// A link pattern is stored as symbols: source position * 256 + target position, ascending.
[[nodiscard]] inline WordId coded(Link link) noexcept { return WordId{link.source} << 8 | link.target; }
[[nodiscard]] inline Link link_of(WordId code) noexcept {
  return {static_cast<std::uint8_t>(code >> 8), static_cast<std::uint8_t>(code)};
}
// The order that breaks ties between equally frequent patterns: that of their text, `0-0 1-1`.
[[nodiscard]] std::string link_text(Phrase pattern);

// A run opened for reading. Pairs are sorted by source, then target; source ids go in breadth-first order of the
// phrases, target ids in lexicographic order.
class Run {
 public:
  static constexpr BinaryFormat kFormat{"RRUN", 3};
  static constexpr std::size_t kSections = 19;

  static Run open(const std::filesystem::path& path);

  FlatPhrases sources, targets, patterns;
  std::uint64_t unit;                            // of weights
  std::span<const std::uint64_t> target_counts;  // weights of all instances, also those that a filter kept out
  std::span<const std::uint32_t> pair_source, pair_target, pair_count;
  std::span<const std::uint64_t> pair_weight;  // empty where each instance weighs one: then it is the count
  std::span<const std::uint64_t> pattern_ends;
  struct PatternCount {
    std::uint32_t pattern, count;
  };
  std::span<const PatternCount> pattern_counts;
  struct Orientations {
    std::uint32_t previous[kOrientations], next[kOrientations];
  };
  std::span<const Orientations> orientations;  // empty if not counted
  std::span<const std::uint32_t> domains;      // empty if not kept
  std::span<const std::uint64_t> evidence_ends;
  std::span<const std::uint32_t> evidence;  // sentence numbers, ascending for each pair; empty if not kept
  struct LexicalCount {
    WordId source, target;
    std::uint64_t count;
  };
  std::span<const LexicalCount> lexical;  // sorted by source, then target

 private:
  explicit Run(const std::filesystem::path& path);
  std::shared_ptr<const BinaryFile> file_;
};

}  // namespace dragoman::grammar
