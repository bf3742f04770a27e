// What is done to tables: choosing, joining, foreign formats, the layer above.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/bind_grammar.hpp"
#include "grammar/dotted.hpp"
#include "grammar/join.hpp"
#include "grammar/layered.hpp"
#include "grammar/moses_text.hpp"
#include "grammar/occurrences.hpp"
#include "grammar/rule_text.hpp"
#include "grammar/run.hpp"
#include "grammar/select.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace grammar;

namespace {

using Shared = std::shared_ptr<const RuleTable>;

Sentences sentences(const In<WordId>& words, const In<std::int64_t>& ends) {
  std::int64_t previous = 0;
  for (const std::int64_t end : view(ends)) {
    if (end < previous || static_cast<std::size_t>(end) > words.size()) throw InputError("sentence ends out of order");
    previous = end;
  }
  return {view(words), view(ends)};
}

RuleList::Draft draft(const In<WordId>& source, const In<WordId>& target, const std::vector<std::pair<int, int>>& links,
                      const std::vector<float>& values, std::tuple<float, float, float> counts) {
  RuleList::Draft rule;
  rule.source.assign(source.data(), source.data() + source.size());
  rule.target.assign(target.data(), target.data() + target.size());
  for (const auto& [i, j] : links) {
    if (i < 0 || j < 0 || i > 255 || j > 255) throw InputError("a link outside the rule");
    rule.links.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)});
  }
  rule.values = values;
  std::tie(rule.target_count, rule.source_count, rule.joint_count) = counts;
  return rule;
}

void check_range(const RuleTable& table, RuleId first, RuleId last) {
  if (first > last || last > table.rules()) throw nb::index_error();
}

void check_columns(const RuleTable& table, const std::vector<std::size_t>& columns) {
  for (const std::size_t column : columns)
    if (column >= table.columns().size()) throw nb::index_error();
}

