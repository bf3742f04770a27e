#include "bindings/bind_forest.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/rooms.hpp"
#include "common/vocabulary.hpp"
#include "forest/automaton.hpp"
#include "forest/consensus.hpp"
#include "forest/forest_file.hpp"
#include "forest/kbest.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace forest;

namespace {

template <typename T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;
template <typename T>
using View2 = nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::c_contig>;

// Arrays of a forest are lent, not copied; each keeps the forest alive.
template <typename T>
View<T> lent(nb::handle owner, std::span<const T> values) {
  return View<T>(values.data(), {values.size()}, owner);
}
template <typename T, typename Record>
View2<T> lent_records(nb::handle owner, std::span<const Record> values) {
  static_assert(sizeof(Record) % sizeof(T) == 0);
  return View2<T>(reinterpret_cast<const T*>(values.data()), {values.size(), sizeof(Record) / sizeof(T)}, owner);
}

template <typename Get>
auto array_of(const Get& get) {
  return [get](nb::handle self) { return get(self, nb::cast<const Forest&>(self).structure()); };
}

// Best-first enumeration that owns its forest.
struct Enumeration {
  explicit Enumeration(const Forest& forest) : forest(forest), search(this->forest.shape()) {}
  Forest forest;
  KBest search;
};

void bind_classes(nb::module_& m) {
  nb::class_<Forest>(m, "Forest", "Flat arrays of an acyclic hypergraph; the last node is the goal.")
      .def_prop_ro("nodes", &Forest::nodes)
      .def_prop_ro("edges", &Forest::edges)
      .def_prop_ro("bytes", &Forest::bytes)
      .def_prop_ro("labels", array_of([](nb::handle self, const Structure& s) {
                     return lent_records<std::uint32_t>(self, std::span<const NodeLabel>(s.labels));
                   }),
                   "Per node: start, end, covered words, category.")
      .def_prop_ro("coverage", array_of([](nb::handle self, const Structure& s) {
                     return View2<std::uint64_t>(s.coverage.data(), {s.labels.size(), s.coverage_words}, self);
                   }),
                   "Per node: its coverage set, 64 source positions to a number.")
      .def_prop_ro("first_edge",
                   array_of([](nb::handle self, const Structure& s) { return lent<EdgeId>(self, s.first_edge); }),
                   "Edges of node n are first_edge[n] .. first_edge[n + 1] - 1.")
      .def_prop_ro("heads", array_of([](nb::handle self, const Structure& s) { return lent<NodeId>(self, s.heads); }))
      .def_prop_ro("tail_starts",
                   array_of([](nb::handle self, const Structure& s) { return lent(self, s.tails.starts()); }))
      .def_prop_ro("tails", array_of([](nb::handle self, const Structure& s) { return lent(self, s.tails.values()); }))
      .def_prop_ro("rules", array_of([](nb::handle self, const Structure& s) { return lent<RuleId>(self, s.rules); }))
      .def_prop_ro("spans", array_of([](nb::handle self, const Structure& s) {
                     return lent_records<std::uint32_t>(self, std::span<const SourceSpan>(s.spans));
                   }))
      .def_prop_ro("target_starts",
                   array_of([](nb::handle self, const Structure& s) { return lent(self, s.targets.starts()); }))
      .def_prop_ro("targets",
                   array_of([](nb::handle self, const Structure& s) { return lent(self, s.targets.values()); }))
      .def_prop_ro("feature_starts",
                   array_of([](nb::handle self, const Structure& s) { return lent(self, s.features.starts()); }))
      .def_prop_ro("feature_ids",
                   array_of([](nb::handle self, const Structure& s) { return lent(self, s.features.values()); }))
      .def_prop_ro("feature_values",
                   array_of([](nb::handle self, const Structure& s) { return lent<double>(self, s.values); }))
      .def_prop_ro("link_starts",
                   array_of([](nb::handle self, const Structure& s) { return lent(self, s.links.starts()); }))
      .def_prop_ro("links", array_of([](nb::handle self, const Structure& s) {
                     return lent_records<std::uint16_t>(self, s.links.values());
                   }))
      .def_prop_ro("scores", [](nb::handle self) { return lent(self, nb::cast<const Forest&>(self).scores()); })
      .def(
          "rescored",
          [](const Forest& self, In<double> scores) {
            check_edges(self, scores);
            return self.rescored({scores.data(), scores.data() + scores.size()});
          },
          "scores"_a.noconvert(), "The same derivations under other scores of the edges.")
      .def(
          "reweighted",
          [](const Forest& self, In<double> weights) {
            return unlocked([&] { return self.reweighted(view(weights)); });
          },
          "weights"_a.noconvert(), "The same derivations, scored by weights . features.");

  nb::class_<ForestBuilder>(m, "ForestBuilder", "Collects nodes and edges in any order.")
      .def(nb::init<>())
      .def(
          "add_node",
          [](ForestBuilder& self, std::uint32_t start, std::uint32_t end, std::uint32_t covered, std::uint32_t category,
             const std::vector<std::uint64_t>& coverage) {
            return self.add_node({start, end, covered, category}, coverage);
          },
          "start"_a, "end"_a, "covered"_a, "category"_a, "coverage"_a)
      .def(
          "add_edge",
          [](ForestBuilder& self, NodeId head, const std::vector<NodeId>& tails, const std::vector<WordId>& target,
             RuleId rule, std::pair<std::uint32_t, std::uint32_t> span, const std::vector<FeatureId>& features,
             const std::vector<double>& values, double score,
             const std::vector<std::pair<std::uint16_t, std::uint16_t>>& links) {
            std::vector<Link> points;
            for (const auto& [source, word] : links) points.push_back({source, word});
            return self.add_checked_edge(
                {head, tails, target, rule, {span.first, span.second}, features, values, score, points});
          },
          "head"_a, "tails"_a, "target"_a, "rule"_a, "span"_a, "features"_a, "values"_a, "score"_a, "links"_a)
      .def_prop_ro("nodes", &ForestBuilder::nodes)
      .def_prop_ro("edges", &ForestBuilder::edges)
      .def("finish", [](const ForestBuilder& self, NodeId goal) { return self.finish(goal); }, "goal"_a);

  nb::class_<Enumeration>(m, "Enumeration", "Derivations of a forest from the best to the worst, found one by one.")
      .def(nb::init<const Forest&>(), "forest"_a)
      .def(
          "next",
          [](Enumeration& self) -> nb::object {
            const auto found = unlocked([&] { return self.search.next(); });
            if (found.empty()) return nb::none();
            Derivations one;
            one.edges.push_back(found);
            one.scores.push_back(self.search.score());
            return handed_over(std::move(one));
          },
          nb::sig("def next(self) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]] | None"));

  nb::class_<ExplicitAutomaton>(m, "Automaton", "A deterministic weighted automaton over words; state 0 is the start.")
      .def(nb::init<>())
      .def_prop_ro("states", &ExplicitAutomaton::states)
      .def("add_state", &ExplicitAutomaton::add_state)
      .def(
          "add_arc",
          [](ExplicitAutomaton& self, StateId from, WordId word, StateId to, double score) {
            self.add_arc(from, word, {to, score});
          },
          "from_state"_a, "word"_a, "to_state"_a, "score"_a = 0.0)
      .def(
          "set_otherwise",
          [](ExplicitAutomaton& self, StateId from, StateId to, double score) {
            self.set_otherwise(from, {to, score});
          },
          "from_state"_a, "to_state"_a, "score"_a = 0.0)
      .def("set_final", &ExplicitAutomaton::set_final, "state"_a, "score"_a = 0.0);

  nb::class_<NgramExpectations>(m, "NgramExpectations", "Expected n-gram counts of a forest.")
      .def(
          "__init__",
          [](NgramExpectations* self, const Forest& forest, std::size_t order, std::size_t most_edges) {
            const nb::gil_scoped_release free;
            new (self) NgramExpectations(forest, order, most_edges);
          },
          "forest"_a, "order"_a, "most_edges"_a)
      .def_prop_ro(
          "words",
          [](nb::handle self) { return lent(self, nb::cast<const NgramExpectations&>(self).ngrams().rows().values()); })
      .def_prop_ro(
          "starts",
          [](nb::handle self) { return lent(self, nb::cast<const NgramExpectations&>(self).ngrams().rows().starts()); })
      .def_prop_ro(
          "counts",
          [](nb::handle self) { return lent<double>(self, nb::cast<const NgramExpectations&>(self).counts()); })
      .def_prop_ro("length", &NgramExpectations::length)
      .def_prop_ro("edges", &NgramExpectations::edges)
      .def(
          "occurrence",
          [](const NgramExpectations& self, In<std::uint32_t> ids, int threads) {
            for (const std::uint32_t id : view(ids))
              if (id >= self.counts().size()) throw nb::index_error();
            return owned(unlocked([&] { return self.occurrence(view(ids), threads); }));
          },
          "ids"_a.noconvert(), nb::kw_only(), "threads"_a = 0)
      .def(
          "bleu",
          [](const NgramExpectations& self, In<WordId> words, In<std::uint32_t> ends) {
            const Rows<WordId> candidates = rows(words, ends);
            return owned(unlocked([&] { return self.bleu(candidates); }));
          },
          "words"_a.noconvert(), "ends"_a.noconvert())
      .def(
          "linear",
          [](const NgramExpectations& self, In<WordId> words, In<std::uint32_t> ends, In<double> factors, int threads) {
            if (factors.size() != self.order() + 1)
              throw SettingError("a factor for words and one for each order are needed");
            const Rows<WordId> candidates = rows(words, ends);
            return owned(unlocked([&] { return self.linear(candidates, view(factors), threads); }));
          },
          "words"_a.noconvert(), "ends"_a.noconvert(), "factors"_a.noconvert(), nb::kw_only(), "threads"_a = 0);

  nb::class_<ForestWriter>(m, "ForestWriter", "Writes forests into one binary file.")
      .def(nb::init<const std::filesystem::path&>(), "path"_a)
      .def(
          "add",
          [](ForestWriter& self, const Forest& forest, const Vocabulary& words, const Vocabulary& features,
             const nb::list& source) {
            const auto tokens = texts(source);
            unlocked([&] {
              self.add(forest, words.view(), features.view(), tokens);
              return 0;
            });
          },
          "forest"_a, "words"_a, "features"_a, "source"_a,
          nb::sig("def add(self, forest: Forest, words: dragoman._native.common.Vocabulary, features: "
                  "dragoman._native.common.Vocabulary, source: list[str]) -> None"))
      .def("finish", &ForestWriter::finish, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<ForestFile>(m, "ForestFile", "Forests in a binary file.")
      .def(nb::init<const std::filesystem::path&>(), "path"_a)
      .def("__len__", &ForestFile::size)
      .def("words", [](const ForestFile& self) { return Vocabulary(self.words()); })
      .def("features", [](const ForestFile& self) { return Vocabulary(self.features()); })
      .def(
          "forest",
          [](const ForestFile& self, std::size_t index) {
            if (index >= self.size()) throw nb::index_error();
            std::vector<WordId> source;
            Forest forest = unlocked([&] { return self.forest(index, source); });
            return std::make_pair(std::move(forest), owned(std::move(source)));
          },
          "index"_a, nb::sig("def forest(self, index: int) -> tuple[Forest, NDArray[uint32]]"));
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.doc() = "Packed forests of derivations and everything that is computed on them.";
  m.attr("NONTERMINAL_BIT") = kNonterminalBit;
  bind_classes(m);
  bind_forest_walks(m);
}

}  // namespace dragoman
