#pragma once
// Where the rules of a table occur in the bitext that taught them, and features of that: each is asked about all
// occurrences in a sentence pair, with its words, its links, its line and the heads of its source in view. What is
// summed up over the occurrences of a rule becomes a column of the table. (Cer, Galley, Jurafsky and Manning 2010.)
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/aligned_pair.hpp"
#include "grammar/extract_phrases.hpp"
#include "grammar/table.hpp"

namespace dragoman::grammar {

struct Occurrence {
  std::uint32_t sentence;  // in its batch
  RuleId rule;
  PhraseSpans spans;
};

// What a feature may look at besides the occurrences.
struct OccurrenceContext {
  const AlignedPair& pair;
  std::uint64_t line;                   // of the bitext, from 0
  std::span<const std::int32_t> heads;  // of the source words, negative for the root; empty if they are not known
};

class OccurrenceFeature {
 public:
  virtual ~OccurrenceFeature() = default;
  [[nodiscard]] virtual std::vector<std::string> columns() const = 0;
  // Values of the occurrences in one sentence pair, one row of columns for each.
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
                  const PhraseLimits& limits, int threads);

  [[nodiscard]] std::span<const Occurrence> occurrences() const noexcept { return occurrences_; }
  // A row for each occurrence. `heads` has an item per sentence pair, or none.
  [[nodiscard]] std::vector<double> values(const OccurrenceFeature& feature,
                                           std::span<const std::vector<std::int32_t>> heads, int threads) const;

 private:
  Bitext bitext_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::size_t> begins_;  // per sentence pair, and the end of the last
};

}  // namespace dragoman::grammar