void bind_selection(nb::module_& m) {
  m.def(
      "mark_matching",
      [](const Shared& table, const nb::list& lines, int max_gap_span, const In<std::uint8_t>& keep) {
        std::vector<std::uint8_t> marks(keep.data(), keep.data() + keep.size());
        if (marks.size() != table->rules()) throw InputError("one mark per rule is needed");
        const auto views = texts(lines);
        {
          const nb::gil_scoped_release unlocked;
          const EncodedLines found = encoded(table->source_words(), views);
          mark_matching(*table, {found.ids, found.ends}, max_gap_span, marks);
        }
        return owned(std::move(marks));
      },
      "table"_a, "lines"_a, "max_gap_span"_a, "keep"_a.noconvert(),
      nb::sig("def mark_matching(table: RuleTable, lines: list[str], max_gap_span: int, keep: NDArray[uint8]) -> "
              "NDArray[uint8]"),
      "The marks, with the rules set whose source occurs in the lines.");
  m.def(
      "mark_best",
      [](const Shared& table, std::size_t column, std::size_t k) {
        check_columns(*table, {column});
        std::vector<std::uint8_t> marks(table->rules(), 0);
        {
          const nb::gil_scoped_release unlocked;
          mark_best(*table, column, k, marks);
        }
        return owned(std::move(marks));
      },
      "table"_a, "column"_a, "k"_a, nb::sig("def mark_best(table: RuleTable, column: int, k: int) -> NDArray[uint8]"));
  m.def(
      "count_sentences",
      [](const Shared& table, const In<WordId>& source, const In<std::int64_t>& source_ends, const In<WordId>& target,
         const In<std::int64_t>& target_ends, int threads) {
        const Sentences sources = sentences(source, source_ends), targets = sentences(target, target_ends);
        if (sources.size() != targets.size()) throw InputError("the sides have different numbers of sentences");
        SentenceCounts counts;
        {
          const nb::gil_scoped_release unlocked;
          counts = count_sentences(*table, sources, targets, threads);
        }
        return nb::make_tuple(owned(std::move(counts.of_source)), owned(std::move(counts.of_target)),
                              owned(std::move(counts.joint)));
      },
      "table"_a, "source"_a.noconvert(), "source_ends"_a.noconvert(), "target"_a.noconvert(),
      "target_ends"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
      nb::sig("def count_sentences(table: RuleTable, source: NDArray[uint32], source_ends: NDArray[int64], target: "
              "NDArray[uint32], target_ends: NDArray[int64], *, threads: int = 0) -> "
              "tuple[NDArray[uint32], NDArray[uint32], NDArray[uint32]]"),
      "In how many sentences each source, each target, and both sides of each rule occur.");
  m.def(
      "significance",
      [](const Shared& table, const In<std::uint32_t>& of_source, const In<std::uint32_t>& of_target,
         const In<std::uint32_t>& joint, std::uint64_t sentences, int threads) {
        const auto copied = [](const In<std::uint32_t>& each) {
          return std::vector<std::uint32_t>(each.data(), each.data() + each.size());
        };
        const SentenceCounts counts{copied(of_source), copied(of_target), copied(joint)};
        std::vector<double> values;
        {
          const nb::gil_scoped_release unlocked;
          values = significance(*table, counts, sentences, threads);
        }
        return owned(std::move(values));
      },
      "table"_a, "of_source"_a.noconvert(), "of_target"_a.noconvert(), "joint"_a.noconvert(), "sentences"_a,
      nb::kw_only(), "threads"_a = 0,
      nb::sig("def significance(table: RuleTable, of_source: NDArray[uint32], of_target: NDArray[uint32], joint: "
              "NDArray[uint32], sentences: int, *, threads: int = 0) -> NDArray[float64]"),
      "Minus the natural log of Fisher's exact p-value of each rule, from counts of so many sentences.");
  m.def("minus_log_fisher", &minus_log_fisher, "joint"_a, "source"_a, "target"_a, "sentences"_a);
  m.def(
      "relative_entropy",
      [](const Shared& table, std::size_t column, int threads) {
        check_columns(*table, {column});
        std::vector<double> values;
        {
          const nb::gil_scoped_release unlocked;
          values = relative_entropy(*table, column, threads);
        }
        return owned(std::move(values));
      },
      "table"_a, "column"_a, nb::kw_only(), "threads"_a = 0,
      nb::sig("def relative_entropy(table: RuleTable, column: int, *, threads: int = 0) -> NDArray[float64]"));
  m.def(
      "column_values",
      [](const Shared& table, std::size_t column) {
        if (column > table->columns().size()) throw nb::index_error();
        std::vector<float> values(table->rules());
        {
          const nb::gil_scoped_release unlocked;
          for (RuleId rule = 0; rule < table->rules(); ++rule) values[rule] = table->value(rule, column);
        }
        return owned(std::move(values));
      },
      "table"_a, "column"_a, nb::sig("def column_values(table: RuleTable, column: int) -> NDArray[float32]"),
      "One column of all rules; the column after the last is the joint count.");
  m.def(
      "write_selected",
      [](const Shared& table, const In<std::uint8_t>& keep, const std::string& metadata, bool compact,
         const std::filesystem::path& path, int threads) {
        if (keep.size() != table->rules()) throw InputError("one mark per rule is needed");
        const nb::gil_scoped_release unlocked;
        write_selected(*table, view(keep), metadata, compact, threads, path);
      },
      "table"_a, "keep"_a.noconvert(), nb::kw_only(), "metadata"_a, "compact"_a, "path"_a, "threads"_a = 0);
  m.def(
      "write_with_columns",
      [](const Shared& table, const std::vector<std::string>& names, const In<float>& values,
         const std::string& metadata, bool compact, const std::filesystem::path& path, int threads) {
        if (values.size() != table->rules() * names.size()) throw InputError("a value per rule and column is needed");
        const std::vector<std::uint8_t> keep(table->rules(), 1);
        const nb::gil_scoped_release unlocked;
        write_selected(*table, keep, metadata, compact, threads, path, {names, view(values)});
      },
      "table"_a, "names"_a, "values"_a.noconvert(), nb::kw_only(), "metadata"_a, "compact"_a, "path"_a, "threads"_a = 0,
      "The table with further columns: a value of each for every rule, rule by rule.");
  nb::class_<OccurrenceBatch>(m, "OccurrenceBatch", "Where rules of a table occur in some lines of its bitext.")
      .def(
          "__init__",
          [](OccurrenceBatch* self, const Shared& table, std::uint64_t first_line, const nb::list& sources,
             const nb::list& targets, const nb::list& links, int longest, const ExtractionSettings& settings,
             int threads) {
            const auto source = texts(sources), target = texts(targets), points = texts(links);
            if (source.size() != target.size() || source.size() != points.size())
              throw InputError("as many sources as targets and alignments are needed");
            const nb::gil_scoped_release unlocked;
            new (self) OccurrenceBatch(*table, first_line, source, target, points, longest, settings, threads);
          },
          "table"_a, "first_line"_a, "sources"_a, "targets"_a, "links"_a, nb::kw_only(), "longest"_a, "settings"_a,
          "threads"_a = 0,
          nb::sig("def __init__(self, table: RuleTable, first_line: int, sources: list[str], targets: list[str], "
                  "links: list[str], *, longest: int, settings: ExtractionSettings, threads: int = 0) -> None"))
      .def_prop_ro(
          "rows",
          [](const OccurrenceBatch& self) {
            std::vector<std::int64_t> rows;
            for (const Occurrence& each : self.occurrences())
              rows.insert(rows.end(),
                          {each.sentence, each.rule, each.spans.source_begin, each.spans.source_end,
                           each.spans.target_begin, each.spans.target_end, static_cast<std::int64_t>(each.source_gaps),
                           static_cast<std::int64_t>(each.target_gaps)});
            const std::size_t count = rows.size() / 8;
            return owned(std::move(rows), count, 8);
          },
          nb::rv_policy::move, nb::sig("def rows(self) -> NDArray[int64]"),
          "Of each occurrence: its line in the batch, its rule, its source span, its target span, and as bits the "
          "words "
          "of these that are in its gaps.")
      .def(
          "values",
          [](const OccurrenceBatch& self, const std::string& feature, std::vector<std::vector<std::int32_t>> heads,
             std::vector<std::vector<std::string>> tags, std::vector<std::vector<std::string>> domains, int threads) {
            const auto made = occurrence_feature(feature);
            if (heads.size() != self.pairs() || tags.size() != self.pairs() || domains.size() != self.pairs())
              throw InputError("heads, tags and domains of every line are needed");
            std::vector<PairMarks> marks(self.pairs());
            for (std::size_t i = 0; i < marks.size(); ++i)
              marks[i] = {std::move(heads[i]), std::move(tags[i]), std::move(domains[i])};
            const std::size_t width = made->columns().size();
            std::vector<double> found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.values(*made, marks, threads);
            }
            const std::size_t count = found.size() / width;
            return owned(std::move(found), count, width);
          },
          "feature"_a, nb::kw_only(), "heads"_a, "tags"_a, "domains"_a, "threads"_a = 0,
          nb::sig("def values(self, feature: str, *, heads: Sequence[Sequence[int]], tags: Sequence[Sequence[str]], "
                  "domains: Sequence[Sequence[str]], threads: int = 0) -> NDArray[float64]"),
          "Values of a feature that is built in, a row per occurrence; of each line its domains, and heads and tags of "
          "its source words, empty if they are not known.");
  m.def(
      "occurrence_features",
      [] {
        std::vector<std::pair<std::string, std::vector<std::string>>> found;
        for (const std::string& name : occurrence_feature_names())
          found.emplace_back(name, occurrence_feature(name)->columns());
        return found;
      },
      "Features of occurrences that are built in, with their columns.");
  m.def(
      "join_tables",
      [](const std::vector<Shared>& tables, const std::string& mode, const std::vector<double>& weights,
         const std::vector<std::string>& indicators, bool only_giver, bool first_evidence, const std::string& metadata,
         bool compact, const std::filesystem::path& path, int threads) {
        const nb::gil_scoped_release unlocked;
        join_tables(tables,
                    {mode == "linear" ? JoinMode::kLinear : JoinMode::kFillUp, weights, indicators, only_giver,
                     first_evidence, metadata, compact, threads},
                    path);
      },
      "tables"_a, nb::kw_only(), "mode"_a, "weights"_a, "indicators"_a, "only_giver"_a, "first_evidence"_a = false,
      "metadata"_a, "compact"_a, "path"_a, "threads"_a = 0);
}

