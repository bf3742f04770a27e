#pragma once
// The grammar room's binding is in three files: extraction, the table itself, and what is done to tables. Here is what
// the last two share.
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "grammar/table.hpp"

namespace dragoman {

void bind_table(nb::module_& m);
void bind_table_tools(nb::module_& m);

// Ids of all tokens of lines, and where each line ends in them.
struct EncodedLines {
  std::vector<WordId> ids;
  std::vector<std::int64_t> ends;
};

[[nodiscard]] inline EncodedLines encoded(VocabularyView words, const std::vector<std::string_view>& lines) {
  EncodedLines found;
  for (const std::string_view line : lines) {
    for_each_token(line, [&](std::string_view token) { found.ids.push_back(words.id(token)); });
    found.ends.push_back(static_cast<std::int64_t>(found.ids.size()));
  }
  return found;
}

[[nodiscard]] inline std::vector<std::pair<int, int>> link_pairs(std::span<const grammar::Link> links) {
  std::vector<std::pair<int, int>> pairs;
  for (const grammar::Link link : links) pairs.emplace_back(link.source, link.target);
  return pairs;
}

// All spans with rules of a table or a layer above one, as rows of start, end, first rule, last rule.
template <typename Rules>
[[nodiscard]] Out2<std::int64_t> matching_spans(const Rules& self, const In<WordId>& sentence, int max_length) {
  std::vector<std::int64_t> found;
  {
    const nb::gil_scoped_release unlocked;
    self.match(view(sentence), max_length, [&](int start, int end, grammar::RuleRange rules) {
      found.insert(found.end(), {start, end, std::int64_t{rules.first}, std::int64_t{rules.last}});
    });
  }
  const std::size_t rows = found.size() / 4;
  return owned(std::move(found), rows, 4);
}

}  // namespace dragoman
