#pragma once
// From merged counts to the values of rules. A range of sources is scored on its own, into a block file; blocks are
// then assembled into a table, in order.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/binary_file.hpp"
#include "grammar/lexicon.hpp"
#include "grammar/merge.hpp"
#include "grammar/orientation.hpp"
#include "grammar/smoothing.hpp"

namespace dragoman::grammar {

struct ScoringSettings {
  Smoothing smoothing = Smoothing::kNone;
  LexicalWeight lexical = LexicalWeight::kLinks;
  double min_probability = 1e-4;          // rules with a smaller p(target | source) are dropped
  std::uint64_t min_count = 1;            // of sights
  bool only_prefix_lexicalised = false;   // drop other rules, after all were scored
  bool penalty = false;                   // 1 for every rule
  bool count = false;                     // ln count
  bool unique = false;                    // -1 for a rule seen once
  std::vector<std::uint64_t> count_bins;  // upper edges; one indicator per bin, and one for the rest
  int rule_classes = -1;                  // indicators of phrases and of rules with 1 to so many nonterminals
  std::vector<std::string> domains;       // indicator per domain
  OrientationClasses classes = OrientationClasses::kNone;
  bool previous = true, next = true;  // directions
  bool by_source_only = false;        // condition on the source alone
  double orientation_smoothing = 0.5;
};

[[nodiscard]] std::vector<std::string> column_names(const ScoringSettings& settings);

// What smoothing needs to know of all pairs at once.
struct CountStatistics {
  CountOfCounts pairs{};
  std::uint64_t distinct_pairs = 0;
  std::vector<Partners> of_target;             // Kneser-Ney only
  std::vector<PartnerWeights> target_weights;  // and where counts are shared

  void save(const std::filesystem::path& path) const;
};
[[nodiscard]] CountStatistics count_statistics(const Merged& merged, Smoothing smoothing, int threads);

// The same, saved. There is an entry for each target side of the whole corpus, and a reader for each task of scoring,
// so they stay in the file.
class SavedStatistics {
 public:
  explicit SavedStatistics(const std::filesystem::path& path);

  CountOfCounts pairs{};
  std::uint64_t distinct_pairs = 0;
  std::span<const Partners> of_target;
  std::span<const PartnerWeights> target_weights;

 private:
  BinaryFile file_;
};

void score_range(const Merged& merged, const SavedStatistics& statistics, std::uint32_t begin, std::uint32_t end,
                 const ScoringSettings& settings, const SourceFilter* filter, const std::filesystem::path& path);

// A block opened for reading.
class Block {
 public:
  explicit Block(const std::filesystem::path& path, std::size_t columns);

  std::span<const std::uint32_t> sources, rule_counts;  // one per source
  std::span<const double> source_counts;
  std::span<const std::uint32_t> targets, patterns;  // one per rule
  std::span<const float> joint, values;
  std::span<const std::uint64_t> evidence_ends;
  std::span<const std::uint32_t> evidence;

 private:
  BinaryFile file_;
};

}  // namespace dragoman::grammar