void bind_moses(nb::module_& m) {
  nb::class_<MosesReport>(m, "MosesReport", "What a reader of Moses text met.")
      .def_ro("rules", &MosesReport::rules)
      .def_ro("floored", &MosesReport::floored)
      .def_ro("properties", &MosesReport::properties);
  m.def("count_scores", &count_scores, "line"_a, "where"_a);
  nb::class_<RuleList>(m, "RuleList", "Rules gathered in memory, to be written as a table.")
      .def(nb::init<std::vector<std::string>>(), "columns"_a)
      .def("__len__", &RuleList::size)
      .def(
          "read_moses",
          [](RuleList& self, const nb::list& lines, std::uint64_t first_line, const std::string& name, bool gaps) {
            const auto views = texts(lines);
            const nb::gil_scoped_release unlocked;
            MosesReport report;
            for (std::size_t i = 0; i < views.size(); ++i) {
              self.set_line(first_line + i + 1);
              read_moses_line(views[i], at_line(name, first_line + i + 1), {gaps}, self, report);
            }
            return report;
          },
          "lines"_a, nb::kw_only(), "first_line"_a, "name"_a, "gaps"_a,
          nb::sig("def read_moses(self, lines: list[str], *, first_line: int, name: str, gaps: bool) -> MosesReport"))
      .def("add_columns", &RuleList::add_columns, "names"_a)
      .def(
          "read_reordering",
          [](RuleList& self, const nb::list& lines, std::uint64_t first_line, const std::string& name, bool gaps,
             bool by_source, std::size_t probabilities, const In<std::uint8_t>& filled) {
            const auto views = texts(lines);
            if (filled.size() != self.size() || probabilities > self.columns().size())
              throw InputError("one mark per rule is needed");
            std::vector<std::uint8_t> marks(filled.data(), filled.data() + filled.size());
            {
              const nb::gil_scoped_release unlocked;
              for (std::size_t i = 0; i < views.size(); ++i)
                read_reordering_line(views[i], at_line(name, first_line + i + 1), {gaps}, by_source,
                                     self.columns().size() - probabilities, probabilities, self, marks);
            }
            return owned(std::move(marks));
          },
          "lines"_a, nb::kw_only(), "first_line"_a, "name"_a, "gaps"_a, "by_source"_a, "probabilities"_a, "filled"_a,
          nb::sig("def read_reordering(self, lines: list[str], *, first_line: int, name: str, gaps: bool, by_source: "
                  "bool, probabilities: int, filled: NDArray[uint8]) -> NDArray[uint8]"),
          "Fill the last columns from lines of a reordering table; marks which rules were filled.")
      .def(
          "source_id", [](RuleList& self, std::string_view word) { return self.source_words.intern(word); }, "word"_a)
      .def(
          "target_id", [](RuleList& self, std::string_view word) { return self.target_words.intern(word); }, "word"_a)
      .def(
          "label_id", [](RuleList& self, std::string_view word) { return self.labels.intern(word); }, "word"_a)
      .def(
          "add",
          [](RuleList& self, const In<WordId>& source, const In<WordId>& target,
             const std::vector<std::pair<int, int>>& links, const std::vector<float>& values,
             std::tuple<float, float, float> counts, WordId label,
             const std::vector<std::pair<std::string, float>>& sparse) {
            RuleList::Draft rule = draft(source, target, links, values, counts);
            for (const auto* side : {&rule.source, &rule.target})
              for (const WordId symbol : *side)
                if (is_nonterminal(symbol)
                        ? label_of(symbol) >= self.labels.size()
                        : symbol >= (side == &rule.source ? self.source_words : self.target_words).size())
                  throw InputError("a symbol that has no name");
            rule.left_hand_side = label;
            for (const auto& [name, value] : sparse) rule.sparse.push_back({self.features.intern(name), value});
            self.add(rule);
          },
          "source"_a.noconvert(), "target"_a.noconvert(), nb::kw_only(), "links"_a, "values"_a, "counts"_a, "label"_a,
          "sparse"_a)
      .def("write", &RuleList::write, "path"_a, nb::kw_only(), "metadata"_a, "compact"_a, "threads"_a = 0, "name"_a,
           nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "moses_lines",
      [](const Shared& table, RuleId first, RuleId last, const std::vector<std::size_t>& columns, bool gaps,
         const std::vector<float>& further, const std::vector<std::string>& factors) {
        check_range(*table, first, last);
        check_columns(*table, columns);
        if (!further.empty() && further.size() != last - first) throw InputError("a value per rule is needed");
        if (!factors.empty() && factors.size() != table->target_words().size())
          throw InputError("a factor per target word is needed");
        const nb::gil_scoped_release unlocked;
        return moses_lines(*table, first, last, columns, further, {gaps, factors});
      },
      "table"_a, "first"_a, "last"_a, "columns"_a, nb::kw_only(), "gaps"_a = false, "further"_a = std::vector<float>(),
      "factors"_a = std::vector<std::string>());
  m.def(
      "reordering_lines",
      [](const Shared& table, RuleId first, RuleId last, const std::vector<std::size_t>& columns, bool by_source,
         bool gaps) {
        check_range(*table, first, last);
        check_columns(*table, columns);
        const nb::gil_scoped_release unlocked;
        return reordering_lines(*table, first, last, columns, by_source, {gaps});
      },
      "table"_a, "first"_a, "last"_a, "columns"_a, nb::kw_only(), "by_source"_a = false, "gaps"_a = false);
}

