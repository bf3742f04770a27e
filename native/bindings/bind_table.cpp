// The table as Python sees it.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/bind_grammar.hpp"
#include "grammar/table.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace grammar;

namespace {

void check_rule(const RuleTable& table, RuleId rule) {
  if (rule >= table.rules()) throw nb::index_error();
}

Out<WordId> copy(Phrase phrase) { return owned(std::vector<WordId>(phrase.begin(), phrase.end())); }

nb::tuple encode_lines(VocabularyView words, const nb::list& lines) {
  const auto views = texts(lines);
  EncodedLines found;
  {
    const nb::gil_scoped_release unlocked;
    found = encoded(words, views);
  }
  return nb::make_tuple(owned(std::move(found.ids)), owned(std::move(found.ends)));
}

std::string_view word_of(VocabularyView words, WordId id) {
  if (id >= words.size()) throw nb::index_error();
  return words.word(id);
}

}  // namespace

void bind_table(nb::module_& m) {
  nb::class_<RuleTable>(m, "RuleTable", "Stored rules, memory-mapped and safe to share between threads.")
      .def_static("open", &RuleTable::open, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("columns", &RuleTable::columns)
      .def_prop_ro("metadata", &RuleTable::metadata)
      .def_prop_ro("rules", &RuleTable::rules)
      .def_prop_ro("sources", &RuleTable::sources)
      .def_prop_ro("nodes", &RuleTable::nodes)
      .def_prop_ro("targets", &RuleTable::targets)
      .def_prop_ro("depth", &RuleTable::depth)
      .def_prop_ro("bytes", &RuleTable::bytes)
      .def_prop_ro("row_bytes", &RuleTable::row_bytes)
      .def_prop_ro("has_evidence", &RuleTable::has_evidence)
      .def_prop_ro("label_size", [](const RuleTable& self) { return self.labels().size(); })
      .def_prop_ro("source_size", [](const RuleTable& self) { return self.source_words().size(); })
      .def_prop_ro("target_size", [](const RuleTable& self) { return self.target_words().size(); })
      .def(
          "source_word", [](const RuleTable& self, WordId id) { return word_of(self.source_words(), id); }, "id"_a)
      .def(
          "target_word", [](const RuleTable& self, WordId id) { return word_of(self.target_words(), id); }, "id"_a)
      .def(
          "label", [](const RuleTable& self, WordId id) { return word_of(self.labels(), id); }, "id"_a)
      .def(
          "feature", [](const RuleTable& self, WordId id) { return word_of(self.features(), id); }, "id"_a)
      .def(
          "source_id", [](const RuleTable& self, std::string_view word) { return self.source_words().id(word); },
          "word"_a)
      .def(
          "target_id", [](const RuleTable& self, std::string_view word) { return self.target_words().id(word); },
          "word"_a)
      .def(
          "label_id", [](const RuleTable& self, std::string_view word) { return self.labels().id(word); }, "word"_a)
      .def(
          "encode_source",
          [](const RuleTable& self, const nb::list& lines) { return encode_lines(self.source_words(), lines); },
          "lines"_a, nb::sig("def encode_source(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]"),
          "Ids of all tokens, and where each line ends in them; unknown tokens are 0.")
      .def(
          "encode_target",
          [](const RuleTable& self, const nb::list& lines) { return encode_lines(self.target_words(), lines); },
          "lines"_a, nb::sig("def encode_target(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]"))
      .def(
          "find",
          [](const RuleTable& self, const In<WordId>& source) -> std::tuple<NodeId, RuleId, RuleId> {
            const NodeId node = self.find(view(source));
            if (node == kNoNode) return {kNoNode, 0, 0};
            const RuleRange range = self.rules_of(node);
            return {node, range.first, range.last};
          },
          "source"_a.noconvert(), "Node, first and last rule of a source; an empty range if it has none.")
      .def(
          "find_rule",
          [](const RuleTable& self, const In<WordId>& source, const In<WordId>& target) -> std::int64_t {
            const NodeId node = self.find(view(source));
            const std::uint32_t phrase = self.find_target(view(target));
            if (node == kNoNode || phrase == self.targets()) return -1;
            const RuleId rule = self.find(node, phrase);
            return rule == self.rules() ? -1 : std::int64_t{rule};
          },
          "source"_a.noconvert(), "target"_a.noconvert(), "The rule of a pair, -1 if there is none.")
      .def("match", &matching_spans<RuleTable>, "sentence"_a.noconvert(), "max_length"_a = 0,
           nb::sig("def match(self, sentence: NDArray[uint32], max_length: int = 0) -> NDArray[int64]"),
           "All spans with rules, as rows of start, end, first rule, last rule.")
      .def(
          "match_gappy",
          [](const RuleTable& self, const In<WordId>& sentence, int max_span) {
            std::vector<std::tuple<std::vector<int>, RuleId, RuleId>> found;
            {
              const nb::gil_scoped_release unlocked;
              self.match_gappy(view(sentence), max_span, [&](std::span<const int> positions, RuleRange rules) {
                found.emplace_back(std::vector<int>(positions.begin(), positions.end()), rules.first, rules.last);
              });
            }
            return found;
          },
          "sentence"_a.noconvert(), "max_span"_a, "Positions, first and last rule for every rule source with gaps.")
      .def(
          "arities",
          [](const RuleTable& self) {
            const nb::gil_scoped_release unlocked;
            std::vector<std::uint64_t> counts(1, 0);
            std::vector<WordId> source;
            for (RuleId rule = 0; rule < self.rules();) {
              const NodeId node = self.node_of(rule);
              self.source(node, source);
              const std::size_t arity = source.size() - words_of(source);
              if (counts.size() <= arity) counts.resize(arity + 1, 0);
              counts[arity] += self.rules_of(node).last - rule;
              rule = self.rules_of(node).last;
            }
            return counts;
          },
          "How many rules have 0, 1, 2, ... nonterminals or gaps on the source side.")
      .def(
          "label_counts",
          [](const RuleTable& self) {
            const nb::gil_scoped_release unlocked;
            const std::size_t labels = std::max<std::size_t>(1, self.labels().size());
            const WordId usual = self.labels().id("X");
            std::vector<std::uint64_t> derived(labels, 0), nonterminals(labels, 0);
            std::uint64_t unlabelled = 0;
            std::vector<WordId> source;
            for (RuleId rule = 0; rule < self.rules();) {
              const NodeId node = self.node_of(rule);
              self.source(node, source);
              const RuleId last = self.rules_of(node).last;
              std::size_t slots = 0, named = 0;
              for (const WordId symbol : source) {
                if (!is_nonterminal(symbol) || label_of(symbol) >= labels) continue;
                nonterminals[label_of(symbol)] += last - rule;
                ++slots;
                named += label_of(symbol) != usual;
              }
              if (slots > 0 && named == 0) unlabelled += last - rule;
              for (; rule < last; ++rule) ++derived[std::min<std::size_t>(self.left_hand_side(rule), labels - 1)];
            }
            return std::tuple(derived, nonterminals, unlabelled);
          },
          "Rules by the label of their left-hand side, nonterminals of source sides by label, and how many rules have "
          "nonterminals of the usual label only.")
      .def(
          "node_of",
          [](const RuleTable& self, RuleId rule) {
            check_rule(self, rule);
            return self.node_of(rule);
          },
          "rule"_a)
      .def(
          "source",
          [](const RuleTable& self, NodeId node) {
            if (node >= self.nodes()) throw nb::index_error();
            std::vector<WordId> symbols;
            self.source(node, symbols);
            return owned(std::move(symbols));
          },
          "node"_a, nb::sig("def source(self, node: int) -> NDArray[uint32]"))
      .def(
          "target",
          [](const RuleTable& self, RuleId rule) {
            check_rule(self, rule);
            return copy(self.target(rule));
          },
          "rule"_a, nb::sig("def target(self, rule: int) -> NDArray[uint32]"))
      .def(
          "values",
          [](const RuleTable& self, RuleId first, RuleId last) {
            if (first > last || last > self.rules()) throw nb::index_error();
            const std::size_t columns = self.columns().size(), rows = last - first;
            std::vector<float> values(rows * columns);
            {
              const nb::gil_scoped_release unlocked;
              for (std::size_t row = 0; row < rows; ++row)
                self.values(static_cast<RuleId>(first + row), std::span(values).subspan(row * columns, columns));
            }
            return owned(std::move(values), rows, columns);
          },
          "first"_a, "last"_a, nb::sig("def values(self, first: int, last: int) -> NDArray[float32]"),
          "Values of the rules [first, last), one row each.")
      .def(
          "links",
          [](const RuleTable& self, RuleId rule) {
            check_rule(self, rule);
            return link_pairs(self.links(rule));
          },
          "rule"_a)
      .def(
          "counts",
          [](const RuleTable& self, RuleId rule) -> std::tuple<float, float, float> {
            check_rule(self, rule);
            const RuleCounts counts = self.counts(rule, self.node_of(rule));
            return {counts.target, counts.source, counts.joint};
          },
          "rule"_a, "Target, source and joint count.")
      .def(
          "left_hand_side",
          [](const RuleTable& self, RuleId rule) {
            check_rule(self, rule);
            return self.left_hand_side(rule);
          },
          "rule"_a)
      .def(
          "sparse",
          [](const RuleTable& self, RuleId rule) {
            check_rule(self, rule);
            std::vector<std::pair<std::uint32_t, float>> values;
            for (const SparseValue value : self.sparse(rule)) values.emplace_back(value.feature, value.value);
            return values;
          },
          "rule"_a)
      .def(
          "evidence",
          [](const RuleTable& self, RuleId rule) {
            check_rule(self, rule);
            std::vector<std::uint32_t> sentences;
            self.evidence(rule, sentences);
            return owned(std::move(sentences));
          },
          "rule"_a, nb::sig("def evidence(self, rule: int) -> NDArray[uint32]"),
          "Numbers, from 0, of the sentences that taught the rule.");
}

}  // namespace dragoman
