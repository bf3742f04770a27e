#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "combination/combiner.hpp"
#include "common/parallel.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace combination;

void bind_combination(nb::module_& m) {
  m.doc() = "Outputs of several systems, combined word by word.";
  nb::enum_<Horizon>(m, "Horizon").value("LENGTH", Horizon::length).value("ALIGNMENT", Horizon::alignment);

  nb::class_<Outputs>(m, "Outputs", "What several systems said about one sentence, and which words correspond.")
      .def(
          "__init__",
          [](Outputs* self, const std::vector<std::vector<std::string>>& outputs,
             const std::vector<std::vector<bool>>& punctuation, const In2<std::int32_t>& links) {
            if (links.shape(0) != 0 && links.shape(1) != 5) throw InputError("a link has 5 numbers");
            std::vector<WordLink> found;
            for (std::size_t row = 0; row < links.shape(0); ++row) {
              const std::int32_t* link = links.data() + row * 5;
              for (int column = 0; column < 5; ++column)
                if (link[column] < 0 || link[column] > (column == 4 ? 3 : 0xffff))
                  throw InputError("a link leads to no word");
              found.push_back({{static_cast<std::uint16_t>(link[0]), static_cast<std::uint16_t>(link[1])},
                               {static_cast<std::uint16_t>(link[2]), static_cast<std::uint16_t>(link[3])},
                               static_cast<LinkKind>(link[4])});
            }
            new (self) Outputs(outputs, punctuation, found);
          },
          "outputs"_a, "punctuation"_a, "links"_a.noconvert(),
          "Links are rows of system, word, system, word, stage (exact, stem, synonym, paraphrase).")
      .def_prop_ro("systems", &Outputs::systems);

  nb::class_<MatchSet>(m, "MatchSet", "Kinds of links (bits: the four stages, self, boundary) and lengths of runs.")
      .def(
          "__init__",
          [](MatchSet* self, std::uint8_t kinds, int per_system, int collective) {
            new (self) MatchSet{kinds, per_system, collective};
          },
          nb::kw_only(), "kinds"_a, "per_system"_a, "collective"_a);

  nb::class_<Combined>(m, "Combined", "The forest of all combinations that search kept.")
      .def_prop_ro("forest", [](const Combined& self) { return self.forest; })
      .def_prop_ro("words", [](const Combined& self) { return self.words; })
      .def_prop_ro("seconds", [](const Combined& self) { return self.seconds; })
      .def_prop_ro(
          "statistics",
          [](const Combined& self) {
            nb::dict found;
            found["built"] = self.statistics.built;
            found["recombined"] = self.statistics.recombined;
            found["pruned"] = self.statistics.pruned;
            found["kept"] = self.statistics.kept;
            found["language_model_queries"] = self.statistics.language_model_queries;
            return found;
          },
          nb::sig("def statistics(self) -> dict[str, int]"));

  nb::class_<Combiner>(m, "Combiner")
      .def(
          "__init__",
          [](Combiner* self, int systems, const std::vector<MatchSet>& matches, Horizon horizon, int radius,
             double stay_threshold, std::size_t beam, std::shared_ptr<lm::Model> language_model) {
            new (self) Combiner({systems, matches, horizon, radius, stay_threshold, beam}, std::move(language_model));
          },
          nb::kw_only(), "systems"_a, "matches"_a, "horizon"_a, "radius"_a, "stay_threshold"_a, "beam"_a,
          "language_model"_a.none())
      .def_prop_ro("features", [](const Combiner& self) { return self.layout().size() - 1; })
      .def(
          "combine",
          [](const Combiner& self, const std::vector<const Outputs*>& sentences, const In<double>& weights,
             int threads) {
            std::vector<Combined> results(sentences.size());
            const StopCallback stop = stop_on_signal();
            {
              const nb::gil_scoped_release unlocked;
              parallel_shards(
                  sentences.size(), threads,
                  [&](std::size_t i) { results[i] = self.combine(*sentences[i], view(weights)); }, stop);
            }
            return results;
          },
          "sentences"_a, "weights"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          "Weights by feature id, from 1: lm, length, oov, then per match set each system's lengths and the "
          "collective.");
}

}  // namespace dragoman