void bind_rule_text(nb::module_& m) {
  nb::enum_<RuleFormat>(m, "RuleFormat")
      .value("HIERO", RuleFormat::kHiero)
      .value("MOSES", RuleFormat::kMoses)
      .value("LEFT_TO_RIGHT", RuleFormat::kLeftToRight);
  m.def("value_names", &value_names, "line"_a, "format"_a, "where"_a, "Names of the values on a line of rules.");
  nb::class_<RuleTextReport>(m, "RuleTextReport", "What a reader of text rules met.")
      .def_ro("rules", &RuleTextReport::rules)
      .def_ro("floored", &RuleTextReport::floored)
      .def_ro("properties", &RuleTextReport::properties)
      .def_ro("glue", &RuleTextReport::glue);
  nb::class_<RuleReader>(m, "RuleReader", "Reads text rules with nonterminals into a list.")
      .def(
          "__init__",
          [](RuleReader* self, RuleList& rules, RuleFormat format, bool adjacent, bool prefix_lexicalised,
             const std::string& labels) {
            new (self) RuleReader(rules, {format, adjacent, prefix_lexicalised, label_side(labels)});
          },
          "rules"_a, nb::kw_only(), "format"_a, "adjacent"_a, "prefix_lexicalised"_a, "labels"_a,
          nb::keep_alive<1, 2>())
      .def(
          "read",
          [](RuleReader& self, const nb::list& lines, std::uint64_t first_line, const std::string& name) {
            const auto views = texts(lines);
            const nb::gil_scoped_release unlocked;
            for (std::size_t i = 0; i < views.size(); ++i) self.read(views[i], first_line + i + 1, name);
          },
          "lines"_a, nb::kw_only(), "first_line"_a, "name"_a,
          nb::sig("def read(self, lines: list[str], *, first_line: int, name: str) -> None"))
      .def("finish", &RuleReader::finish, "name"_a, "Refuse what is seen at the end only.")
      .def_prop_ro("report", &RuleReader::report);
  m.def(
      "rule_lines",
      [](const Shared& table, RuleId first, RuleId last, const std::vector<std::size_t>& columns, RuleFormat format,
         const std::string& labels) {
        check_range(*table, first, last);
        check_columns(*table, columns);
        const nb::gil_scoped_release unlocked;
        return rule_lines(*table, first, last, columns, format, label_side(labels));
      },
      "table"_a, "first"_a, "last"_a, "columns"_a, "format"_a, "labels"_a = "none");
}

