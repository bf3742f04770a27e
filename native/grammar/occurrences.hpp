#pragma once
// Where the rules of a table occur in the bitext that taught them, and features of that: each is asked about all
// occurrences in a sentence pair, with its words, its links, its line, its domains, and the heads and tags of its
// source in view. What is summed up over the occurrences of a rule becomes a column of the table. (Cer, Galley,
// Jurafsky and Manning 2010.)
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/aligned_pair.hpp"
#include "grammar/extract_phrases.hpp"
#include "grammar/run.hpp"
#include "grammar/table.hpp"

namespace dragoman::grammar {

struct Occurrence {
  std::uint32_t sentence;  // in its batch
  RuleId rule;
  PhraseSpans spans;
  // Words of the spans that are not its own: bit k is the k-th word.
  std::uint64_t source_gaps = 0, target_gaps = 0;

  [[nodiscard]] bool has_source(int at) const noexcept { return owns(source_gaps, at - spans.source_begin); }
  [[nodiscard]] bool has_target(int at) const noexcept { return owns(target_gaps, at - spans.target_begin); }

 private:
  [[nodiscard]] static bool owns(std::uint64_t gaps, int place) noexcept {
    return gaps == 0 || (gaps >> place & 1) == 0;
  }
};

// What is known of a sentence pair besides its words and links.
struct PairMarks {
  std::vector<std::int32_t> heads;   // of the source words, negative for the root; empty if they are not known
  std::vector<std::string> tags;     // of the source words; empty if they are not known
  std::vector<std::string> domains;  // all that it belongs to
};

// What a feature may look at besides the occurrences.
struct OccurrenceContext {
  const AlignedPair& pair;
  std::uint64_t line;  // of the bitext, from 0
  const PairMarks& marks;
};

class OccurrenceFeature {
 public:
  virtual ~OccurrenceFeature() = default;
  [[nodiscard]] virtual std::vector<std::string> columns() const = 0;
  // Values of the occurrences in one sentence pair, one row of columns for each; NaN where it has nothing to say.
  virtual void values(const OccurrenceContext& context, std::span<const Occurrence> occurrences,
                      std::span<double> out) const = 0;
};

// Those that are built in, by name; throws SettingError for others.
[[nodiscard]] std::unique_ptr<const OccurrenceFeature> occurrence_feature(std::string_view name);
[[nodiscard]] std::vector<std::string> occurrence_feature_names();

// Some sentence pairs of a bitext, in the words of a table, and the occurrences of its phrases in them, in order.
class OccurrenceBatch {
 public:
  OccurrenceBatch(const RuleTable& table, std::uint64_t first_line, std::span<const std::string_view> sources,
                  std::span<const std::string_view> targets, std::span<const std::string_view> links, int longest,
                  const ExtractionSettings& settings, int threads);

  [[nodiscard]] std::span<const Occurrence> occurrences() const noexcept { return occurrences_; }
  [[nodiscard]] std::size_t pairs() const noexcept { return bitext_.size(); }
  // A row for each occurrence. `marks` has an item per sentence pair.
  [[nodiscard]] std::vector<double> values(const OccurrenceFeature& feature, std::span<const PairMarks> marks,
                                           int threads) const;

 private:
  Bitext bitext_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::size_t> begins_;  // per sentence pair, and the end of the last
};

}  // namespace dragoman::grammar
