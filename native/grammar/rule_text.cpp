#include "grammar/rule_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

#include "grammar/extract_hiero.hpp"
#include "grammar/text_fields.hpp"

namespace dragoman::grammar {
namespace {

constexpr std::string_view kNumbered = "X__", kUsual = "X";

std::string between(const char* left, std::string_view text, const char* right) {
  return std::string(left).append(text).append(right);
}

bool digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether a token is read as a nonterminal. What has an ampersand is never one, so that escaping always helps.
bool like_nonterminal(std::string_view token, RuleFormat format) {
  if (token.find('&') != std::string_view::npos) return false;
  if (format == RuleFormat::kLeftToRight) return token.starts_with(kNumbered) && digits(token.substr(kNumbered.size()));
  return token.size() >= 2 && token.front() == '[' && token.back() == ']';
}

// One level of escapes off. A word that looks like an escaped nonterminal has one level more.
std::string unescaped(std::string_view token, RuleFormat format) {
  if (token.find("&amp;") != std::string_view::npos) return replaced(token, "&amp;", "&");
  if (format == RuleFormat::kLeftToRight) return replaced(token, "&#88;", "X");
  return replaced(replaced(token, "&#91;", "["), "&#93;", "]");
}

bool hides_nonterminal(std::string_view token, RuleFormat format) {
  std::string inner(token);
  for (std::string next = unescaped(inner, format); next != inner; next = unescaped(inner, format)) inner = next;
  return like_nonterminal(inner, format);
}

std::string word_of(std::string_view token, RuleFormat format) {
  std::string word = replaced(token, kEscapedBar, kBar);
  if (word.find('&') != std::string::npos && hides_nonterminal(word, format)) return unescaped(word, format);
  return word;
}

void append_word(std::string_view word, RuleFormat format, std::string& out) {
  std::string text(word);
  if (hides_nonterminal(word, format)) {
    if (word.find('&') != std::string_view::npos)
      text = replaced(word, "&", "&amp;");
    else if (format == RuleFormat::kLeftToRight)
      text = between("&#88;", word.substr(1), "");
    else
      text = replaced(replaced(word, "[", "&#91;"), "]", "&#93;");
  }
  out += replaced(text, kBar, kEscapedBar);
}

std::uint32_t number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

std::string quoted(std::string_view token) { return between("'", token.substr(0, 60), "'"); }

const char* line_form(RuleFormat format) {
  switch (format) {
    case RuleFormat::kHiero:
      return "a line is `[X] ||| source ||| target ||| name=value ... ||| links`";
    case RuleFormat::kMoses:
      return "a line is `source [X] ||| target [X] ||| probabilities ||| links ||| counts`";
    case RuleFormat::kLeftToRight:
      break;
  }
  return "a line is `source ||| target ||| scores`";
}

std::vector<std::string_view> checked_fields(std::string_view line, RuleFormat format, const std::string& where) {
  auto fields = fields_of(line);
  if (fields.size() < 3)
    throw FormatError(std::to_string(fields.size()) + " fields where at least 3 are needed", where, line_form(format));
  return fields;
}

std::string_view values_field(const std::vector<std::string_view>& fields, RuleFormat format) {
  const std::size_t place = format == RuleFormat::kHiero ? 3 : 2;
  return place < fields.size() ? fields[place] : std::string_view{};
}

void append_links(std::span<const Link> links, std::string& out) {
  for (const Link link : links)
    out.append(" ").append(std::to_string(link.source)).append("-").append(std::to_string(link.target));
}

// How the labels and the words of a table are written.
class Speller {
 public:
  Speller(const RuleTable& table, RuleFormat format, LabelSide side) : table_(table), format_(format), side_(side) {}

