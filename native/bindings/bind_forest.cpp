#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "common/vocabulary.hpp"
#include "forest/combine.hpp"
#include "forest/consensus.hpp"
#include "forest/expectation.hpp"
#include "forest/forest_file.hpp"
#include "forest/inside.hpp"
#include "forest/intersect.hpp"
#include "forest/kbest.hpp"
#include "forest/oracle.hpp"
#include "forest/prune.hpp"
#include "forest/sample.hpp"

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

void check_edges(const Forest& forest, const In<double>& values) {
  if (values.size() != forest.edges())
    throw InputError(std::to_string(values.size()) + " values for " + std::to_string(forest.edges()) + " edges");
}

void check_derivation(const Forest& forest, const In<std::uint32_t>& edges) {
  if (const char* problem = derivation_problem(forest, view(edges))) throw InputError(problem, "derivation");
}

nb::tuple handed_over(Derivations&& found) {
  std::vector<EdgeId> edges(found.edges.values().begin(), found.edges.values().end());
  std::vector<std::uint32_t> ends(found.edges.starts().begin() + 1, found.edges.starts().end());
  return nb::make_tuple(owned(std::move(edges)), owned(std::move(ends)), owned(std::move(found.scores)));
}

nb::tuple handed_over(FeatureValues&& features) {
  return nb::make_tuple(owned(std::move(features.ids)), owned(std::move(features.values)));
}

Rows<WordId> rows(const In<WordId>& words, const In<std::uint32_t>& ends) {
  Rows<WordId> result;
  std::uint32_t start = 0;
  for (const std::uint32_t end : view(ends)) {
    if (end < start || end > words.size()) throw InputError("ends that do not fit the words");
    result.push_back(view(words).subspan(start, end - start));
    start = end;
  }
  return result;
}

template <typename Function>
auto unlocked(Function&& function) {
  const nb::gil_scoped_release free;
  return function();
}

// Inside or outside values of every node; `weights` are values of edges.
template <typename S>
Out<double> pass(const S& s, const Forest& forest, const In<double>& weights, bool outward) {
  check_edges(forest, weights);
  std::vector<double> result;
  unlocked([&] {
    const auto given = view(weights);
    const auto weight = [&](EdgeId edge) { return static_cast<typename S::Value>(given[edge]); };
    auto values = inside(s, forest, weight);
    if (outward) values = outside(s, forest, weight, std::span<const typename S::Value>(values));
    result.assign(values.begin(), values.end());
    return 0;
  });
  return owned(std::move(result));
}

// Best-first enumeration that owns its forest.
struct Enumeration {
  explicit Enumeration(const Forest& forest) : forest(forest), search(this->forest) {}
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
            Derivations found;
            if (!unlocked([&] { return self.search.next(found); })) return nb::none();
            return handed_over(std::move(found));
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
          "ids"_a.noconvert(), nb::kw_only(), "threads"_a = 1)
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
          "words"_a.noconvert(), "ends"_a.noconvert(), "factors"_a.noconvert(), nb::kw_only(), "threads"_a = 1);

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

