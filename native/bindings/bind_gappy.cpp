#include "bindings/bind_search.hpp"
#include "bindings/rooms.hpp"
#include "search/gappy_decoder.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace search;

namespace {

using Builder = ModelBuilder<GappyModel>;
using Settings = GappySettings;

void set_penalties(Builder& self, const std::string& word, const std::string& phrase, const std::string& unknown,
                   const std::string& distortion) {
  self.model.word_penalty = self.feature(word);
  self.model.rule_penalty = self.feature(phrase);
  self.model.unknown = self.feature(unknown);
  self.model.distortion = self.feature(distortion);
}

void set_gaps(Builder& self, const std::string& source, const std::string& source_words, const std::string& target,
              const std::string& target_words) {
  self.model.source_gaps = self.feature(source);
  self.model.source_gap_words = self.feature(source_words);
  self.model.target_gaps = self.feature(target);
  self.model.target_gap_words = self.feature(target_words);
}

// Columns by the bins of sizes, the source first.
void set_gap_sizes(Builder& self, const std::vector<std::uint32_t>& columns, const std::string& source,
                   const std::string& target) {
  GappyModel& model = self.model;
  if (columns.size() != 2 * grammar::kGapSizes)
    throw SettingError("sizes of gaps in " + std::to_string(columns.size()) + " columns");
  model.source_size_columns.assign(columns.begin(), columns.begin() + grammar::kGapSizes);
  model.target_size_columns.assign(columns.begin() + grammar::kGapSizes, columns.end());
  model.source_sizes = self.feature(source);
  model.target_sizes = self.feature(target);
}

void set_order(Builder& self, const std::vector<std::string>& many, const std::string& source_crossings,
               const std::string& target_crossings, const std::string& contained) {
  for (std::size_t i = 0; i < self.model.many_source_gaps.size(); ++i)
    self.model.many_source_gaps[i] = self.feature(many.at(i));
  self.model.source_crossings = self.feature(source_crossings);
  self.model.target_crossings = self.feature(target_crossings);
  self.model.contained = self.feature(contained);
}

}  // namespace

void bind_gappy(nb::module_& m) {
  nb::class_<Settings> settings(m, "GappySettings", "How a decoder of phrases with gaps searches.");
  bind_search_settings(settings);
  bind_choice<Settings>(settings, "gap_jump", [](auto& self) -> auto& { return self.jump; },
                        {{"last", Settings::Jump::kLast},
                         {"first", Settings::Jump::kFirst},
                         {"nearest", Settings::Jump::kNearest},
                         {"average", Settings::Jump::kAverage}});
  bind_choice<Settings>(settings, "recombination", [](auto& self) -> auto& { return self.recombine; },
                        {{"exact", Settings::Recombine::kExact}, {"number", Settings::Recombine::kNumber}});
  bind_distortion_limits(settings);
  bind_number(settings, "threshold", &Settings::threshold);
  bind_number(settings, "max_phrase_length", &Settings::max_phrase_length);
  bind_number(settings, "max_source_span", &Settings::max_source_span);
  bind_number(settings, "max_target_span", &Settings::max_target_span);
  bind_number(settings, "max_pending", &Settings::max_pending);
  settings.def_rw("order_features", &Settings::order_features);
  bind_model<Builder>(m, "GappyModel", "What a decoder of phrases with gaps knows, part by part.")
      .def("set_penalties", &set_penalties, nb::kw_only(), "word"_a, "phrase"_a, "unknown"_a, "distortion"_a)
      .def("set_gaps", &set_gaps, nb::kw_only(), "source"_a, "source_words"_a, "target"_a, "target_words"_a)
      .def("set_gap_sizes", &set_gap_sizes, nb::kw_only(), "columns"_a, "source"_a, "target"_a)
      .def("set_orientation", &Builder::set_orientation, nb::kw_only(), "classes"_a, "hierarchical"_a, "previous"_a,
           "next"_a, "columns"_a, "features"_a)
      .def("set_order", &set_order, nb::kw_only(), "many"_a, "source_crossings"_a, "target_crossings"_a, "contained"_a);
  bind_decoder<GappyModel, GappyDecoder, Settings>(m, "GappyDecoder",
                                                   "Search with gaps, safe to share between threads.");
}

}  // namespace dragoman
