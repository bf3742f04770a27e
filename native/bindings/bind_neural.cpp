#include <nanobind/stl/function.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "neural/joint_model.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using namespace neural;

// Text keeps the arrays that it looks at.
struct BoundText {
  In<Unit> source, target;
  In<std::uint64_t> source_ends, target_ends;
  In<std::uint32_t> affiliations;

  [[nodiscard]] JointText text() const {
    return {view(source), view(target), view(source_ends), view(target_ends), view(affiliations)};
  }
};

}  // namespace

void bind_neural(nb::module_& m) {
  m.doc() = "Small neural models.";
  nb::class_<BoundText>(m, "JointText", "Sentence pairs in units, one after the other, with affiliations.")
      .def(
          "__init__",
          [](BoundText* self, In<Unit> source, In<Unit> target, In<std::uint64_t> source_ends,
             In<std::uint64_t> target_ends, In<std::uint32_t> affiliations) {
            new (self) BoundText{source, target, source_ends, target_ends, affiliations};
          },
          "source"_a.noconvert(), "target"_a.noconvert(), "source_ends"_a.noconvert(), "target_ends"_a.noconvert(),
          "affiliations"_a.noconvert());
  nb::class_<JointModel>(m, "JointModel", "The probability of a target word given target and source context.")
      .def(
          "__init__",
          [](JointModel* self, std::size_t source_units, In<double> frequencies, std::size_t history,
             std::size_t window, std::size_t vector, std::size_t hidden, std::uint64_t seed) {
            new (self) JointModel({source_units, frequencies.size(), history, window, vector, hidden},
                                  view(frequencies), seed);
          },
          "source_units"_a, "target_frequencies"_a.noconvert(), nb::kw_only(), "history"_a, "window"_a, "vector"_a,
          "hidden"_a, "seed"_a)
      .def(
          "evaluate",
          [](const JointModel& self, const BoundText& text, int threads) {
            JointQuality found;
            {
              const nb::gil_scoped_release unlocked;
              found = evaluate(self, text.text(), threads);
            }
            return nb::make_tuple(found.log_probability, found.score, found.log_sum, found.log_sum_squared);
          },
          "text"_a, "threads"_a = 0);
  nb::class_<JointTrainer>(m, "JointTrainer", "Passes over a text, one after the other.")
      .def(
          "__init__",
          [](JointTrainer* self, JointModel& model, const BoundText& text, std::size_t batch, std::size_t samples, double normalization,
             double dropout, std::uint64_t seed) {
            new (self) JointTrainer(model, text.text(), {batch, samples, normalization, dropout, seed});
          },
          "model"_a, "text"_a, nb::kw_only(), "batch"_a, "samples"_a, "normalization"_a, "dropout"_a, "seed"_a, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>())
      .def(
          "train_pass",
          [](JointTrainer& self, std::size_t number, double rate, int threads) {
            const auto stop = stop_on_signal();
            const nb::gil_scoped_release unlocked;
            return self.pass(number, rate, threads, stop, {});
          },
          "number"_a, "rate"_a, "threads"_a = 0);
}

}  // namespace dragoman
