#pragma once
// One alignment out of two directional ones. The order in which links are tried is part of the definition and is that
// of Moses' symal (Koehn, Och and Marcu 2003).
#include <string_view>

#include "align/bitext.hpp"
#include "common/parallel.hpp"

namespace dragoman::align {

enum class Heuristic {
  forward,
  reverse,
  intersection,
  union_,
  grow,
  grow_diag,
  grow_diag_final,
  grow_diag_final_and,
};

[[nodiscard]] Heuristic heuristic_named(std::string_view name);  // throws SettingError

// `forward` links each target word at most once, `reverse` each source word; both as sorted (source, target) links.
[[nodiscard]] Alignments symmetrize(const Alignments& forward, const Alignments& reverse, Heuristic heuristic,
                                    int threads, const StopCallback& stop);

}  // namespace dragoman::align