  [[nodiscard]] std::string label(std::uint32_t id) const {
    return std::string(id == 0 || id >= table_.labels().size() ? kUsual : table_.labels().word(id));
  }
  // Of the source and of the target side, as Moses tells them apart.
  [[nodiscard]] std::pair<std::string, std::string> labels(std::uint32_t id) const {
    const std::string name = label(id);
    const std::size_t joint = side_ == LabelSide::kBoth ? name.find(kLabelJoint) : std::string::npos;
    if (joint != std::string::npos) return {name.substr(0, joint), name.substr(joint + 1)};
    return {side_ == LabelSide::kTarget ? std::string(kUsual) : name,
            side_ == LabelSide::kSource ? std::string(kUsual) : name};
  }
  void side(Phrase symbols, VocabularyView words, std::string& out) const {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (i != 0) out += ' ';
      const WordId symbol = symbols[i];
      if (!is_nonterminal(symbol)) {
        append_word(symbol < words.size() ? words.word(symbol) : "<unk>", format_, out);
        continue;
      }
      const std::string number = std::to_string(index_of(symbol) + 1);
      if (format_ == RuleFormat::kHiero) {
        out.append("[").append(label(label_of(symbol))).append(",").append(number).append("]");
      } else if (format_ == RuleFormat::kMoses) {
        const auto [source, target] = labels(label_of(symbol));
        out.append("[").append(source).append("][").append(target).append("]");
      } else {
        out.append(kNumbered).append(number);
      }
    }
  }

 private:
  const RuleTable& table_;
  RuleFormat format_;
  LabelSide side_;
};

}  // namespace

std::vector<std::string> value_names(std::string_view line, RuleFormat format, const std::string& where) {
  std::vector<std::string> names;
  for_each_token(values_field(checked_fields(line, format, where), format), [&](std::string_view token) {
    const std::size_t equals = format == RuleFormat::kHiero ? token.rfind('=') : std::string_view::npos;
    if (equals == std::string_view::npos)
      names.push_back("score." + std::to_string(names.size()));
    else
      names.emplace_back(token.substr(0, equals));
  });
  return names;
}

std::uint32_t RuleReader::label(std::string_view name, const std::string& where) {
  if (name.empty()) throw FormatError("a nonterminal without a name", where);
  return rules_.labels.intern(name);
}

// The label of a nonterminal that has these names on the two sides.
std::uint32_t RuleReader::label(std::string_view source, std::string_view target, std::string_view token,
                                const std::string& where) {
  const auto only = [&](std::string_view named, std::string_view other, const char* side) {
    if (other != kUsual)
      throw FormatError("the label of " + quoted(token) + " on the " + side + " side is not X", where,
                        "say which side has labels: none, source, target or both");
    return label(named, where);
  };
  switch (options_.labels) {
    case LabelSide::kSource:
      return only(source, target, "target");
    case LabelSide::kTarget:
      return only(target, source, "source");
    case LabelSide::kBoth:
      if (source == kUsual && target == kUsual) return label(kUsual, where);
      return label(std::string(source).append(1, kLabelJoint).append(target), where);
    case LabelSide::kNone:
      break;
  }
  if (source != target)
    throw FormatError("the labels of " + quoted(token) + " differ", where,
                      "rules have the same on both sides, unless they are labelled by the syntax of one");
  return label(source, where);
}

void RuleReader::read_left_hand_side(std::string_view token, const std::string& where) {
  const std::size_t comma = token.rfind(',');
  const bool numbered = comma != std::string_view::npos && token.size() > comma + 2 &&
                        digits(token.substr(comma + 1, token.size() - comma - 2));
  if (!like_nonterminal(token, options_.format) || token.size() < 3 || numbered ||
      token.find_first_of("[]", 1) != token.size() - 1)
    throw FormatError(quoted(token) + " is no left-hand side", where, line_form(options_.format));
  rule_.left_hand_side = label(token.substr(1, token.size() - 2), where);
}