void bind_passes(nb::module_& m) {
  m.def(
      "node_values",
      [](const Forest& forest, const std::string& semiring, In<double> weights, bool outward) {
        if (semiring == "max") return pass(MaxPlus{}, forest, weights, outward);
        if (semiring == "log") return pass(LogPlus{}, forest, weights, outward);
        if (semiring == "real") return pass(Real{}, forest, weights, outward);
        if (semiring == "boolean") return pass(Boolean{}, forest, weights, outward);
        throw SettingError("no semiring is called '" + semiring + "'", "choose max, log, real or boolean");
      },
      "forest"_a, "semiring"_a, "weights"_a.noconvert(), nb::kw_only(), "outward"_a = false,
      "Inside values of all nodes, or outside values.");
  m.def(
      "posteriors",
      [](const Forest& forest) {
        Posteriors found = unlocked([&] { return posteriors(forest); });
        return nb::make_tuple(found.log_partition, owned(std::move(found.nodes)), owned(std::move(found.edges)));
      },
      "forest"_a, nb::sig("def posteriors(forest: Forest) -> tuple[float, NDArray[float64], NDArray[float64]]"),
      "Log partition, and expected uses of nodes and of edges.");
  m.def(
      "max_marginals",
      [](const Forest& forest) {
        MaxMarginals found = unlocked([&] { return max_marginals(forest); });
        return nb::make_tuple(owned(std::move(found.nodes)), owned(std::move(found.edges)));
      },
      "forest"_a, nb::sig("def max_marginals(forest: Forest) -> tuple[NDArray[float64], NDArray[float64]]"),
      "Score of the best derivation through each node and each edge.");
  m.def(
      "weighted_features",
      [](const Forest& forest, In<double> amounts) {
        check_edges(forest, amounts);
        return handed_over(unlocked([&] { return weighted_features(forest, view(amounts)); }));
      },
      "forest"_a, "amounts"_a.noconvert(),
      nb::sig("def weighted_features(forest: Forest, amounts: NDArray[float64]) -> "
              "tuple[NDArray[uint32], NDArray[float64]]"),
      "Sum over edges of amount times features.");
  m.def(
      "derivation_features",
      [](const Forest& forest, In<std::uint32_t> edges, In<std::uint32_t> ends) {
        const Rows<EdgeId> derivations = rows(edges, ends);
        for (const EdgeId edge : view(edges))
          if (edge >= forest.edges()) throw InputError("no such edge", "edge " + std::to_string(edge));
        FeatureRows found = unlocked([&] { return derivation_features(forest, derivations); });
        std::vector<FeatureId> ids(found.ids.values().begin(), found.ids.values().end());
        std::vector<std::uint32_t> starts(found.ids.starts().begin(), found.ids.starts().end());
        return nb::make_tuple(owned(std::move(starts)), owned(std::move(ids)), owned(std::move(found.values)));
      },
      "forest"_a, "edges"_a.noconvert(), "ends"_a.noconvert(),
      nb::sig("def derivation_features(forest: Forest, edges: NDArray[uint32], ends: NDArray[uint32]) -> "
              "tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]]"),
      "Feature vectors of derivations as a sparse matrix: row starts, ids, values.");
  m.def(
      "gain_expectation",
      [](const Forest& forest, In<double> gains) {
        check_edges(forest, gains);
        GainExpectation found = unlocked([&] { return gain_expectation(forest, view(gains)); });
        return nb::make_tuple(found.log_partition, found.mean, owned(std::move(found.covariance.ids)),
                              owned(std::move(found.covariance.values)));
      },
      "forest"_a, "gains"_a.noconvert(),
      nb::sig("def gain_expectation(forest: Forest, gains: NDArray[float64]) -> "
              "tuple[float, float, NDArray[uint32], NDArray[float64]]"),
      "Log partition, mean gain, and its covariance with each feature.");
  m.def(
      "moments",
      [](const Forest& forest, In<double> first, In<double> second) {
        check_edges(forest, first);
        check_edges(forest, second);
        const Moments found = unlocked([&] { return moments(forest, view(first), view(second)); });
        return nb::make_tuple(found.log_partition, found.first, found.second, found.covariance);
      },
      "forest"_a, "first"_a.noconvert(), "second"_a.noconvert(),
      nb::sig("def moments(forest: Forest, first: NDArray[float64], second: NDArray[float64]) -> "
              "tuple[float, float, float, float]"),
      "Log partition, two means and their covariance.");
  m.def("entropy", &entropy, "forest"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "count_residues",
      [](const Forest& forest) {
        const Residues found = unlocked([&] { return count_residues(forest); });
        return std::make_pair(found.primes, found.remainders);
      },
      "forest"_a, "Primes, and the number of derivations modulo each.");
}

