#pragma once
// Moses text tables. A phrase table has lines `source ||| target ||| scores ||| alignment ||| counts ||| sparse |||
// properties`, of which three fields are required; a reordering table has `source ||| target ||| probabilities`. Scores
// are probabilities; a table holds their natural logarithms, floored at -100. Gaps are written `X`; a word that would
// be read as a separator or a gap is escaped.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/rule_list.hpp"
#include "grammar/table.hpp"
#include "grammar/text_fields.hpp"

namespace dragoman::grammar {

struct MosesOptions {
  bool gaps = false;  // read and write `X` as a gap
  // By target word: its second factor, written `word|factor`; empty for words alone.
  std::span<const std::string> factors = {};
};

struct MosesReport {
  std::uint64_t rules = 0;
  std::uint64_t floored = 0;     // zero probabilities
  std::uint64_t properties = 0;  // lines with properties, which a table does not hold
};

// How many scores a line has; throws FormatError if it is not a line of a phrase table.
[[nodiscard]] std::size_t count_scores(std::string_view line, const std::string& where);

void read_moses_line(std::string_view line, const std::string& where, const MosesOptions& options, RuleList& rules,
                     MosesReport& report);

// One line of a reordering table for `rules`, whose columns from `first_column` on it fills; `by_source` for `-f`
// models.
void read_reordering_line(std::string_view line, const std::string& where, const MosesOptions& options, bool by_source,
                          std::size_t first_column, std::size_t probabilities, RuleList& rules,
                          std::vector<std::uint8_t>& filled);

// Lines for the rules [first, last) with the given columns, and a further one whose values are given, if any are.
[[nodiscard]] std::string moses_lines(const RuleTable& table, RuleId first, RuleId last,
                                      std::span<const std::size_t> columns, std::span<const float> further,
                                      const MosesOptions& options);
[[nodiscard]] std::string reordering_lines(const RuleTable& table, RuleId first, RuleId last,
                                           std::span<const std::size_t> columns, bool by_source,
                                           const MosesOptions& options);

}  // namespace dragoman::grammar
