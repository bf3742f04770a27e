#pragma once
// What the two halves of the forest binding share: `bind_forest.cpp` binds the classes, `bind_forest_walks.cpp` the
// functions that walk over a forest.
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "forest/derivation.hpp"

namespace dragoman {

void bind_forest_walks(nb::module_& m);

// Runs a function without the GIL; making arrays of its result needs it again.
template <typename Function>
auto unlocked(Function&& function) {
  const nb::gil_scoped_release free;
  return function();
}

inline void check_edges(const forest::Forest& forest, const In<double>& values) {
  if (values.size() != forest.edges())
    throw InputError(std::to_string(values.size()) + " values for " + std::to_string(forest.edges()) + " edges");
}

inline nb::tuple handed_over(forest::Derivations&& found) {
  std::vector<forest::EdgeId> edges(found.edges.values().begin(), found.edges.values().end());
  std::vector<std::uint32_t> ends(found.edges.starts().begin() + 1, found.edges.starts().end());
  return nb::make_tuple(owned(std::move(edges)), owned(std::move(ends)), owned(std::move(found.scores)));
}

// Rows that end at `ends`.
inline forest::Rows<WordId> rows(const In<WordId>& words, const In<std::uint32_t>& ends) {
  forest::Rows<WordId> result;
  std::uint32_t start = 0;
  for (const std::uint32_t end : view(ends)) {
    if (end < start || end > words.size()) throw InputError("ends that do not fit the words");
    result.push_back(view(words).subspan(start, end - start));
    start = end;
  }
  return result;
}

}  // namespace dragoman
