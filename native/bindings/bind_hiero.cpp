// Chart decoding as Python sees it.
#include "bindings/bind_search.hpp"
#include "bindings/bounded_models.hpp"
#include "bindings/rooms.hpp"
#include "search/hiero_decoder.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace search;

namespace {

using HieroModelBuilder = ModelBuilder<HieroModel>;

void set_penalties(HieroModelBuilder& self, const std::string& word, const std::string& rule,
                   const std::string& unknown, const std::string& glue) {
  self.model.word_penalty = self.feature(word);
  self.model.rule_penalty = self.feature(rule);
  self.model.unknown = self.feature(unknown);
  self.model.glue = self.feature(glue);
}

void set_reordering(HieroModelBuilder& self, const std::string& distortion, const std::string& reordered,
                    const std::string& width, const std::string& height) {
  self.model.with_reordering = true;
  self.model.reordering = {self.feature(distortion), self.feature(reordered), self.feature(width),
                           self.feature(height)};
}

// Settings by the names that Python declares (`dragoman.search.settings.HieroSettings`).
void bind_settings(nb::module_& m) {
  using Settings = HieroSettings;
  nb::class_<Settings> settings(m, "HieroSettings", "How a chart decoder searches.");
  bind_search_settings(settings);
  bind_space_limits(settings);
  bind_choice<Settings>(settings, "cube", [](auto& self) -> auto& { return self.algorithm; },
                        {{"pruning", Settings::Algorithm::kPruning}, {"growing", Settings::Algorithm::kGrowing}});
  bind_number(settings, "margin", &Settings::margin);
  bind_number(settings, "max_span", &Settings::max_span);
  settings.def_rw("check_left_hand_sides", &Settings::check_left_hand_sides);
}

}  // namespace

void bind_hiero(nb::module_& m) {
  bind_settings(m);
  bind_model<HieroModelBuilder>(m, "HieroModel", "What a chart decoder knows, part by part.")
      .def("set_penalties", &set_penalties, nb::kw_only(), "word"_a, "rule"_a, "unknown"_a, "glue"_a)
      .def("set_reordering", &set_reordering, nb::kw_only(), "distortion"_a, "reordered"_a, "width"_a, "height"_a)
      .def(
          "read_labels",
          [](HieroModelBuilder& self, const std::string& side, std::uint32_t max_span) {
            self.model.max_span = max_span;
            self.model.read_labels(grammar::label_side(side));
          },
          nb::kw_only(), "side"_a, "max_span"_a,
          "What follows from the labels of the table, those of a side; `max_span` is its limit, 0 if none.");
  bind_first_bound(bind_force(bind_decoder<HieroModel, HieroDecoder, HieroSettings>(
      m, "HieroDecoder", "Chart search, safe to share between threads.")));
}

}  // namespace dragoman
