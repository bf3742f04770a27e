#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "neural/joint_normalization.hpp"
#include "neural/joint_training.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using namespace neural;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// Words in the order of their ids, the first being `<unk>`.
JointWords joint_words(const nb::list& words, const In<Unit>& units, const In<float>& shares) {
  JointWords side;
  for (const std::string_view word : texts(words)) side.words.intern(word);
  side.units.assign(units.data(), units.data() + units.size());
  side.shares.assign(shares.data(), shares.data() + shares.size());
  if (side.words.size() != side.units.size() || side.units.size() != side.shares.size())
    throw InputError("units for " + std::to_string(side.units.size()) + " words of " +
                     std::to_string(side.words.size()));
  return side;
}

// Gradients of rows as a whole matrix, the last column apart if it is a bias.
Out2<float> whole(const RowGradients& gradients, std::size_t row_count, std::size_t first, std::size_t columns) {
  std::vector<float> values(row_count * columns);
  for (std::size_t slot = 0; slot < gradients.rows.size(); ++slot)
    for (std::size_t i = 0; i < columns; ++i)
      values[gradients.rows[slot] * columns + i] = gradients.slot(slot)[first + i];
  return owned(std::move(values), row_count, columns);
}

// Parameters, part after part, as fresh arrays.
nb::list copied(const auto& parts) {
  nb::list found;
  for (const auto values : parts) found.append(owned(std::vector<float>(values.begin(), values.end())));
  return found;
}

void copy_parameters(const nb::list& given, const std::vector<std::span<float>>& parts) {
  if (nb::len(given) != parts.size()) throw InputError("parameters of another model");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto values = nb::cast<In<float>>(given[i]);
    if (values.size() != parts[i].size()) throw InputError("parameters of another model");
    std::copy_n(values.data(), values.size(), parts[i].begin());
  }
}

void bind_joint_text(nb::module_& m) {
  nb::class_<JointText>(m, "JointText", "Sentence pairs as a joint model sees them.")
      .def(
          "__init__",
          [](JointText* self, const JointModel& model, const nb::list& source, const nb::list& target,
             const nb::list& links) {
            const auto sources = texts(source), targets = texts(target), aligned = texts(links);
            if (sources.size() != targets.size() || sources.size() != aligned.size())
              throw InputError("sides and links of different length");
            new (self) JointText();
            for (std::size_t i = 0; i < sources.size(); ++i)
              self->add(model.source_words, model.target_words, sources[i], targets[i], aligned[i],
                        "alignment of pair " + std::to_string(i + 1));
          },
          "model"_a, "source"_a, "target"_a, "links"_a,
          nb::sig("def __init__(self, model: JointModel, source: list[str], target: list[str], links: list[str]) -> "
                  "None"));
}

