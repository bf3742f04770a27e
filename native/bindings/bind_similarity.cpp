#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "similarity/soft_cardinality.hpp"

namespace dragoman {

using namespace nb::literals;

void bind_similarity(nb::module_& m) {
  m.doc() = "Similarity of texts: the loops behind its scorers.";
  m.def(
      "soft_cardinalities",
      [](const nb::list& first, const nb::list& second, double power, int threads) {
        const auto ours = texts(first);
        const auto theirs = texts(second);
        const StopCallback stop = stop_on_signal();
        std::vector<double> found;
        {
          const nb::gil_scoped_release unlocked;
          found = similarity::soft_cardinalities(ours, theirs, power, threads, stop);
        }
        return owned(std::move(found), ours.size(), 3);
      },
      "first"_a, "second"_a, nb::kw_only(), "power"_a = 2.0, "threads"_a = 0,
      nb::sig("def soft_cardinalities(first: list[str], second: list[str], *, power: float = 2.0, threads: int = 0) "
              "-> NDArray[float64]"),
      "Soft cardinality of the first text of each pair, of the second, and of both together.");
}

}  // namespace dragoman