void RuleReader::read_side(std::string_view text, bool source, const std::string& where) {
  auto& symbols = source ? rule_.source : rule_.target;
  auto& slots = source ? source_slots_ : target_slots_;
  auto& words = source ? rules_.source_words : rules_.target_words;
  symbols.clear();
  slots.clear();
  std::vector<std::string_view> tokens;
  for_each_token(text, [&](std::string_view token) { tokens.push_back(token); });
  if (options_.format == RuleFormat::kMoses) {
    if (tokens.empty()) throw FormatError(source ? "an empty source" : "an empty target", where);
    (source ? last_of_source_ : last_of_target_) = tokens.back();
    tokens.pop_back();
  }
  const auto strange = [&](std::string_view token) {
    const char* const form = options_.format == RuleFormat::kMoses ? "[X][X]" : "[X,1]";
    throw FormatError(quoted(token) + " is no nonterminal", where,
                      std::string("nonterminals are written ")
                          .append(form)
                          .append(", and words that look like them with &#91; and &#93;"));
  };
  for (const std::string_view token : tokens) {
    if (!like_nonterminal(token, options_.format)) {
      symbols.push_back(words.intern(word_of(token, options_.format)));
      continue;
    }
    Slot slot{symbols.size(), 0, 0, token};
    const std::string_view inner = token.substr(1, token.size() - 2);
    switch (options_.format) {
      case RuleFormat::kLeftToRight:
        slot.number = number_of(token.substr(kNumbered.size()));
        slot.label = label("X", where);
        break;
      case RuleFormat::kMoses: {
        const std::size_t middle = inner.find("][");
        if (middle == std::string_view::npos) strange(token);
        const auto left = inner.substr(0, middle), right = inner.substr(middle + 2);
        slot.label = label(left, right, token, where);
        slot.number = static_cast<std::uint32_t>(slots.size() + 1);  // on the target side, links will tell
        break;
      }
      case RuleFormat::kHiero: {
        const std::size_t comma = inner.rfind(',');
        const std::string_view number = comma == std::string_view::npos ? inner : inner.substr(comma + 1);
        if (!digits(number) || (comma == std::string_view::npos && source)) strange(token);
        slot.number = number_of(number);
        if (comma != std::string_view::npos) slot.label = label(inner.substr(0, comma), where);
        break;
      }
    }
    if (slot.number == 0 || slot.number > 255)
      throw FormatError("the number of " + quoted(token) + " is not between 1 and 255", where);
    slots.push_back(slot);
    symbols.push_back(0);
  }
  if (symbols.empty()) throw FormatError(source ? "an empty source" : "an empty target", where);
}

void RuleReader::read_hiero_values(std::string_view field, const std::string& where) {
  const auto& columns = rules_.columns();
  rule_.values.assign(columns.size(), 0.0f);
  std::size_t place = 0;
  for_each_token(field, [&](std::string_view token) {
    const std::size_t equals = token.rfind('=');
    const auto value =
        float_number(equals == std::string_view::npos ? token : token.substr(equals + 1), where, "value");
    const std::string name =
        equals == std::string_view::npos ? "score." + std::to_string(place) : std::string(token.substr(0, equals));
    ++place;
    const auto column = std::find(columns.begin(), columns.end(), name);
    if (column != columns.end())
      rule_.values[static_cast<std::size_t>(column - columns.begin())] = value;
    else if (equals == std::string_view::npos && place <= columns.size())
      rule_.values[place - 1] = value;
    else
      rule_.sparse.push_back({rules_.features.intern(name), value});
  });
}

void RuleReader::read_scores(std::string_view field, const std::string& where) {
  rule_.values.clear();
  for_each_token(field, [&](std::string_view token) {
    rule_.values.push_back(options_.format == RuleFormat::kMoses ? log_of(token, where, report_.floored)
                                                                 : float_number(token, where, "score"));
  });
  if (rule_.values.size() != rules_.columns().size())
    throw FormatError(std::to_string(rule_.values.size()) + " scores where the first line has " +
                          std::to_string(rules_.columns().size()),
                      where);
}

// Links between words; those of Moses also say which nonterminals belong together.
void RuleReader::read_links(std::string_view field, const std::string& where) {
  const auto slot_at = [](std::vector<Slot>& slots, std::size_t place) {
    return std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.place == place; });
  };
  if (options_.format == RuleFormat::kMoses)
    for (Slot& slot : target_slots_) slot.number = 0;
  for_each_token(field, [&](std::string_view token) {
    const Link link = link_from(token, rule_, where);
    const auto source = slot_at(source_slots_, link.source), target = slot_at(target_slots_, link.target);
    if (source == source_slots_.end() && target == target_slots_.end()) {
      rule_.links.push_back(link);
    } else if (source == source_slots_.end() || target == target_slots_.end()) {
      throw FormatError("link " + std::string(token) + " joins a nonterminal and a word", where);
    } else if (options_.format == RuleFormat::kMoses) {
      target->number = source->number;
    }
  });
}

