#include <cmath>

#include "bindings/bind_search.hpp"
#include "bindings/bounded_models.hpp"
#include "search/exact_forest.hpp"
#include "search/exact_phrase.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace search;

namespace {

using SharedBounds = std::vector<std::shared_ptr<lm::Bounds>>;

// Calls use(requests, bounds, stop) without the GIL.
template <typename Use>
auto unlocked(const BoundPhraseDecoder& self, const nb::list& lines, const nb::list& extra, const nb::list& marks,
              const nb::list& constraints, const SharedBounds& bounds, const Use& use) {
  const auto requests = read_requests(texts(lines), extra, marks, constraints, *self.model->names);
  const std::vector<std::shared_ptr<const lm::Bounds>> given(bounds.begin(), bounds.end());
  const StopCallback stop = stop_on_signal();
  const nb::gil_scoped_release free;
  return use(requests, given, stop);
}

std::vector<BoundDecoded> named(std::vector<Decoded> found,
                                const std::shared_ptr<const features::FeatureNames>& names) {
  std::vector<BoundDecoded> bound;
  bound.reserve(found.size());
  for (Decoded& each : found) bound.push_back({std::move(each), names});
  return bound;
}

std::vector<BoundDecoded> optimize_lines(const BoundPhraseDecoder& self, const nb::list& lines, const nb::list& extra,
                                         const nb::list& marks, const nb::list& constraints, const SharedBounds& bounds,
                                         const ExactSettings& settings, int threads) {
  return named(unlocked(self, lines, extra, marks, constraints, bounds,
                        [&](const auto& requests, const auto& given, const StopCallback& stop) {
                          return self.decoder.optimize(requests, given, settings, threads, stop);
                        }),
               self.model->names);
}

nb::list rounds_of(const SampleRun& run) {
  nb::list rows;
  for (const SampleRound& each : run.rounds)
    rows.append(nb::make_tuple(each.log_norm, each.drawn, each.accepted, each.mean_ratio, each.nodes, each.edges,
                               each.refined, each.seconds));
  return rows;
}

// (derivations, draws, rounds, reached, log partition) per sentence.
nb::list sample_lines(const BoundPhraseDecoder& self, const nb::list& lines, const nb::list& extra,
                      const nb::list& marks, const nb::list& constraints, const SharedBounds& bounds,
                      const SampleSettings& settings, int threads) {
  auto found = unlocked(self, lines, extra, marks, constraints, bounds,
                        [&](const auto& requests, const auto& given, const StopCallback& stop) {
                          return self.decoder.sample(requests, given, settings, threads, stop);
                        });
  nb::list rows;
  for (Sampled& each : found) {
    if (each.error) std::rethrow_exception(each.error);
    rows.append(nb::make_tuple(named(std::move(each.derivations), self.model->names), each.draws, rounds_of(each.run),
                               each.run.reached, each.run.log_partition));
  }
  return rows;
}

void bind_forests(nb::module_& m) {
  nb::class_<BoundedModels>(m, "BoundedModels", "Language models with their bounds and weights.")
      .def(nb::init<>())
      .def(
          "add",
          [](BoundedModels& self, std::shared_ptr<lm::Model> model, std::shared_ptr<lm::Bounds> bounds, double weight) {
            self.add(std::move(model), std::move(bounds), weight, nullptr);
          },
          "model"_a, "bounds"_a, "weight"_a)
      .def(
          "add_classes",
          [](BoundedModels& self, std::shared_ptr<lm::Model> model, std::shared_ptr<lm::Bounds> bounds, double weight,
             const std::unordered_map<std::string, std::string>& classes) {
            self.add(std::move(model), std::move(bounds), weight, &classes);
          },
          "model"_a, "bounds"_a, "weight"_a, "classes"_a);
  m.def(
      "optimize_forest",
      [](const forest::Forest& forest, const Vocabulary& words, const BoundedModels& models,
         const ExactSettings& settings, double known) {
        ForestOptimum found;
        {
          const nb::gil_scoped_release free;
          found = optimize_forest(forest, words.view(), models.models, settings, known);
        }
        return nb::make_tuple(found.derivation, found.last, std::make_shared<Proof>(std::move(found.proof)),
                              found.contexts);
      },
      "forest"_a, "words"_a, "models"_a, "settings"_a, "known"_a,
      nb::sig("def optimize_forest(forest: dragoman._native.forest.Forest, words: dragoman._native.common.Vocabulary, "
              "models: BoundedModels, settings: ExactSettings, known: float) -> tuple[list[int], list[int], Proof, "
              "list[list[str]]]"),
      "Edges of the best derivation, none if what is known is as good, and of what promised most at the end; the "
      "proof; "
      "contexts that were registered.");
  m.def(
      "sample_forest",
      [](const forest::Forest& forest, const Vocabulary& words, const BoundedModels& models,
         const SampleSettings& settings, std::uint64_t item) {
        ForestSamples found;
        {
          const nb::gil_scoped_release free;
          found = sample_forest(forest, words.view(), models.models, settings, item);
        }
        return nb::make_tuple(found.derivations, found.draws, rounds_of(found.run), found.run.reached,
                              found.run.log_partition, found.contexts);
      },
      "forest"_a, "words"_a, "models"_a, "settings"_a, "item"_a,
      nb::sig("def sample_forest(forest: dragoman._native.forest.Forest, words: dragoman._native.common.Vocabulary, "
              "models: BoundedModels, settings: SampleSettings, item: int) -> tuple[list[list[int]], list[int], "
              "list[tuple[float, int, int, float, int, int, int, float]], bool, float, list[list[str]]]"));
}

}  // namespace

