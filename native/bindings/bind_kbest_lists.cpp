#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind_tuning.hpp"
#include "tuning/kbest_lists.hpp"

namespace dragoman {

using namespace nb::literals;

void bind_kbest_lists(nb::module_& m) {
  m.def(
      "kbest_lists",
      [](const nb::list& forests, const nb::list& words, std::size_t nbest, bool distinct, int threads) {
        if (nb::len(words) != nb::len(forests)) throw InputError("a vocabulary is needed for each forest");
        std::vector<tuning::NamedForest> named;
        for (std::size_t i = 0; i < nb::len(forests); ++i)
          named.push_back({&nb::cast<const forest::Forest&>(forests[i]), nb::cast<const Vocabulary&>(words[i]).view()});
        const StopCallback stop = stop_on_signal();
        tuning::KBestLists found;
        {
          const nb::gil_scoped_release unlocked;
          found = tuning::kbest_lists(named, nbest, distinct, threads, stop);
        }
        return nb::make_tuple(owned(std::move(found.lists)), owned(std::move(found.rows)), owned(std::move(found.ids)),
                              owned(std::move(found.values)), owned(std::move(found.scores)), found.texts);
      },
      "forests"_a, "words"_a, nb::kw_only(), "nbest"_a, "distinct"_a, "threads"_a,
      nb::sig("def kbest_lists(forests: list[dragoman._native.forest.Forest], words: "
              "list[dragoman._native.common.Vocabulary], *, nbest: int, distinct: bool, threads: int) -> "
              "tuple[NDArray[int64], NDArray[int64], NDArray[int64], NDArray[float64], NDArray[float64], list[str]]"),
      "The best derivations of each forest: where lists and rows start, feature ids and values, scores, texts.");
}

}  // namespace dragoman
