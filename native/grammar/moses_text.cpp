#include "grammar/moses_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dragoman::grammar {
namespace {

constexpr std::string_view kOneBar = "|", kEscapedOne = "&#124;", kGap = "X", kEscapedGap = "&#88;";

// The fields of a line of a phrase table. Tables of 2009 have the alignment, by source and by target, before the
// scores.
struct PhraseFields {
  PhraseFields(std::string_view line, const std::string& where) : all(fields_of(line)) {
    if (all.size() < 3)
      throw FormatError(std::to_string(all.size()) + " fields where at least 3 are needed", where,
                        "a line is `source ||| target ||| scores`");
    old = all.size() >= 5 && all[2].starts_with('(');
  }
  [[nodiscard]] std::string_view scores() const { return all[old ? 4 : 2]; }

  std::vector<std::string_view> all;
  bool old = false;
};

void read_side(std::string_view text, const MosesOptions& options, Vocabulary& words, std::vector<WordId>& symbols) {
  symbols.clear();
  std::uint32_t gaps = 0;
  for_each_token(text, [&](std::string_view token) {
    if (options.gaps && token == kGap)
      symbols.push_back(nonterminal(kGapLabel, gaps++));
    else if (options.gaps && token == kEscapedGap)
      symbols.push_back(words.intern(kGap));
    else if (token.find(kEscapedBar) != std::string_view::npos)
      symbols.push_back(words.intern(replaced(token, kEscapedBar, kBar)));
    else
      symbols.push_back(words.intern(token));
  });
}

// Tables of 2009 wrote, for each source word, the target words it is linked to: `(0) (1,2) ()`.
void read_old_alignment(std::string_view text, RuleList::Draft& rule, const std::string& where) {
  unsigned source = 0;
  for_each_token(text, [&](std::string_view token) {
    if (token.size() < 2 || token.front() != '(' || token.back() != ')')
      throw FormatError("'" + std::string(token.substr(0, 40)) + "' is no list of links", where);
    std::string_view inside = token.substr(1, token.size() - 2);
    while (!inside.empty()) {
      const std::size_t comma = inside.find(',');
      const std::string link = std::to_string(source).append("-").append(inside.substr(0, comma));
      if (inside.substr(0, comma) != "-1") rule.links.push_back(link_from(link, rule, where));
      inside.remove_prefix(comma == std::string_view::npos ? inside.size() : comma + 1);
    }
    ++source;
  });
}

void append_symbols(Phrase symbols, VocabularyView words, VocabularyView labels, const MosesOptions& options,
                    std::string& out, std::span<const std::string> factors = {}) {
  // where words have factors, a single bar is a separator as well
  const auto [bar, escaped] = options.factors.empty() ? std::pair{kBar, kEscapedBar} : std::pair{kOneBar, kEscapedOne};
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (i != 0) out += ' ';
    const WordId symbol = symbols[i];
    if (is_nonterminal(symbol)) {
      const std::uint32_t label = label_of(symbol);
      if (label == kGapLabel) {
        out += kGap;
      } else {
        const std::string_view name = label < labels.size() ? labels.word(label) : "?";
        out.append("[").append(name).append(",").append(std::to_string(index_of(symbol) + 1)).append("]");
      }
      continue;
    }
    const std::string_view word = symbol < words.size() ? words.word(symbol) : "<unk>";
    if (options.gaps && word == kGap)
      out += kEscapedGap;
    else if (word.find(bar) != std::string_view::npos)
      out += replaced(word, bar, escaped);
    else
      out += word;
    if (!factors.empty()) out.append("|").append(symbol < factors.size() ? factors[symbol] : "UNK");
  }
}

// A line for every rule, or with `by_source` for the first rule of every source: phrases, probabilities of the columns,
// and what `rest(rule, node, out)` adds.
template <typename Rest>
std::string lines_of(const RuleTable& table, RuleId first, RuleId last, std::span<const std::size_t> columns,
                     bool by_source, const MosesOptions& options, const Rest& rest) {
  std::string out;
  std::vector<WordId> source;
  NodeId node = kNoNode;
  for (RuleId rule = first; rule < last; ++rule) {
    if (node == kNoNode || rule >= table.rules_of(node).last) {
      node = table.node_of(rule);
      table.source(node, source);
    }
    if (by_source && rule != table.rules_of(node).first) continue;
    append_symbols(source, table.source_words(), table.labels(), options, out);
    if (!by_source) {
      out += " ||| ";
      append_symbols(table.target(rule), table.target_words(), table.labels(), options, out, options.factors);
    }
    out += " |||";
    for (const std::size_t column : columns) {
      out += ' ';
      append_probability(table.value(rule, column), out);
    }
    rest(rule, node, out);
    out += '\n';
  }
  return out;
}

}  // namespace

