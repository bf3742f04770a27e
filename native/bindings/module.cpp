#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"

NB_MODULE(_native, m) {
  using namespace dragoman;
  m.doc() = "The native core: one submodule per room.";
#ifdef NDEBUG
  // What a cache or a notebook still holds when Python ends goes with the process; a list of it would only frighten.
  nb::set_leak_warnings(false);
#endif
  register_errors();
  const auto room = [&m](const char* name, void (*bind)(nb::module_&)) {
    nb::module_ submodule = m.def_submodule(name);
    bind(submodule);
  };
  room("align", bind_align);
  room("annotations", bind_annotations);
  room("combination", bind_combination);
  room("common", bind_common);
  room("text", bind_text);
  room("evaluation", bind_evaluation);
  room("metrics", bind_metrics);
  room("features", bind_features);
  room("semantics", bind_semantics);
  room("neural", bind_neural);
  room("similarity", bind_similarity);
  room("search", bind_search);
  room("forest", bind_forest);
  room("lm", bind_lm);
  room("grammar", bind_grammar);
  room("tuning", bind_tuning);
}