void bind_joint_model(nb::module_& m) {
  nb::class_<JointModel>(m, "JointModel", "The probability of a target word given target and source context.")
      .def(
          "__init__",
          [](JointModel* self, const nb::list& source_words, const In<Unit>& source_units, const nb::list& target_words,
             const In<Unit>& target_units, const In<float>& target_shares, std::size_t source_count,
             const In<double>& target_counts, std::size_t history, std::size_t window, std::size_t vector,
             std::size_t hidden, std::uint64_t seed) {
            const std::vector<float> whole_shares(source_units.size(), 0.0f);
            const In<float> source_shares(whole_shares.data(), {whole_shares.size()});
            new (self) JointModel({source_count, target_counts.size(), history, window, vector, hidden},
                                  joint_words(source_words, source_units, source_shares),
                                  joint_words(target_words, target_units, target_shares), view(target_counts), seed);
          },
          nb::kw_only(), "source_words"_a, "source_units"_a, "target_words"_a, "target_units"_a, "target_shares"_a,
          "source_count"_a, "target_counts"_a, "history"_a, "window"_a, "vector"_a, "hidden"_a, "seed"_a,
          nb::sig("def __init__(self, *, source_words: list[str], source_units: NDArray[uint32], target_words: "
                  "list[str], target_units: NDArray[uint32], target_shares: NDArray[float32], source_count: int, "
                  "target_counts: NDArray[float64], history: int, window: int, vector: int, hidden: int, seed: int) "
                  "-> None"),
          "Words in the order of their ids, `<unk>` first, with their units and, of the target, logarithms of their "
          "shares in them; units number from 0, the first two being the edges of a sentence.")
      .def_static("open", &JointModel::open, "path"_a, Unlocked())
      .def_static(
          "joined",
          [](const nb::list& networks) {
            std::vector<const JointModel*> each;
            for (const nb::handle network : networks) each.push_back(&nb::cast<const JointModel&>(network));
            if (each.empty()) throw InputError("no networks");
            return JointModel::joined(each);
          },
          "networks"_a, nb::sig("def joined(networks: list[JointModel]) -> JointModel"),
          "Networks over the same units as one, whose scores are the means of theirs.")
      .def("save", &JointModel::save, "path"_a, Unlocked())
      .def_prop_ro("history", [](const JointModel& self) { return self.shape.history; })
      .def_prop_ro("window", [](const JointModel& self) { return self.shape.window; })
      .def_prop_ro("vector", [](const JointModel& self) { return self.shape.vector; })
      .def_prop_ro("hidden", [](const JointModel& self) { return self.shape.hidden; })
      .def_prop_ro("source_units", [](const JointModel& self) { return self.shape.source_units; })
      .def_prop_ro("target_units", [](const JointModel& self) { return self.shape.target_units; })
      .def(
          "source_unit", [](const JointModel& self, const std::string& word) { return self.source_words.unit(word); },
          "word"_a)
      .def(
          "target_unit",
          [](const JointModel& self, const std::string& word) {
            const WordId id = self.target_words.words.id(word);
            return std::tuple(self.target_words.units[id], self.target_words.shares[id]);
          },
          "word"_a, "The unit of a word, and the logarithm of its share in it.")
      .def(
          "knows",
          [](const JointModel& self, const std::string& word, bool target) {
            return (target ? self.target_words : self.source_words).words.view().find(word).has_value();
          },
          "word"_a, nb::kw_only(), "target"_a)
      .def(
          "parameters", [](const JointModel& self) { return copied(self.parameters()); },
          nb::sig("def parameters(self) -> list[NDArray[float32]]"),
          "Vectors of source and target units, weights and bias of the hidden layer and of the output, copied.")
      .def(
          "set_parameters", [](JointModel& self, const nb::list& given) { copy_parameters(given, self.parameters()); },
          "parameters"_a, nb::sig("def set_parameters(self, parameters: list[NDArray[float32]]) -> None"))
      .def(
          "normalize",
          [](JointModel& self, const JointText& text, std::size_t units, std::size_t contexts, std::size_t passes,
             std::uint64_t seed, int threads, const nb::object& progress) {
            const auto stop = stop_on_signal();
            const nb::gil_scoped_release unlocked;
            normalize(self, text, {units, contexts, passes, seed}, threads, stop, [&progress](double done) {
              const nb::gil_scoped_acquire locked;
              if (!progress.is_none()) progress(done);
            });
          },
          "text"_a, nb::kw_only(), "units"_a, "contexts"_a, "passes"_a, "seed"_a, "threads"_a,
          "progress"_a.none() = nb::none(),
          nb::sig("def normalize(self, text: JointText, *, units: int, contexts: int, passes: int, seed: int, threads: "
                  "int, progress: object = None) -> None"),
          "Adds hidden units that learn by how much scores are too high, which is taken off.")
      .def(
          "evaluate",
          [](const JointModel& self, const JointText& text, int threads) {
            JointQuality found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.evaluate(text, threads);
            }
            return std::tuple(found.log_probability, found.score, found.log_sum, found.log_sum_deviation, found.words);
          },
          "text"_a, "threads"_a = 0,
          "Means of log probabilities and of scores, mean and deviation of the logarithm of the sum of all "
          "exponentiated scores, and the number of words.")
      .def(
          "unit_scores",
          [](const JointModel& self, const JointText& text, bool normalized, int threads) {
            std::vector<float> found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.unit_scores(text, normalized, threads);
            }
            return owned(std::move(found));
          },
          "text"_a, nb::kw_only(), "normalized"_a, "threads"_a = 0,
          nb::sig("def unit_scores(self, text: JointText, *, normalized: bool, threads: int = 0) -> NDArray[float32]"),
          "A score for each target word and sentence end.");
}

