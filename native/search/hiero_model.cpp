#include "search/hiero_model.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::search {

// A rule whose source is one nonterminal and nothing else turns one label into another over the same words; a chart
// fills labels of a span in an order in which such rules look back only.
void HieroModel::read_labels() {
  const grammar::RuleTable& rules = table->base();
  const std::size_t count = std::max<std::size_t>(1, rules.labels().size());
  default_label = rules.labels().id("X");
  const auto label_of_rule = [&](grammar::RuleId rule) {
    const WordId label = rules.left_hand_side(rule);
    if (label >= count) throw InputError("a rule with a left-hand side that has no name");
    return label == 0 ? default_label : label;
  };
  std::vector<std::vector<std::uint32_t>> becomes(count);
  std::vector<std::uint32_t> waits_for(count, 0);
  for (grammar::NodeId node = rules.first_child(grammar::kRoot); node < rules.first_child(grammar::kRoot + 1); ++node) {
    const WordId symbol = rules.symbol(node);
    if (!grammar::is_nonterminal(symbol)) continue;
    const std::uint32_t from = grammar::label_of(symbol);
    if (from >= count) throw InputError("a nonterminal that has no name");
    const grammar::RuleRange range = rules.rules_of(node);
    for (grammar::RuleId rule = range.first; rule < range.last; ++rule) {
      const std::uint32_t to = label_of_rule(rule);
      if (std::find(becomes[from].begin(), becomes[from].end(), to) != becomes[from].end()) continue;
      becomes[from].push_back(to);
      ++waits_for[to];
    }
  }
  label_ranks.assign(count, 0);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t label = 0; label < count; ++label)
    if (waits_for[label] == 0) ready.push_back(label);
  std::uint32_t rank = 0;
  for (std::size_t next = 0; next < ready.size(); ++next) {
    label_ranks[ready[next]] = rank++;
    for (const std::uint32_t to : becomes[ready[next]])
      if (--waits_for[to] == 0) ready.push_back(to);
  }
  if (ready.size() == count) return;
  std::string names;
  for (std::uint32_t label = 0; label < count; ++label)
    if (waits_for[label] != 0) names += (names.empty() ? "" : ", ") + std::string(rules.labels().word(label));
  throw InputError("rules that turn a nonterminal into itself: " + names, "",
                   "leave out rules whose source is one nonterminal, or break the circle");
}

}  // namespace dragoman::search