void bind_layer(nb::module_& m) {
  nb::class_<LayeredView>(m, "LayeredView", "A table and a layer of rules above it, at one moment.")
      .def_prop_ro("rules", &LayeredView::rules)
      .def_prop_ro("added", &LayeredView::added)
      .def_prop_ro("hidden", &LayeredView::hidden)
      .def("source_id", &LayeredView::source_id, "word"_a)
      .def("target_id", &LayeredView::target_id, "word"_a)
      .def("source_word", &LayeredView::source_word, "id"_a)
      .def("target_word", &LayeredView::target_word, "id"_a)
      .def("is_added", &LayeredView::is_added, "rule"_a)
      .def("match", &matching_spans<LayeredView>, "sentence"_a.noconvert(), "max_length"_a = 0,
           nb::sig("def match(self, sentence: NDArray[uint32], max_length: int = 0) -> NDArray[int64]"))
      .def(
          "match_dotted",
          [](const LayeredView& self, const In<WordId>& sentence, std::uint32_t max_span) {
            using Spans = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
            std::vector<std::tuple<std::uint32_t, std::uint32_t, RuleId, RuleId, Spans>> found;
            {
              const nb::gil_scoped_release unlocked;
              match_everywhere(
                  self, view(sentence), max_span,
                  [&](std::uint32_t start, std::uint32_t end, NodeId node, std::span<const CoveredSpan> at) {
                    Spans spans;
                    for (const CoveredSpan& each : at) spans.emplace_back(each.start, each.end);
                    self.rules_of(
                        node, [&](RuleRange rules) { found.emplace_back(start, end, rules.first, rules.last, spans); });
                  });
            }
            return found;
          },
          "sentence"_a.noconvert(), nb::kw_only(), "max_span"_a,
          "Start, end, first and last rule, and the spans of nonterminals, for every way in which a source fits.")
      .def(
          "rules_of",
          [](const LayeredView& self, const In<WordId>& source) {
            std::vector<std::uint32_t> found;
            self.for_source(view(source), [&](RuleRange rules) {
              for (RuleId rule = rules.first; rule < rules.last; ++rule) found.push_back(rule);
            });
            return found;
          },
          "source"_a.noconvert())
      .def(
          "rule",
          [](const LayeredView& self, RuleId rule) {
            if (rule >= self.rules()) throw nb::index_error();
            std::vector<float> values(self.columns().size());
            self.values(rule, values);
            const Phrase target = self.target(rule);
            const RuleCounts counts = self.counts(rule);
            return std::tuple(std::vector<WordId>(target.begin(), target.end()), values, link_pairs(self.links(rule)),
                              std::tuple(counts.target, counts.source, counts.joint));
          },
          "rule"_a, "Target ids, values, links and counts of a rule.");
  nb::class_<LayeredTable>(m, "LayeredTable", "A table with rules added and hidden above it.")
      .def(nb::init<Shared>(), "base"_a)
      .def("intern_source", &LayeredTable::intern_source, "word"_a)
      .def("intern_target", &LayeredTable::intern_target, "word"_a)
      .def(
          "add",
          [](LayeredTable& self, const In<WordId>& source, const In<WordId>& target,
             const std::vector<std::pair<int, int>>& links, const std::vector<float>& values,
             std::tuple<float, float, float> counts) { self.add(draft(source, target, links, values, counts)); },
          "source"_a.noconvert(), "target"_a.noconvert(), nb::kw_only(), "links"_a, "values"_a, "counts"_a)
      .def(
          "drop",
          [](LayeredTable& self, const In<WordId>& source, const In<WordId>& target) {
            return self.drop(view(source), view(target));
          },
          "source"_a.noconvert(), "target"_a.noconvert())
      .def("hide", &LayeredTable::hide, "rule"_a)
      .def("unhide", &LayeredTable::unhide, "rule"_a)
      .def("view", [](LayeredTable& self) { return std::const_pointer_cast<LayeredView>(self.view()); })
      .def("write", &LayeredTable::write, "path"_a, nb::kw_only(), "metadata"_a, "threads"_a = 0,
           nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_table_tools(nb::module_& m) {
  bind_selection(m);
  bind_moses(m);
  bind_rule_text(m);
  bind_layer(m);
}

}  // namespace dragoman
