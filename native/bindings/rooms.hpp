#pragma once
// One function per room, each in its own `bind_<room>.cpp`; `module.cpp` calls them all.
#include <nanobind/nanobind.h>

namespace dragoman {

void bind_align(nanobind::module_& m);
void bind_annotations(nanobind::module_& m);
void bind_combination(nanobind::module_& m);
void bind_common(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_evaluation(nanobind::module_& m);
void bind_features(nanobind::module_& m);
void bind_order_models(nanobind::module_& m);
void bind_neural(nanobind::module_& m);
void bind_metrics(nanobind::module_& m);
void bind_semantics(nanobind::module_& m);
void bind_similarity(nanobind::module_& m);
void bind_vectors(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_left_to_right(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_lm(nanobind::module_& m);
void bind_grammar(nanobind::module_& m);
void bind_tuning(nanobind::module_& m);

}  // namespace dragoman
