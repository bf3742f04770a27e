#include "grammar/rule_list.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "grammar/bitext.hpp"
#include "grammar/run.hpp"
#include "grammar/table_writer.hpp"

namespace dragoman::grammar {
namespace {

// Phrases with every word and label renumbered to byte order, and the place of each in the given order.
struct Ordered {
  PhraseSet phrases;
  std::vector<std::uint32_t> place, order;  // of each id; ids in order

  Ordered(const PhraseSet& from, std::span<const WordId> words, std::span<const WordId> labels, PhraseOrder by) {
    std::vector<WordId> symbols;
    for (std::uint32_t id = 0; id < from.size(); ++id) {
      symbols.clear();
      for (const WordId symbol : from[id])
        symbols.push_back(is_nonterminal(symbol) ? nonterminal(labels[label_of(symbol)], index_of(symbol))
                                                 : words[symbol]);
      phrases.intern(symbols);
    }
    order = phrases.sorted(by);
    place.resize(order.size());
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) place[order[rank]] = rank;
  }
};

}  // namespace

void RuleList::add(const Draft& rule) {
  if (rule.source.empty() || rule.target.empty()) throw InputError("a rule with an empty side");
  if (rule.source.size() > kLongestRule || rule.target.size() > kLongestRule)
    throw InputError("a rule of more than " + std::to_string(kLongestRule) + " symbols a side");
  if (rule.values.size() != columns_.size())
    throw InputError(std::to_string(rule.values.size()) + " values where the table has " +
                     std::to_string(columns_.size()) + " columns");
  for (const float value : rule.values)
    if (!std::isfinite(value)) throw InputError("a value that is not a finite number");
  for (const Link link : rule.links)
    if (link.source >= rule.source.size() || link.target >= rule.target.size())
      throw InputError("link " + std::to_string(link.source) + "-" + std::to_string(link.target) +
                       " points outside the rule");
  std::vector<Link> links = rule.links;
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  std::vector<WordId> pattern;
  for (const Link link : links) pattern.push_back(coded(link));
  const auto count = [](std::vector<float>& counts, std::uint32_t id, float value) {
    if (id == counts.size()) counts.push_back(0);
    counts[id] = std::max(counts[id], value);
  };
  Entry entry{};
  entry.source = sources_.intern(rule.source);
  count(source_counts_, entry.source, rule.source_count);
  entry.target = targets_.intern(rule.target);
  count(target_counts_, entry.target, rule.target_count);
  entry.pattern = patterns_.intern(pattern);
  entry.joint = rule.joint_count;
  entry.left_hand_side = rule.left_hand_side;
  entry.sparse_begin = static_cast<std::uint32_t>(sparse_.size());
  entry.sparse_count = static_cast<std::uint32_t>(rule.sparse.size());
  entry.line = line_;
  sparse_.insert(sparse_.end(), rule.sparse.begin(), rule.sparse.end());
  values_.insert(values_.end(), rule.values.begin(), rule.values.end());
  rules_.push_back(entry);
}

void RuleList::write(const std::filesystem::path& path, const std::string& metadata, bool compact, int threads,
                     const std::string& name) const {
  const Renumbering source_order = in_byte_order(source_words.view()),
                    target_order = in_byte_order(target_words.view()), label_order = in_byte_order(labels.view());
  const Ordered sources(sources_, source_order.ids, label_order.ids, PhraseOrder::kBreadthFirst);
  const Ordered targets(targets_, target_order.ids, label_order.ids, PhraseOrder::kLexicographic);
  PhraseColumns target_list;
  for (const std::uint32_t id : targets.order) target_list.add(targets.phrases[id]);
  const FlatPhrases sorted_targets(target_list.ends, target_list.symbols);

  std::vector<std::uint32_t> order(rules_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t rule) {
    return std::uint64_t{sources.place[rules_[rule].source]} << 32 | targets.place[rules_[rule].target];
  };
  const auto label = [&](std::uint32_t rule) {
    const WordId left = rules_[rule].left_hand_side;
    return left == 0 ? 0 : label_order.ids[left];
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(key(a), label(a), a) < std::tuple(key(b), label(b), b);
  });
  TableWriter writer(path,
                     {columns_, metadata, source_order.words.view(), target_order.words.view(),
                      label_order.words.view(), features.view(), false, compact, threads},
                     sorted_targets);
  std::vector<Link> links;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Entry& entry = rules_[order[i]];
    if (i != 0 && key(order[i]) == key(order[i - 1]) && label(order[i]) == label(order[i - 1])) {
      const std::uint64_t first = rules_[order[i - 1]].line;
      throw InputError(
          "the same pair as " + (first == 0 ? std::string("an earlier rule") : "line " + std::to_string(first)),
          entry.line == 0 ? name : at_line(name, entry.line), "keep one of the two");
    }
    if (i == 0 || rules_[order[i - 1]].source != entry.source)
      writer.begin_source(sources.phrases[entry.source], source_counts_[entry.source]);
    links.clear();
    for (const WordId code : patterns_[entry.pattern]) links.push_back(link_of(code));
    const std::uint32_t target = targets.place[entry.target];
    writer.set_target_count(target, target_counts_[entry.target]);
    writer.add({target,
                links,
                entry.joint,
                std::span(values_).subspan(std::size_t{order[i]} * columns_.size(), columns_.size()),
                label(order[i]),
                std::span(sparse_).subspan(entry.sparse_begin, entry.sparse_count),
                {}});
  }
  writer.finish();
}

void RuleList::add_columns(const std::vector<std::string>& names) {
  const std::size_t before = columns_.size(), after = before + names.size();
  std::vector<float> wider(rules_.size() * after, 0.0f);
  for (std::size_t rule = 0; rule < rules_.size(); ++rule)
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(rule * before), before,
                wider.begin() + static_cast<std::ptrdiff_t>(rule * after));
  values_ = std::move(wider);
  columns_.insert(columns_.end(), names.begin(), names.end());
  index();
}

void RuleList::index() {
  by_pair_.resize(rules_.size());
  std::iota(by_pair_.begin(), by_pair_.end(), 0u);
  std::sort(by_pair_.begin(), by_pair_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(rules_[a].source, rules_[a].target) < std::pair(rules_[b].source, rules_[b].target);
  });
}

void RuleList::set_columns(Phrase source, const Phrase* target, std::size_t first_column, std::span<const float> values,
                           std::vector<std::uint8_t>& filled) {
  if (!sources_.contains(source) || (target != nullptr && !targets_.contains(*target))) return;
  const std::uint32_t from = sources_.intern(source);
  const std::uint32_t low = target == nullptr ? 0 : targets_.intern(*target);
  auto at = std::lower_bound(
      by_pair_.begin(), by_pair_.end(), std::pair(from, low),
      [&](std::uint32_t rule, auto pair) { return std::pair(rules_[rule].source, rules_[rule].target) < pair; });
  for (; at != by_pair_.end() && rules_[*at].source == from && (target == nullptr || rules_[*at].target == low); ++at) {
    std::copy(values.begin(), values.end(),
              values_.begin() + static_cast<std::ptrdiff_t>(*at * columns_.size() + first_column));
    filled[*at] = 1;
  }
}

}  // namespace dragoman::grammar
