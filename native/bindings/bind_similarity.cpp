#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "similarity/near_duplicates.hpp"
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
  m.def(
      "near_duplicates",
      [](const nb::list& lines, double least, int threads) {
        const auto views = texts(lines);
        const StopCallback stop = stop_on_signal();
        similarity::NearDuplicates found;
        {
          const nb::gil_scoped_release unlocked;
          found = similarity::near_duplicates(views, least, threads, stop);
        }
        return std::tuple(owned(std::move(found.first)), owned(std::move(found.second)),
                          owned(std::move(found.jaccard)));
      },
      "lines"_a, nb::kw_only(), "least"_a, "threads"_a = 0,
      nb::sig("def near_duplicates(lines: list[str], *, least: float, threads: int = 0) -> tuple[NDArray[int64], "
              "NDArray[int64], NDArray[float64]]"),
      "Numbers of both lines of each pair whose words overlap enough, and how much they do.");
}

}  // namespace dragoman