void bind_proof(nb::module_& m) {
  nb::class_<Proof>(m, "Proof", "What exact search can prove of a derivation.")
      .def_prop_ro("optimal", [](const Proof& self) { return self.run.status == ExactStatus::kOptimal; })
      .def_prop_ro("best", [](const Proof& self) { return self.run.best; })
      .def_prop_ro("bound", [](const Proof& self) { return self.run.bound; })
      .def_prop_ro("stop",
                   [](const Proof& self) {
                     static constexpr const char* kWords[] = {"proved",  "time",   "iterations",
                                                              "stalled", "memory", "exhausted"};
                     return kWords[static_cast<int>(self.run.stop)];
                   })
      .def_prop_ro(
          "seeded", [](const Proof& self) { return std::isfinite(self.seeded) ? nb::cast(self.seeded) : nb::none(); },
          nb::sig("def seeded(self) -> float | None"), "What the decoder's own search reached.")
      .def_prop_ro("nodes_at_first", [](const Proof& self) { return self.nodes_at_first; })
      .def_prop_ro("edges_at_first", [](const Proof& self) { return self.edges_at_first; })
      .def_prop_ro("distinct", [](const Proof& self) { return self.distinct; })
      .def_prop_ro(
          "missing", [](const Proof& self) { return self.certificate.missing; },
          "Why there is no certificate; empty if there is one.")
      .def_prop_ro("levels", [](const Proof& self) { return self.levels; })
      .def_prop_ro(
          "trace",
          [](const Proof& self) {
            nb::list rows;
            for (const ExactIteration& each : self.run.trace)
              rows.append(nb::make_tuple(each.bound, each.score, each.best, each.nodes, each.edges, each.refined,
                                         each.seconds));
            return rows;
          },
          nb::sig("def trace(self) -> list[tuple[float, float, float, int, int, int, float]]"),
          "Per iteration: bound, score of what promised it, best so far, nodes, edges, contexts added, seconds.")
      .def_prop_ro(
          "options",
          [](const Proof& self) {
            nb::list rows;
            for (const auto& each : self.certificate.options)
              rows.append(nb::make_tuple(each.start, each.end, nb::tuple(nb::cast(each.target)), each.score,
                                         nb::tuple(nb::cast(each.previous)), nb::tuple(nb::cast(each.next))));
            return rows;
          },
          nb::sig("def options(self) -> list[tuple[int, int, tuple[str, ...], float, tuple[float, ...], tuple[float, "
                  "...]]]"),
          "Span, target, score, and scores of orders with the phrase before and after it.")
      .def_prop_ro(
          "reordering",
          [](const Proof& self) {
            return !self.certificate.orders ? "none" : self.certificate.hierarchical ? "hierarchical" : "phrase";
          })
      .def_prop_ro(
          "features",
          [](const Proof& self) {
            nb::list rows;
            for (const auto& each : self.certificate.features) {
              nb::list states;
              for (const auto& state : each.states) states.append(nb::make_tuple(state.after, state.scores, state.end));
              rows.append(nb::make_tuple(each.name, each.after, each.scores, states));
            }
            return rows;
          },
          nb::sig("def features(self) -> list[tuple[str, list[list[int]], list[list[tuple[int, float]]], "
                  "list[tuple[int, int, float]]]]"),
          "With states: name, rows of states after options, rows of scores of options, per state its rows and its end.")
      .def_prop_ro("derivation", [](const Proof& self) { return self.certificate.derivation; })
      .def_prop_ro(
          "contexts",
          [](const Proof& self) {
            nb::list rows;
            for (const auto& each : self.certificate.contexts)
              rows.append(nb::make_tuple(nb::tuple(nb::cast(each.covered)), each.end, nb::tuple(nb::cast(each.words))));
            return rows;
          },
          nb::sig("def contexts(self) -> list[tuple[tuple[int, ...], int, tuple[str, ...]]]"),
          "Per node: covered positions, end of the last phrase, words known.");
}