std::size_t count_scores(std::string_view line, const std::string& where) {
  std::size_t scores = 0;
  for_each_token(PhraseFields(line, where).scores(), [&](std::string_view) { ++scores; });
  return scores;
}

void read_moses_line(std::string_view line, const std::string& where, const MosesOptions& options, RuleList& rules,
                     MosesReport& report) {
  const PhraseFields parted(line, where);
  const auto& fields = parted.all;
  RuleList::Draft rule;
  read_side(fields[0], options, rules.source_words, rule.source);
  read_side(fields[1], options, rules.target_words, rule.target);
  if (rule.source.empty() || rule.target.empty())
    throw FormatError(rule.source.empty() ? "an empty source" : "an empty target", where);
  for_each_token(parted.scores(),
                 [&](std::string_view token) { rule.values.push_back(log_of(token, where, report.floored)); });
  if (rule.values.size() != rules.columns().size())
    throw FormatError(std::to_string(rule.values.size()) + " scores where the first line has " +
                          std::to_string(rules.columns().size()),
                      where);
  try {
    if (parted.old) {
      read_old_alignment(fields[2], rule, where);
    } else {
      if (fields.size() > 3)
        for_each_token(fields[3], [&](std::string_view token) { rule.links.push_back(link_from(token, rule, where)); });
      if (fields.size() > 4) read_counts(fields[4], rule, where);
      if (fields.size() > 5) {
        std::string_view name;
        for_each_token(fields[5], [&](std::string_view token) {
          if (name.empty()) {
            name = token;
          } else {
            rule.sparse.push_back({rules.features.intern(name), float_number(token, where, "value")});
            name = {};
          }
        });
        if (!name.empty()) throw FormatError("sparse feature '" + std::string(name) + "' has no value", where);
      }
      if (fields.size() > 6 && !fields[6].empty()) ++report.properties;
    }
    rules.add(rule);
  } catch (const InputError& error) {
    throw FormatError(error.problem(), where, error.remedy());
  }
  ++report.rules;
}

void read_reordering_line(std::string_view line, const std::string& where, const MosesOptions& options, bool by_source,
                          std::size_t first_column, std::size_t probabilities, RuleList& rules,
                          std::vector<std::uint8_t>& filled) {
  const auto fields = fields_of(line);
  const std::size_t needed = by_source ? 2 : 3;
  if (fields.size() != needed)
    throw FormatError(
        std::to_string(fields.size()) + " fields where " + std::to_string(needed) + " are needed", where,
        by_source ? "a line is `source ||| probabilities`" : "a line is `source ||| target ||| probabilities`");
  std::uint64_t ignored = 0;
  std::vector<float> values;
  for_each_token(fields.back(), [&](std::string_view token) { values.push_back(log_of(token, where, ignored)); });
  if (values.size() != probabilities)
    throw FormatError(
        std::to_string(values.size()) + " probabilities where the model has " + std::to_string(probabilities), where,
        "name the model of the file, such as msd-bidirectional-fe");
  std::vector<WordId> source, target;
  read_side(fields[0], options, rules.source_words, source);
  if (!by_source) read_side(fields[1], options, rules.target_words, target);
  const Phrase phrase(target);
  rules.set_columns(source, by_source ? nullptr : &phrase, first_column, values, filled);
}

std::string moses_lines(const RuleTable& table, RuleId first, RuleId last, std::span<const std::size_t> columns,
                        std::span<const float> further, const MosesOptions& options) {
  return lines_of(table, first, last, columns, false, options, [&](RuleId rule, NodeId node, std::string& out) {
    if (!further.empty()) {
      out += ' ';
      append_probability(further[rule - first], out);
    }
    out += " |||";
    for (const Link link : table.links(rule))
      out.append(" ").append(std::to_string(link.source)).append("-").append(std::to_string(link.target));
    out += " |||";
    const RuleCounts counts = table.counts(rule, node);
    for (const float count : {counts.target, counts.source, counts.joint}) {
      out += ' ';
      append_number(count, out);
    }
    out += " |||";
    for (const SparseValue value : table.sparse(rule)) {
      out.append(" ").append(value.feature < table.features().size() ? table.features().word(value.feature) : "?");
      out += ' ';
      append_number(value.value, out);
    }
    out += " |||";
  });
}

std::string reordering_lines(const RuleTable& table, RuleId first, RuleId last, std::span<const std::size_t> columns,
                             bool by_source, const MosesOptions& options) {
  return lines_of(table, first, last, columns, by_source, options, [](RuleId, NodeId, std::string&) {});
}

}  // namespace dragoman::grammar
