#pragma once
// Pieces of text tables: fields between bars, numbers, links, and words that would be read as something else.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/rule_list.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {

inline constexpr double kLogFloor = -100;  // stands for the logarithm of zero
inline constexpr std::string_view kBar = "|||", kEscapedBar = "&#124;&#124;&#124;";

[[nodiscard]] std::vector<std::string_view> fields_of(std::string_view line);
[[nodiscard]] std::string replaced(std::string_view text, std::string_view from, std::string_view to);
[[nodiscard]] double number(std::string_view token, const std::string& where, const char* what);
[[nodiscard]] float float_number(std::string_view token, const std::string& where, const char* what);
// The logarithm of a probability; counts those that are too small.
[[nodiscard]] float log_of(std::string_view token, const std::string& where, std::uint64_t& floored);
[[nodiscard]] Link link_from(std::string_view token, const RuleList::Draft& rule, const std::string& where);
// Target, source and joint count of a rule.
void read_counts(std::string_view field, RuleList::Draft& rule, const std::string& where);

void append_number(float value, std::string& out);  // the shortest that gives it back
// The shortest text of six or more digits that gives back exactly this log-probability when read.
void append_probability(float logprob, std::string& out);

}  // namespace dragoman::grammar
