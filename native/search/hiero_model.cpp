#include "search/hiero_model.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::search {

void NonterminalLabels::read(VocabularyView labels, grammar::LabelSide side, WordId usual) {
  side_ = side;
  const std::size_t count = std::max<std::size_t>(1, labels.size());
  cells_.assign(count, usual);
  is_free_.assign(count, true);
  free_.assign(count, {});
  named_.clear();
  std::unordered_map<std::string_view, WordId> further;  // cells that no rule names alone
  for (WordId label = 0; label < labels.size(); ++label) {
    const std::string_view name = labels.word(label);
    const std::size_t joint = side == grammar::LabelSide::kBoth ? name.find(grammar::kLabelJoint) : name.npos;
    std::string_view covered = side == grammar::LabelSide::kSource ? name : std::string_view{};
    if (side != grammar::LabelSide::kSource) cells_[label] = label;
    if (joint != name.npos) {
      covered = name.substr(0, joint);
      const std::string_view filled = name.substr(joint + 1);
      const auto known = labels.find(filled);
      if (!known && !further.contains(filled)) {
        further.emplace(filled, static_cast<WordId>(free_.size()));
        free_.emplace_back();
      }
      cells_[label] = known ? *known : further[filled];
    }
    is_free_[label] = covered.empty() || covered == labels.word(usual) || label == kUnknown;
    if (is_free_[label])
      free_[cells_[label]].push_back(label);
    else
      named_[covered].push_back(label);
  }
}

// A rule whose source is one nonterminal and nothing else turns one label into another over the same words; a chart
// fills labels of a span in an order in which such rules look back only.
void HieroModel::read_labels(grammar::LabelSide side) {
  const grammar::RuleTable& rules = table->base();
  const std::size_t count = std::max<std::size_t>(1, rules.labels().size());
  default_label = rules.labels().id("X");
  labels.read(rules.labels(), side, default_label);
  const auto label_of_rule = [&](grammar::RuleId rule) {
    const WordId label = rules.left_hand_side(rule);
    if (label >= count) throw InputError("a rule with a left-hand side that has no name");
    return label == 0 ? default_label : labels.cell(label);
  };
  const std::size_t cells = labels.cells();
  std::vector<std::vector<std::uint32_t>> becomes(cells);
  std::vector<std::uint32_t> waits_for(cells, 0);
  for (grammar::NodeId node = rules.first_child(grammar::kRoot); node < rules.first_child(grammar::kRoot + 1); ++node) {
    const WordId symbol = rules.symbol(node);
    if (!grammar::is_nonterminal(symbol)) continue;
    if (grammar::label_of(symbol) >= count) throw InputError("a nonterminal that has no name");
    const std::uint32_t from = labels.cell(grammar::label_of(symbol));
    const grammar::RuleRange range = rules.rules_of(node);
    for (grammar::RuleId rule = range.first; rule < range.last; ++rule) {
      const std::uint32_t to = label_of_rule(rule);
      if (std::find(becomes[from].begin(), becomes[from].end(), to) != becomes[from].end()) continue;
      becomes[from].push_back(to);
      ++waits_for[to];
    }
  }
  label_ranks.assign(cells, 0);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t label = 0; label < cells; ++label)
    if (waits_for[label] == 0) ready.push_back(label);
  std::uint32_t rank = 0;
  for (std::size_t next = 0; next < ready.size(); ++next) {
    label_ranks[ready[next]] = rank++;
    for (const std::uint32_t to : becomes[ready[next]])
      if (--waits_for[to] == 0) ready.push_back(to);
  }
  if (ready.size() == cells) return;
  std::string names;
  for (std::uint32_t label = 0; label < cells; ++label)
    if (waits_for[label] != 0)
      names += (names.empty() ? "" : ", ") + std::string(label < count ? rules.labels().word(label) : "?");
  throw InputError("rules that turn a nonterminal into itself: " + names, "",
                   "leave out rules whose source is one nonterminal, or break the circle");
}

}  // namespace dragoman::search