void RuleReader::pair_nonterminals(const std::string& where) {
  const auto side_error = [&](const Slot& slot, const char* side) {
    throw FormatError(
        std::string("nonterminal ").append(slot.text).append(" is on the ").append(side).append(" side only (") +
            std::to_string(source_slots_.size()) + " on the source side, " + std::to_string(target_slots_.size()) +
            " on the target side)",
        where, "each nonterminal of a rule has a partner on the other side");
  };
  const auto with_number = [](std::vector<Slot>& slots, std::uint32_t number) {
    return std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.number == number; });
  };
  const auto once = [&](const std::vector<Slot>& slots, const char* side) {
    std::set<std::uint32_t> numbers;
    for (const Slot& slot : slots)
      if (slot.number != 0 && !numbers.insert(slot.number).second)
        throw FormatError(
            std::string("nonterminal ").append(slot.text).append(" stands twice on the ").append(side) + " side",
            where);
  };
  once(source_slots_, "source");
  once(target_slots_, "target");
  for (const Slot& slot : source_slots_)
    if (with_number(target_slots_, slot.number) == target_slots_.end()) side_error(slot, "source");
  for (Slot& slot : target_slots_) {
    const auto partner = with_number(source_slots_, slot.number);
    if (partner == source_slots_.end()) side_error(slot, "target");
    if (slot.label == 0) slot.label = partner->label;
    if (slot.label != partner->label)
      throw FormatError("the labels of " + quoted(partner->text) + " and " + quoted(slot.text) + " differ", where,
                        "a nonterminal has one label");
    const auto index = static_cast<std::uint32_t>(partner - source_slots_.begin());
    rule_.target[slot.place] = nonterminal(slot.label, index);
    rule_.source[partner->place] = nonterminal(partner->label, index);
  }
}

bool RuleReader::is_glue() const {
  const std::string_view name = rules_.labels.view().word(rule_.left_hand_side);
  return (name == "S" || name == "GOAL") && source_slots_.size() == rule_.source.size();
}

void RuleReader::read(std::string_view line, std::uint64_t number, const std::string& name) {
  const std::string where = at_line(name, number);
  const auto fields = checked_fields(line, options_.format, where);
  rule_ = {};
  const bool hiero = options_.format == RuleFormat::kHiero;
  const std::size_t first = hiero ? 1 : 0;
  read_side(fields[first], true, where);
  read_side(fields[first + 1], false, where);
  std::string_view left_hand_side = "[X]";
  if (hiero) left_hand_side = fields[0];
  if (options_.format == RuleFormat::kMoses) {
    if (last_of_source_ != last_of_target_ && options_.labels == LabelSide::kNone)
      throw FormatError(
          "the left-hand sides " + quoted(last_of_source_) + " and " + quoted(last_of_target_) + " differ", where,
          line_form(options_.format));
    left_hand_side = last_of_source_;
  }
  if (options_.format == RuleFormat::kLeftToRight)
    rule_.left_hand_side = label("X", where);
  else
    read_left_hand_side(left_hand_side, where);
  if (options_.format == RuleFormat::kMoses && options_.labels != LabelSide::kNone) {
    const auto inner = [](std::string_view token) { return token.substr(1, token.size() - 2); };
    read_left_hand_side(last_of_target_, where);
    rule_.left_hand_side = label(inner(last_of_source_), inner(last_of_target_), last_of_source_, where);
  }
  if (hiero)
    read_hiero_values(values_field(fields, options_.format), where);
  else
    read_scores(fields[2], where);
  const std::size_t links = hiero ? 4 : 3;
  read_links(links < fields.size() ? fields[links] : std::string_view{}, where);
  pair_nonterminals(where);
  if (is_glue()) {
    ++report_.glue;
    return;
  }
  if (options_.format == RuleFormat::kMoses) {
    if (fields.size() > 4) read_counts(fields[4], rule_, where);
    if (fields.size() > 6 && !fields[6].empty()) ++report_.properties;
  }
  for (std::size_t i = 1; i < rule_.source.size() && !options_.adjacent; ++i)
    if (is_nonterminal(rule_.source[i - 1]) && is_nonterminal(rule_.source[i]))
      throw FormatError("neighbouring nonterminals on the source side", where,
                        "allow them if the decoder is to try all their borders");
  if (options_.prefix_lexicalised && !prefix_lexicalised(rule_.target))
    throw FormatError("the target side is not words first, then nonterminals", where,
                      "left-to-right decoding needs that of every rule");
  made_.emplace(rule_.left_hand_side, number);
  for (const Slot& slot : source_slots_) wanted_.emplace(slot.label, number);
  if (rule_.source.size() == 1 && is_nonterminal(rule_.source[0]))
    unary_.push_back({rule_.left_hand_side, label_of(rule_.source[0]), number});
  rules_.set_line(number);
  try {
    rules_.add(rule_);
  } catch (const InputError& error) {
    throw FormatError(error.problem(), where, error.remedy());
  }
  ++report_.rules;
}

