#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind_forest.hpp"
#include "bindings/kbest_lists.hpp"
#include "common/vocabulary.hpp"
#include "forest/combine.hpp"
#include "forest/expectation.hpp"
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

void check_derivation(const Forest& forest, const In<std::uint32_t>& edges) {
  if (const char* problem = derivation_problem(forest, view(edges))) throw InputError(problem, "derivation");
}

nb::tuple sparse_vector(FeatureValues&& features) {
  return nb::make_tuple(owned(std::move(features.ids)), owned(std::move(features.values)));
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
        return sparse_vector(unlocked([&] { return weighted_features(forest, view(amounts)); }));
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
      "kbest_lists",
      [](const nb::list& forests, const nb::list& words, std::size_t nbest, bool distinct, int threads) {
        if (nb::len(words) != nb::len(forests)) throw InputError("a vocabulary is needed for each forest");
        std::vector<NamedForest> named;
        for (std::size_t i = 0; i < nb::len(forests); ++i)
          named.push_back({&nb::cast<const Forest&>(forests[i]), nb::cast<const Vocabulary&>(words[i]).view()});
        const StopCallback stop = stop_on_signal();
        return handed_over(unlocked([&] { return kbest_lists(named, list_options(nbest, distinct), threads, stop); }));
      },
      "forests"_a, "words"_a, nb::kw_only(), "nbest"_a, "distinct"_a, "threads"_a,
      nb::sig("def kbest_lists(forests: list[Forest], words: list[dragoman._native.common.Vocabulary], *, nbest: int, "
              "distinct: bool, threads: int) -> tuple[NDArray[int64], NDArray[int64], NDArray[int64], "
              "NDArray[float64], NDArray[float64], NDArray[int64], list[str]]"),
      "The best derivations of each forest: where lists and rows start, feature ids and values, scores, the text of "
      "each derivation, texts.");
  m.def(
      "sample",
      [](const Forest& forest, std::uint64_t seed, std::uint64_t first, std::size_t count, int threads) {
        return handed_over(unlocked([&] { return sample(forest, seed, first, count, threads); }));
      },
      "forest"_a, "seed"_a, "first"_a, "count"_a, nb::kw_only(), "threads"_a = 0,
      nb::sig("def sample(forest: Forest, seed: int, first: int, count: int, *, threads: int = 0) -> "
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
        Intersection found = unlocked([&] {
          IntersectOptions options;
          options.most_edges = most_edges;
          options.feature = feature.value_or(kAbsent);
          options.feature_weight = feature_weight;
          return intersect(forest, automaton, options);
        });
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
  m.attr("BLEU_ORDER") = kBleuOrder;
  m.def(
      "bleu_oracle",
      [](const Forest& forest, In<WordId> words, In<std::uint32_t> ends, std::size_t beam, double model, double gain) {
        const Rows<WordId> references = rows(words, ends);
        if (references.size() == 0) throw InputError("no reference");
        if (beam == 0) throw SettingError("the beam must be at least 1");
        Oracle found = unlocked([&] { return bleu_oracle(forest, references, beam, {model, gain}); });
        return nb::make_tuple(owned(std::move(found.derivation)), found.bleu);
      },
      "forest"_a, "words"_a.noconvert(), "ends"_a.noconvert(), "beam"_a, nb::kw_only(), "model"_a = 0.0, "gain"_a = 1.0,
      nb::sig("def bleu_oracle(forest: Forest, words: NDArray[uint32], ends: NDArray[uint32], beam: int, *, "
              "model: float = 0.0, gain: float = 1.0) -> tuple[NDArray[uint32], float]"),
      "The derivation with the highest sum of model score and BLEU in reference words, and its BLEU.");
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

void bind_forest_walks(nb::module_& m) {
  bind_passes(m);
  bind_choices(m);
}

}  // namespace dragoman
