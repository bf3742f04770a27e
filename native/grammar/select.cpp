#include "grammar/select.hpp"

#include <algorithm>
#include <numeric>

namespace dragoman::grammar {
namespace {

// Nodes of the trie whose source covers words of a sentence; a nonterminal stands for one word or more, without a
// bound. Where a source ends decides what may follow it: after a word, the places of that word; after a nonterminal,
// every place after the first.
class PatternWalk {
 public:
  PatternWalk(const RuleTable& table, std::span<const WordId> sentence) : table_(table), sentence_(sentence) {}

  template <typename Use>
  void all(Use&& use) {
    std::vector<std::uint32_t> everywhere(sentence_.size() + 1);
    std::iota(everywhere.begin(), everywhere.end(), 0u);
    from(kRoot, everywhere, use);
  }

 private:
  template <typename Use>
  void from(NodeId node, const std::vector<std::uint32_t>& ends, Use&& use) {
    if (node != kRoot)
      if (const RuleRange rules = table_.rules_of(node); !rules.empty()) use(rules);
    // Places of each next word, gathered by word.
    std::vector<std::pair<WordId, std::uint32_t>> next;
    for (const std::uint32_t end : ends)
      if (end < sentence_.size() && sentence_[end] != kUnknown) next.emplace_back(sentence_[end], end + 1);
    std::sort(next.begin(), next.end());
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < next.size();) {
      const WordId word = next[i].first;
      places.clear();
      for (; i < next.size() && next[i].first == word; ++i) places.push_back(next[i].second);
      if (const NodeId child = table_.child(node, word); child != kNoNode) from(child, places, use);
    }
    if (ends.front() >= sentence_.size()) return;
    places.resize(sentence_.size() - ends.front());
    std::iota(places.begin(), places.end(), ends.front() + 1);
    for (NodeId child = table_.first_child(node + 1); child-- > table_.first_child(node);) {
      if (!is_nonterminal(table_.symbol(child))) break;  // nonterminals come last
      from(child, places, use);
    }
  }

  const RuleTable& table_;
  std::span<const WordId> sentence_;
};

}  // namespace

void mark_matching(const RuleTable& table, const Sentences& text, int max_gap_span, std::span<std::uint8_t> keep) {
  const auto mark = [&](RuleRange rules) {
    if (keep[rules.first] == 0) std::fill(keep.begin() + rules.first, keep.begin() + rules.last, std::uint8_t{1});
  };
  const bool patterns = table.labels().size() > 1;  // besides that of gaps
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (patterns) {
      PatternWalk(table, text[i]).all(mark);
      continue;
    }
    table.match(text[i], 0, [&](int, int, RuleRange rules) { mark(rules); });
    if (max_gap_span > 0)
      table.match_gappy(text[i], max_gap_span, [&](std::span<const int>, RuleRange rules) { mark(rules); });
  }
}

void mark_best(const RuleTable& table, std::size_t column, std::size_t k, std::span<std::uint8_t> keep) {
  std::vector<std::pair<float, RuleId>> ranked;
  for (NodeId node = 0; node < table.nodes(); ++node) {
    const RuleRange rules = table.rules_of(node);
    ranked.clear();
    for (RuleId rule = rules.first; rule < rules.last; ++rule) ranked.emplace_back(-table.value(rule, column), rule);
    const std::size_t kept = std::min(k, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end());
    for (std::size_t i = 0; i < kept; ++i) keep[ranked[i].second] = 1;
  }
}

void write_selected(const RuleTable& table, std::span<const std::uint8_t> keep, const std::string& metadata,
                    bool compact, int threads, const std::filesystem::path& path, const AddedColumns& added) {
  const TableTargets targets(table);
  std::vector<std::string> columns = table.columns();
  const std::size_t own = columns.size();
  columns.insert(columns.end(), added.names.begin(), added.names.end());
  TableSchema schema{columns,        metadata,         table.source_words(), table.target_words(),
                     table.labels(), table.features(), table.has_evidence(), compact,
                     threads};
  TableWriter writer(path, std::move(schema), targets);
  std::vector<WordId> source;
  std::vector<float> values(columns.size());
  std::vector<std::uint32_t> evidence;
  for (NodeId node = 0; node < table.nodes(); ++node) {
    const RuleRange rules = table.rules_of(node);
    bool begun = false;
    for (RuleId rule = rules.first; rule < rules.last; ++rule) {
      if (keep[rule] == 0) continue;
      if (!begun) {
        table.source(node, source);
        writer.begin_source(source, table.source_count(node));
        begun = true;
      }
      table.values(rule, std::span(values).first(own));
      std::ranges::copy(added.values.subspan(rule * added.names.size(), added.names.size()),
                        values.begin() + static_cast<std::ptrdiff_t>(own));
      if (table.has_evidence()) table.evidence(rule, evidence);
      const std::uint32_t target = table.target_id(rule);
      if (target >= table.targets()) throw FormatError("damaged: a rule without a target", path.string());
      writer.set_target_count(target, table.target_count(target));
      writer.add({target, table.links(rule), table.joint_count(rule), values, table.left_hand_side(rule),
                  table.sparse(rule), evidence});
    }
  }
  writer.finish();
}

}  // namespace dragoman::grammar