void bind_choices(nb::module_& m) {
  m.def(
      "best_derivation", [](const Forest& forest) { return owned(unlocked([&] { return best_derivation(forest); })); },
      "forest"_a);
  m.def(
      "k_best",
      [](const Forest& forest, std::size_t k, bool distinct, std::size_t most_pops) {
        return handed_over(unlocked([&] { return k_best(forest, {k, distinct, most_pops}); }));
      },
      "forest"_a, "k"_a, "distinct"_a, "most_pops"_a,
      nb::sig("def k_best(forest: Forest, k: int, distinct: bool, most_pops: int) -> "
              "tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]]"),
      "Edges of all derivations, where each ends, and their scores.");
  m.def(
      "sample",
      [](const Forest& forest, std::uint64_t seed, std::uint64_t first, std::size_t count, int threads) {
        return handed_over(unlocked([&] { return sample(forest, seed, first, count, threads); }));
      },
      "forest"_a, "seed"_a, "first"_a, "count"_a, nb::kw_only(), "threads"_a = 1,
      nb::sig("def sample(forest: Forest, seed: int, first: int, count: int, *, threads: int = 1) -> "
              "tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]]"));
  m.def(
      "yield_of",
      [](const Forest& forest, In<std::uint32_t> edges) {
        check_derivation(forest, edges);
        Yield found = yield_of(forest, view(edges));
        const auto links = links_of(forest, view(edges), found);
        return nb::make_tuple(owned(std::move(found.words)), owned(std::move(found.steps)),
                              owned(std::move(found.symbols)), links);
      },
      "forest"_a, "edges"_a.noconvert(),
      nb::sig("def yield_of(forest: Forest, edges: NDArray[uint32]) -> "
              "tuple[NDArray[uint32], NDArray[uint32], NDArray[uint32], list[tuple[int, int]]]"),
      "Target words, the step and symbol that wrote each, and the word links.");
  m.def(
      "child_steps",
      [](const Forest& forest, In<std::uint32_t> edges) {
        check_derivation(forest, edges);
        const Rows<std::uint32_t> children = child_steps(forest, view(edges));
        std::vector<std::vector<std::uint32_t>> lists;
        for (std::size_t step = 0; step < children.size(); ++step)
          lists.emplace_back(children[step].begin(), children[step].end());
        return lists;
      },
      "forest"_a, "edges"_a.noconvert(), "For each step, the steps that derive its tails.");
  m.def(
      "pruned",
      [](const Forest& forest, double margin, double density, double posterior) {
        return unlocked([&] { return pruned(forest, {margin, density, posterior}); });
      },
      "forest"_a, "margin"_a, "density"_a, "posterior"_a);
  m.def(
      "unite", [](const std::vector<const Forest*>& forests) { return unlocked([&] { return unite(forests); }); },
      "forests"_a);
  m.def(
      "renamed",
      [](const Forest& forest, const Vocabulary& words, Vocabulary& into_words, const Vocabulary& features,
         Vocabulary& into_features) {
        return renamed(forest, words.view(), into_words, features.view(), into_features);
      },
      "forest"_a, "words"_a, "into_words"_a, "features"_a, "into_features"_a,
      "The same forest with ids of other vocabularies, which grow as needed.");
  m.def(
      "intersect",
      [](const Forest& forest, const ExplicitAutomaton& automaton, std::size_t most_edges,
         std::optional<FeatureId> feature, double feature_weight) {
        if (automaton.states() == 0) throw InputError("the automaton has no state");
        Intersection found = unlocked(
            [&] { return intersect(forest, automaton, {most_edges, feature.value_or(kAbsent), feature_weight}); });
        return nb::make_tuple(std::move(found.forest), owned(std::move(found.origin.nodes)),
                              owned(std::move(found.origin.edges)), owned(std::move(found.entry)),
                              owned(std::move(found.exit)));
      },
      "forest"_a, "automaton"_a, "most_edges"_a, "feature"_a.none(), "feature_weight"_a,
      nb::sig("def intersect(forest: Forest, automaton: Automaton, most_edges: int, feature: int | None, "
              "feature_weight: float) -> "
              "tuple[Forest, NDArray[uint32], NDArray[uint32], NDArray[uint32], NDArray[uint32]]"),
      "The accepted derivations; original node and edge, entry and exit state of each.");
  m.def(
      "constrained",
      [](const Forest& forest, In<WordId> words) {
        return unlocked([&] {
          StringAutomaton automaton(view(words));
          return intersect(forest, automaton).forest;
        });
      },
      "forest"_a, "words"_a.noconvert(), "The derivations with exactly this target.");
  m.def(
      "bleu_oracle",
      [](const Forest& forest, In<WordId> words, In<std::uint32_t> ends, std::size_t beam) {
        const Rows<WordId> references = rows(words, ends);
        if (references.size() == 0) throw InputError("no reference");
        if (beam == 0) throw SettingError("the beam must be at least 1");
        Oracle found = unlocked([&] { return bleu_oracle(forest, references, beam); });
        return nb::make_tuple(owned(std::move(found.derivation)), found.bleu);
      },
      "forest"_a, "words"_a.noconvert(), "ends"_a.noconvert(), "beam"_a,
      nb::sig("def bleu_oracle(forest: Forest, words: NDArray[uint32], ends: NDArray[uint32], beam: int) -> "
              "tuple[NDArray[uint32], float]"));
  m.def(
      "sentence_bleu",
      [](In<WordId> hypothesis, In<WordId> words, In<std::uint32_t> ends) {
        const Rows<WordId> references = rows(words, ends);
        if (references.size() == 0) throw InputError("no reference");
        return sentence_bleu(view(hypothesis), references);
      },
      "hypothesis"_a.noconvert(), "words"_a.noconvert(), "ends"_a.noconvert());
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.doc() = "Packed forests of derivations and everything that is computed on them.";
  m.attr("NONTERMINAL_BIT") = kNonterminalBit;
  bind_classes(m);
  bind_passes(m);
  bind_choices(m);
}

}  // namespace dragoman
