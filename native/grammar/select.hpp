#pragma once
// Choosing rules of a table: by what a text can use, by rank within a source, by association with the bitext (Johnson
// et al. 2007) or by what smaller rules already say (Ling et al. 2012; Zens, Stanton and Xu 2012).
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "grammar/table.hpp"
#include "grammar/table_writer.hpp"

namespace dragoman::grammar {

// Sentences laid end to end; `ends[i]` is where sentence i stops.
struct Sentences {
  std::span<const WordId> words;
  std::span<const std::int64_t> ends;
  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::span<const WordId> operator[](std::size_t i) const noexcept {
    const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
    return words.subspan(begin, static_cast<std::size_t>(ends[i]) - begin);
  }
};

// Marks the rules whose source occurs in the text, gaps and nonterminals included.
void mark_matching(const RuleTable& table, const Sentences& text, int max_gap_span, std::span<std::uint8_t> keep);

// Marks the `k` best rules of each source by a column; equal values go by target order.
void mark_best(const RuleTable& table, std::size_t column, std::size_t k, std::span<std::uint8_t> keep);

// In how many sentences the source of each node, each target, and both sides of each rule occur. Counts of parts of a
// bitext are added up.
struct SentenceCounts {
  std::vector<std::uint32_t> of_source, of_target, joint;
};
[[nodiscard]] SentenceCounts count_sentences(const RuleTable& table, const Sentences& source, const Sentences& target,
                                             int threads);

// Minus the natural log of Fisher's exact p-value of each rule: that source and target share so many sentences by
// chance. Rules with gaps or nonterminals are not tested and get infinity.
[[nodiscard]] std::vector<double> significance(const RuleTable& table, const SentenceCounts& counts,
                                               std::uint64_t sentences, int threads);
[[nodiscard]] double minus_log_fisher(std::uint64_t joint, std::uint64_t source, std::uint64_t target,
                                      std::uint64_t sentences);

// p(source, target) * (ln p(target | source) - ln of the best composition from smaller rules), where `column` holds ln
// p(target | source); infinity for what cannot be composed, and for rules with gaps or nonterminals.
[[nodiscard]] std::vector<double> relative_entropy(const RuleTable& table, std::size_t column, int threads);

// Columns behind those that a table has: one value of each for every rule, rule by rule.
struct AddedColumns {
  std::vector<std::string> names;
  std::span<const float> values;
};

// Writes the rules marked by `keep` as a table of their own, values unchanged, with further columns if there are any.
void write_selected(const RuleTable& table, std::span<const std::uint8_t> keep, const std::string& metadata,
                    bool compact, int threads, const std::filesystem::path& path, const AddedColumns& added = {});

}  // namespace dragoman::grammar