void bind_exact(nb::module_& m, nb::class_<BoundPhraseDecoder>& decoder) {
  nb::class_<ExactSettings> settings(m, "ExactSettings", "How exact search goes on.");
  settings.def(nb::init<>());
  bind_number(settings, "epsilon", &ExactSettings::epsilon);
  bind_number(settings, "time_limit", &ExactSettings::time_limit);
  bind_number(settings, "iterations", &ExactSettings::iterations);
  bind_number(settings, "patience", &ExactSettings::patience);
  bind_number(settings, "memory", &ExactSettings::memory);
  bind_number(settings, "prune_every", &ExactSettings::prune_every);
  bind_number(settings, "seed_search", &ExactSettings::seed);
  bind_number(settings, "start_known", &ExactSettings::start_known);
  bind_number(settings, "words", &ExactSettings::words);
  bind_number(settings, "contexts", &ExactSettings::contexts);
  bind_number(settings, "in_rule", &ExactSettings::in_rule);
  nb::class_<SampleSettings> sampling(m, "SampleSettings", "How exact sampling goes on.");
  sampling.def(nb::init<>());
  bind_number(sampling, "samples", &SampleSettings::samples);
  bind_number(sampling, "scale", &SampleSettings::scale);
  bind_number(sampling, "acceptance", &SampleSettings::acceptance);
  bind_number(sampling, "batch", &SampleSettings::batch);
  bind_number(sampling, "refine", &SampleSettings::refine);
  bind_number(sampling, "in_rule", &SampleSettings::in_rule);
  bind_number(sampling, "time_limit", &SampleSettings::time_limit);
  bind_number(sampling, "memory", &SampleSettings::memory);
  bind_number(sampling, "seed", &SampleSettings::seed);

  static const std::string given =
      "lines: list[str], extra: list[list[tuple[int, int, str, list[tuple[str, float]], str]]], marks: "
      "list[tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | "
      "None], constraints: "
      "list[tuple[list[str], "
      "list[int], list[tuple[int, "
      "int]], bool, bool] | None], bounds: list[dragoman._native.lm.Bounds], settings: ";
  static const std::string optimize =
      "def optimize(self, " + given + "ExactSettings, *, threads: int) -> list[Decoded]";
  static const std::string sample = "def sample(self, " + given +
                                    "SampleSettings, *, threads: int) -> list[tuple[list[Decoded], list[int], "
                                    "list[tuple[float, int, int, float, int, int, int, float]], bool, float]]";
  decoder.def("optimize", &optimize_lines, "lines"_a, "extra"_a, "marks"_a, "constraints"_a, "bounds"_a, "settings"_a,
              nb::kw_only(), "threads"_a, nb::sig(optimize.c_str()),
              "The best derivation of each line, proved within limits.");
  decoder.def(
      "sample", &sample_lines, "lines"_a, "extra"_a, "marks"_a, "constraints"_a, "bounds"_a, "settings"_a,
      nb::kw_only(), "threads"_a, nb::sig(sample.c_str()),
      "Per line: derivations, draws (which of them), rounds, whether the acceptance was reached, log partition.");
  bind_forests(m);
}

}  // namespace dragoman