void bind_joint_trainer(nb::module_& m) {
  nb::class_<JointTrainer>(m, "JointTrainer", "Passes over a text, one after the other.")
      .def(
          "__init__",
          [](JointTrainer* self, JointModel& model, const JointText& text, std::size_t batch, double normalization,
             double dropout, double vector_dropout, std::uint64_t seed) {
            new (self) JointTrainer(model, text, {batch, normalization, dropout, vector_dropout, seed});
          },
          "model"_a, "text"_a, nb::kw_only(), "batch"_a, "normalization"_a, "dropout"_a, "vector_dropout"_a = 0.0,
          "seed"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def(
          "train_pass",
          [](JointTrainer& self, std::size_t number, double rate, std::size_t samples, int threads,
             const nb::object& progress) {
            const auto stop = stop_on_signal();
            const nb::gil_scoped_release unlocked;
            return self.pass(number, rate, samples, threads, stop, [&progress](double done) {
              const nb::gil_scoped_acquire locked;
              if (!progress.is_none()) progress(done);
            });
          },
          "number"_a, nb::kw_only(), "rate"_a, "samples"_a, "threads"_a, "progress"_a.none() = nb::none(),
          nb::sig("def train_pass(self, number: int, *, rate: float, samples: int, threads: int, progress: object = "
                  "None) -> float"),
          "One pass, which changes the model; gives the mean loss. So many samples stand for all units, 0 for none.")
      .def(
          "gradients",
          [](JointTrainer& self, const JointModel& model, std::size_t samples, int threads) {
            JointGradients found;
            const double loss = self.gradients(found, samples, threads);
            const JointShape& shape = model.shape;
            nb::list parts;
            parts.append(whole(found.source, shape.source_units, 0, shape.vector));
            parts.append(whole(found.target, shape.target_units, 0, shape.vector));
            parts.append(owned(std::move(found.input.values), model.input.rows, shape.hidden));
            parts.append(owned(std::move(found.input_bias)));
            parts.append(whole(found.output, shape.target_units, 0, shape.hidden));
            parts.append(whole(found.output, shape.target_units, shape.hidden, 1));
            return nb::make_tuple(loss, parts, owned(std::vector<Unit>(self.samples().begin(), self.samples().end())));
          },
          "model"_a, nb::kw_only(), "samples"_a = 0, "threads"_a = 0,
          nb::sig("def gradients(self, model: JointModel, *, samples: int = 0, threads: int = 0) -> tuple[float, "
                  "list[NDArray[float32]], NDArray[uint32]]"),
          "The summed loss of the text, its gradients in the order of the model's parameters, and the units that stood "
          "for all: so many samples, or all if it is 0.")
      .def("save", &JointTrainer::save, "path"_a, "passes"_a, Unlocked(), "Everything that training goes on from.")
      .def("restore", &JointTrainer::restore, "path"_a, Unlocked(), "Gives the number of passes that were made.");
}

void bind_sums(nb::module_& m) {
  m.def(
      "sum_gradients",
      [](const JointModel& model, const nb::list& parameters, const In<Unit>& contexts, const In<float>& sums) {
        const auto added = nb::cast<In<float>>(parameters[3]);
        SumNetwork network(model.shape, added.size());
        copy_parameters(parameters, network.parameters());
        if (contexts.size() != sums.size() * model.shape.inputs()) throw InputError("contexts for other sums");
        SumWork work(model.shape, added.size());
        const double loss = sum_gradients(model, network, view(contexts), view(sums), work);
        return nb::make_tuple(loss, copied(work.gradient.parameters()));
      },
      "model"_a, "parameters"_a, "contexts"_a, "sums"_a,
      nb::sig(
          "def sum_gradients(model: JointModel, parameters: list[NDArray[float32]], contexts: NDArray[uint32], sums: "
          "NDArray[float32]) -> tuple[float, list[NDArray[float32]]]"),
      "Half of the squared errors of the network that learns logarithms of sums, and the gradients of its parameters: "
      "weights and bias of its own units, what it makes of the model's hidden units, of its own, and a bias.");
}

}  // namespace

void bind_neural(nb::module_& m) {
  m.doc() = "Small neural models.";
  bind_joint_model(m);
  bind_sums(m);
  bind_joint_text(m);
  bind_joint_trainer(m);
}

}  // namespace dragoman
