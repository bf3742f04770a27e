#include "search/chart_extender.hpp"

#include "common/error.hpp"

namespace dragoman::search {

// Rules are checked when they are first used, not when a table is opened: there may be very many.
std::uint32_t ChartExtender::add_row(const grammar::LayeredView& table, grammar::RuleId rule) {
  const std::span<const WordId> target = table.target(rule);
  const std::size_t slots = target.size() - grammar::words_of(target);
  if (table.is_added(rule))
    source_ = table.added_rule(rule).source;
  else
    table.base().source(table.base().node_of(rule), source_);
  std::vector<bool> seen;
  bool paired = true;
  for (const WordId symbol : source_) {
    if (!grammar::is_nonterminal(symbol)) continue;
    paired &= grammar::index_of(symbol) == seen.size() && grammar::label_of(symbol) != grammar::kGapLabel;
    seen.push_back(false);
  }
  paired &= seen.size() == slots;
  for (const WordId symbol : target) {
    if (!grammar::is_nonterminal(symbol)) continue;
    const std::uint32_t index = grammar::index_of(symbol);
    paired &= index < seen.size() && !seen[index];
    if (paired) seen[index] = true;
  }
  if (!paired)
    throw InputError("a rule whose nonterminals are not those of its source side, numbered from left to right",
                     "rule " + std::to_string(rule) + " of the table", "write the table again");
  if (!with_reordering || seen.empty()) return kNoRow;
  rows_.push_back(features::reordering_of(source_, target));
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

}  // namespace dragoman::search
