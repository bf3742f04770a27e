#pragma once
// Text tables of rules with nonterminals, in three formats:
//   kHiero        `[X] ||| le [X,1] chat ||| the [X,1] cat ||| name=value ... ||| 0-0 2-2`, as Hiero, Joshua and cdec
//   kMoses        `le [X][X] chat [X] ||| the [X][X] cat [X] ||| probabilities ||| 0-0 1-1 2-2 ||| counts`
//   kLeftToRight  `aber X__1 ||| but X__1 ||| log-probabilities`, as left-to-right decoders
// Labels of the syntax of a side are written as Moses has them, `[NP][X]` for those of the source, in its format, and
// by their names in the others. A word that would be read as a nonterminal is escaped. What no decoder could use is
// refused with its line.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/rule_list.hpp"
#include "grammar/stretch_labels.hpp"
#include "grammar/table.hpp"

namespace dragoman::grammar {

enum class RuleFormat : std::uint8_t { kHiero, kMoses, kLeftToRight };

struct RuleTextReport {
  std::uint64_t rules = 0;
  std::uint64_t floored = 0;     // zero probabilities
  std::uint64_t properties = 0;  // lines with properties, which a table does not hold
  std::uint64_t glue = 0;        // rules of the start symbol without words, which decoders make themselves
};

struct RuleTextOptions {
  RuleFormat format = RuleFormat::kHiero;
  bool adjacent = false;                // accept neighbouring nonterminals on the source side
  bool prefix_lexicalised = false;      // refuse target sides that are not words first, then nonterminals
  LabelSide labels = LabelSide::kNone;  // whose syntax nonterminals are labelled by
};

// Names of the values on a line, as far as the format names them: `score.0` and so on where it does not.
[[nodiscard]] std::vector<std::string> value_names(std::string_view line, RuleFormat format, const std::string& where);

class RuleReader {
 public:
  // Values of other names than the columns of `rules` become sparse features.
  RuleReader(RuleList& rules, const RuleTextOptions& options) : rules_(rules), options_(options) {}

  void read(std::string_view line, std::uint64_t number, const std::string& name);
  // Refuses what is only seen at the end: nonterminals that no rule makes, and rules that make each other in a circle.
  void finish(const std::string& name) const;
  [[nodiscard]] const RuleTextReport& report() const noexcept { return report_; }

 private:
  struct Slot {  // a nonterminal as it was read
    std::size_t place;
    std::uint32_t label, number;
    std::string_view text;
  };
  struct Unary {
    std::uint32_t from, to;
    std::uint64_t line;
  };
  void read_side(std::string_view text, bool source, const std::string& where);
  void read_left_hand_side(std::string_view token, const std::string& where);
  void read_hiero_values(std::string_view field, const std::string& where);
  void read_scores(std::string_view field, const std::string& where);
  void read_links(std::string_view field, const std::string& where);
  void pair_nonterminals(const std::string& where);
  [[nodiscard]] std::uint32_t label(std::string_view name, const std::string& where);
  [[nodiscard]] std::uint32_t label(std::string_view source, std::string_view target, std::string_view token,
                                    const std::string& where);
  [[nodiscard]] bool is_glue() const;

  RuleList& rules_;
  RuleTextOptions options_;
  RuleTextReport report_;
  RuleList::Draft rule_;
  std::vector<Slot> source_slots_, target_slots_;
  std::string_view last_of_source_, last_of_target_;      // the left-hand sides of Moses
  std::map<std::uint32_t, std::uint64_t> made_, wanted_;  // labels, and the line that makes or first wants them
  std::vector<Unary> unary_;
};

// Lines for the rules [first, last) with the given columns.
[[nodiscard]] std::string rule_lines(const RuleTable& table, RuleId first, RuleId last,
                                     std::span<const std::size_t> columns, RuleFormat format, LabelSide labels);

}  // namespace dragoman::grammar
