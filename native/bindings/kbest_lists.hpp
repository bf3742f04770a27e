#pragma once
// n-best lists as Python gets them: where lists and rows start, feature ids and values, scores, the text of each
// candidate, texts.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "forest/kbest_lists.hpp"

namespace dragoman {

inline nb::tuple handed_over(forest::KBestLists&& found) {
  return nb::make_tuple(owned(std::move(found.lists)), owned(std::move(found.rows)), owned(std::move(found.ids)),
                        owned(std::move(found.values)), owned(std::move(found.scores)), owned(std::move(found.text_of)),
                        found.texts);
}

}  // namespace dragoman