void RuleReader::finish(const std::string& name) const {
  const auto spelt = [&](std::uint32_t id) { return between("[", rules_.labels.view().word(id), "]"); };
  // Labels of the source are those of what is translated.
  const bool derived = options_.labels == LabelSide::kNone || options_.labels == LabelSide::kTarget;
  for (const auto& [label, line] : wanted_)
    if (derived && !made_.contains(label))
      throw FormatError("unknown nonterminal " + spelt(label) + ": no rule has it as its left-hand side",
                        at_line(name, line), "correct its name, or add rules that make it");
  // A way from a label back to itself, along rules whose source side is a nonterminal alone.
  for (const Unary& start : unary_) {
    std::set<std::uint32_t> reached;
    std::vector<std::uint32_t> path{start.from};
    const std::function<bool(std::uint32_t)> leads_back = [&](std::uint32_t at) {
      path.push_back(at);
      if (at == start.from) return true;
      if (reached.insert(at).second)
        for (const Unary& next : unary_)
          if (next.from == at && leads_back(next.to)) return true;
      path.pop_back();
      return false;
    };
    if (!leads_back(start.to)) continue;
    std::string circle;
    for (const std::uint32_t each : path) circle.append(circle.empty() ? "" : " -> ").append(spelt(each));
    throw FormatError("rules without source words make each other in a circle: " + circle, at_line(name, start.line),
                      "leave one of them out");
  }
}

std::string rule_lines(const RuleTable& table, RuleId first, RuleId last, std::span<const std::size_t> columns,
                       RuleFormat format, LabelSide labels) {
  const Speller speller(table, format, labels);
  const bool hiero = format == RuleFormat::kHiero, moses = format == RuleFormat::kMoses;
  std::string out;
  std::vector<WordId> source;
  std::vector<Link> links;
  NodeId node = kNoNode;
  for (RuleId rule = first; rule < last; ++rule) {
    if (node == kNoNode || rule >= table.rules_of(node).last) {
      node = table.node_of(rule);
      table.source(node, source);
    }
    const Phrase target = table.target(rule);
    const std::string left_hand_side = between("[", speller.label(table.left_hand_side(rule)), "]");
    if (hiero) out.append(left_hand_side).append(" ||| ");
    speller.side(source, table.source_words(), out);
    const auto [source_label, target_label] = speller.labels(table.left_hand_side(rule));
    if (moses) out.append(" ").append(between("[", source_label, "]"));
    out += " ||| ";
    speller.side(target, table.target_words(), out);
    if (moses) out.append(" ").append(between("[", target_label, "]"));
    out += " |||";
    for (const std::size_t column : columns) {
      out += ' ';
      if (hiero) out.append(table.columns()[column]).append("=");
      if (moses)
        append_probability(table.value(rule, column), out);
      else
        append_number(table.value(rule, column), out);
    }
    if (hiero) {
      for (const SparseValue& value : table.sparse(rule)) {
        out.append(" ").append(table.features().word(value.feature)).append("=");
        append_number(value.value, out);
      }
    }
    links.assign(table.links(rule).begin(), table.links(rule).end());
    if (moses)
      for (std::size_t i = 0; i < source.size(); ++i)
        for (std::size_t j = 0; is_nonterminal(source[i]) && j < target.size(); ++j)
          if (target[j] == source[i]) links.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)});
    std::sort(links.begin(), links.end());
    if (format != RuleFormat::kLeftToRight) {
      out += " |||";
      append_links(links, out);
    }
    if (moses) {
      out += " |||";
      const RuleCounts counts = table.counts(rule, node);
      for (const float count : {counts.target, counts.source, counts.joint}) {
        out += ' ';
        append_number(count, out);
      }
      out += " ||| |||";
    }
    out += '\n';
  }
  return out;
}

}  // namespace dragoman::grammar
