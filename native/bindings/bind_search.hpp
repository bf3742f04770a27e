#pragma once
// What the bindings of decoders share: models in the making, requests, translations as search found them.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/choices.hpp"
#include "bindings/python_feature.hpp"
#include "features/templates.hpp"
#include "search/decoded.hpp"
#include "search/phrase_decoder.hpp"
#include "search/rule_model.hpp"
#include "search/search_settings.hpp"
#include "search/sentence_options.hpp"

namespace dragoman {

void bind_hiero(nb::module_& m);
void bind_gappy(nb::module_& m);

// A model in the making; Python sets its parts by name.
template <typename Model>
struct ModelBuilder {
  Model model;
  mutable std::shared_ptr<const Model> finished;  // once there is a decoder, nothing is added any more

  [[nodiscard]] const std::shared_ptr<const Model>& finish() const {
    if (!finished) {
      auto made = std::make_shared<Model>(model);
      made->isolated =
          std::make_shared<search::IsolatedScores>(model.table->base().rules(), model.language_models.size());
      finished = std::move(made);
    }
    return finished;
  }

  // With the feature ids of another model, `like`, if there is one.
  explicit ModelBuilder(std::shared_ptr<grammar::LayeredTable> table, const ModelBuilder* like) {
    model.names = like != nullptr ? like->model.names : std::make_shared<features::FeatureNames>();
    model.column_features.assign(table->base().columns().size(), search::kNoFeature);
    model.table = std::move(table);
  }
  explicit ModelBuilder(std::shared_ptr<grammar::RuleTable> table, const ModelBuilder* like)
      : ModelBuilder(std::make_shared<grammar::LayeredTable>(std::move(table)), like) {}
  search::FeatureId feature(const std::string& name) {
    return name.empty() ? search::kNoFeature : model.names->intern(name);
  }

  void set_column(std::size_t column, const std::string& name) { model.column_features.at(column) = feature(name); }
  void add_language_model(const std::string& name, std::shared_ptr<lm::Model> language_model) {
    features::LanguageModelUse use;
    use.feature = feature(name);
    use.word_map = language_model->map_words(model.table->base().target_words());
    use.model = std::move(language_model);
    model.language_models.push_back(std::make_shared<const features::LanguageModelUse>(std::move(use)));
  }
  void add_class_model(const std::string& name, std::shared_ptr<lm::Model> language_model,
                       const std::unordered_map<std::string, std::string>& classes) {
    features::LanguageModelUse use;
    use.feature = feature(name);
    use.over_classes = true;
    for (const auto& [word, label] : classes) use.classes.emplace(word, language_model->id(label));
    if (const auto rest = use.classes.find("<unk>"); rest != use.classes.end()) use.other_class = rest->second;
    const VocabularyView words = model.table->base().target_words();
    for (std::size_t id = 0; id < words.size(); ++id)
      use.word_map.push_back(use.spelt(words.word(static_cast<WordId>(id))));
    use.model = std::move(language_model);
    model.language_models.push_back(std::make_shared<const features::LanguageModelUse>(std::move(use)));
  }
  void rank_like(const ModelBuilder& other) { model.ranked_like = other.finish(); }
  void add_rule_feature(nb::object given) {
    model.rule_features.push_back(python_rule_feature(std::move(given), model.names));
  }
  void set_orientation(features::OrientationClasses classes, bool hierarchical, bool previous, bool next,
                       const std::vector<std::uint32_t>& columns, const std::vector<std::string>& names) {
    features::OrientationSettings settings;
    settings.classes = classes;
    settings.hierarchical = hierarchical;
    settings.forward = previous;
    settings.backward = next;
    const auto wanted = static_cast<std::size_t>(features::class_count(classes) * (previous + next));
    if (columns.size() != wanted || names.size() != wanted)
      throw SettingError("a reordering model of " + std::to_string(wanted) + " columns was given " +
                         std::to_string(columns.size()));
    for (const std::string& name : names) settings.features.push_back(feature(name));
    model.orientation = std::move(settings);
    model.orientation_columns = columns;
  }
  // Bottom-up search has state features of its own kind.
  void add_state_feature(nb::object given) {
    if constexpr (requires { model.chart_features; })
      model.chart_features.push_back(python_chart_feature(std::move(given), model.names));
    else
      model.state_features.push_back(python_state_feature(std::move(given), model.names));
  }
  [[nodiscard]] features::Templates make_templates(std::vector<std::string> domains, std::string default_domain) const {
    const std::shared_ptr<const grammar::RuleTable> table(model.table, &model.table->base());
    return features::Templates(model.names, table, std::move(domains), std::move(default_domain));
  }
  void add_templates(const features::Templates& templates) {
    for (auto& make : templates.rule_features()) model.rule_features.push_back(std::move(make));
    if constexpr (requires { model.chart_features; })
      for (auto& make : templates.chart_features()) model.chart_features.push_back(std::move(make));
    else
      for (auto& make : templates.state_features()) model.state_features.push_back(std::move(make));
  }
  void append_names(Vocabulary& names) const { model.names->append_to(names); }
};

template <typename Builder>
nb::class_<Builder> bind_model(nb::module_& m, const char* name, const char* doc) {
  using namespace nb::literals;
  return nb::class_<Builder>(m, name, doc)
      .def(nb::init<std::shared_ptr<grammar::RuleTable>, const Builder*>(), "table"_a, "like"_a.none() = nb::none())
      .def(nb::init<std::shared_ptr<grammar::LayeredTable>, const Builder*>(), "table"_a, "like"_a.none() = nb::none())
      .def("set_column", &Builder::set_column, "column"_a, "feature"_a)
      .def("add_language_model", &Builder::add_language_model, "feature"_a, "model"_a)
      .def("add_class_model", &Builder::add_class_model, "feature"_a, "model"_a, "classes"_a,
           "A model over word classes; words without a class have that of `<unk>`.")
      .def("rank_like", &Builder::rank_like, "other"_a,
           "Of the rules of a source side try those that the language models of another model of this table prefer.")
      .def("add_rule_feature", &Builder::add_rule_feature, "feature"_a)
      .def("add_state_feature", &Builder::add_state_feature, "feature"_a)
      .def("make_templates", &Builder::make_templates, nb::kw_only(), "domains"_a, "default_domain"_a,
           "An empty set of sparse templates for this model.")
      .def("add_templates", &Builder::add_templates, "templates"_a, "Switches on what was gathered.")
      .def("append_names", &Builder::append_names, "names"_a,
           "Adds the feature names that `names`, filled by this call before, does not have yet.");
}

// A translation with the names of features, which Python needs to read vectors.
struct BoundDecoded {
  search::Decoded decoded;
  std::shared_ptr<const features::FeatureNames> names;
};

// Sentences to translate; `extra`, `marks` and `constraints` are empty or have an item per line. All must outlive them.
[[nodiscard]] std::vector<search::Request> read_requests(const std::vector<std::string_view>& lines,
                                                         const nb::list& extra, const nb::list& marks,
                                                         const nb::list& constraints, features::FeatureNames& names);

// A decoder and its model.
template <typename Model, typename Decoder>
struct BoundDecoder {
  std::shared_ptr<const Model> model;
  Decoder decoder;

  [[nodiscard]] std::vector<BoundDecoded> decode_requests(const std::vector<search::Request>& requests, int threads,
                                                          bool keep_forests) const {
    std::vector<search::Decoded> found;
    {
      const nb::gil_scoped_release unlocked;
      found = decoder.decode(requests, threads, keep_forests, stop_on_signal());
    }
    std::vector<BoundDecoded> bound;
    bound.reserve(found.size());
    for (search::Decoded& decoded : found) bound.push_back({std::move(decoded), model->names});
    return bound;
  }
  [[nodiscard]] std::vector<BoundDecoded> decode(const nb::list& lines, const nb::list& extra, const nb::list& marks,
                                                 const nb::list& constraints, int threads, bool keep_forests) const {
    return decode_requests(read_requests(texts(lines), extra, marks, constraints, *model->names), threads,
                           keep_forests);
  }
  [[nodiscard]] std::vector<BoundDecoded> force(const nb::list& lines, const nb::list& references,
                                                const nb::list& marks, int threads, bool keep_forests) const {
    std::vector<search::Request> requests = read_requests(texts(lines), nb::list(), marks, nb::list(), *model->names);
    if (nb::len(references) != requests.size())
      throw InputError("references for " + std::to_string(nb::len(references)) + " sentences of " +
                       std::to_string(requests.size()));
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests[i].constraints.references = texts(nb::cast<nb::list>(references[i]));
    return decode_requests(requests, threads, keep_forests);
  }
};

template <typename Model, typename Decoder, typename Settings>
nb::class_<BoundDecoder<Model, Decoder>> bind_decoder(nb::module_& m, const char* name, const char* doc) {
  using namespace nb::literals;
  using Bound = BoundDecoder<Model, Decoder>;
  using Builder = ModelBuilder<Model>;
  return nb::class_<Bound>(m, name, doc)
      .def(
          "__init__",
          [](Bound* self, const Builder& builder, const std::vector<std::pair<std::string, double>>& weights,
             const Settings& settings) {
            std::vector<double> vector;
            for (const auto& [feature, weight] : weights) {
              const search::FeatureId id = builder.model.names->intern(feature);
              if (id >= vector.size()) vector.resize(id + 1);
              vector[id] = weight;
            }
            const auto& model = builder.finish();
            new (self) Bound{model, Decoder(model, std::move(vector), settings)};
          },
          "model"_a, "weights"_a, "settings"_a)
      .def(
          "__init__",
          [](Bound* self, const Builder& builder, const In<double>& weights, const Settings& settings) {
            const auto given = view(weights);
            const auto& model = builder.finish();
            new (self) Bound{model, Decoder(model, {given.begin(), given.end()}, settings)};
          },
          "model"_a, "weights"_a, "settings"_a, "Weights by feature id, as `append_names` gives them.")
      .def(
          "with_settings",
          [](const Bound& self, const Settings& settings) {
            return Bound{self.model, self.decoder.with_settings(settings)};
          },
          "settings"_a, "The same models and weights, searched in another way.")
      .def(
          "unknown_words",
          [](const Bound& self, const std::string& line) {
            return search::unknown_words(*self.model->table->view(), line);
          },
          "line"_a, "Positions of the words for which the table has no rule of their own.")
      .def("decode", &Bound::decode, "lines"_a, "extra"_a, "marks"_a, "constraints"_a, nb::kw_only(), "threads"_a,
           "keep_forests"_a,
           nb::sig("def decode(self, lines: list[str], extra: list[list[tuple[int, int, str, list[tuple[str, float]], "
                   "str]]], marks: list[tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], "
                   "list[tuple[str, int, int]]] | None], "
                   "constraints: list[tuple[list[str], "
                   "list[int], list[tuple[int, int]], bool, bool] | None], *, threads: int, keep_forests: bool) -> "
                   "list[Decoded]"),
           "Translations in the order of the lines; `extra` is empty, or has one list of options per line, `marks` "
           "what is known of each line (domain, tags, heads), and `constraints` what restricts it: the prefix, as a "
           "list of one or none, walls, zones, whether phrases stay in order and whether words may be dropped.");
}

using BoundPhraseDecoder = BoundDecoder<search::PhraseModel, search::PhraseDecoder>;
void bind_proof(nb::module_& m);
void bind_exact(nb::module_& m, nb::class_<BoundPhraseDecoder>& decoder);

// Forced decoding, for decoders that heed references.
template <typename Bound>
nb::class_<Bound> bind_force(nb::class_<Bound> decoder) {
  using namespace nb::literals;
  return decoder.def(
      "force", &Bound::force, "lines"_a, "references"_a, "marks"_a, nb::kw_only(), "threads"_a, "keep_forests"_a,
      nb::sig("def force(self, lines: list[str], references: list[list[str]], marks: list[tuple[str, list[str], "
              "list[int], list[tuple[str, int, int]], list[str], list[tuple[str, int, int]]] | None], *, threads: int, "
              "keep_forests: bool) -> "
              "list[Decoded]"),
      "As `decode`, where a sentence may become one of its references and nothing else.");
}

template <typename Settings>
void bind_unknown_policy(nb::class_<Settings>& settings) {
  using search::UnknownPolicy;
  bind_choice<Settings>(
      settings, "unknown", [](auto& self) -> auto& { return self.unknown; },
      {{"copy", UnknownPolicy::kCopy}, {"mark", UnknownPolicy::kMark}, {"drop", UnknownPolicy::kDrop}});
}

// Properties of settings by the names that Python declares.
template <typename Settings, typename Value>
void bind_number(nb::class_<Settings>& settings, const char* name, Value Settings::* member) {
  settings.def_prop_rw(
      name, [member](const Settings& self) { return self.*member; },
      [member](Settings& self, Value value) { self.*member = value; });
}

// Limits of a search that keeps everything.
template <typename Settings>
void bind_space_limits(nb::class_<Settings>& settings) {
  settings.def(
      "limit_space", [](Settings& self, std::uint64_t memory, double seconds) { self.space = {memory, seconds, true}; },
      nb::kw_only(), nb::arg("memory"), nb::arg("seconds"));
}

// What can be chosen about any search (`dragoman.search.settings.SearchSettings`), and how long sentences are treated.
template <typename Settings>
void bind_search_settings(nb::class_<Settings>& settings) {
  settings.def(nb::init<>());
  bind_unknown_policy(settings);
  using search::HardSyntax;
  bind_choice<Settings>(
      settings, "hard_syntax", [](auto& self) -> auto& { return self.hard_syntax; },
      {{"free", HardSyntax::kFree}, {"no_cross", HardSyntax::kNoCross}, {"match_only", HardSyntax::kMatchOnly}});
  bind_choice<Settings>(settings, "long_sentences", [](auto& self) -> auto& { return self.split; },
                        {{"split", true}, {"refuse", false}});
  bind_number(settings, "beam", &Settings::beam);
  bind_number(settings, "pop_limit", &Settings::pop_limit);
  bind_number(settings, "option_limit", &Settings::option_limit);
  bind_number(settings, "max_sentence_length", &Settings::max_sentence_length);
}

// A setting of jumps, by the name that Python declares.
template <typename Settings, typename Value>
void bind_distortion(nb::class_<Settings>& settings, const char* name, Value features::DistortionSettings::* member) {
  settings.def_prop_rw(
      name, [member](const Settings& self) { return self.distortion.*member; },
      [member](Settings& self, Value value) { self.distortion.*member = value; });
}

// Those that all searches over phrases have.
template <typename Settings>
void bind_distortion_limits(nb::class_<Settings>& settings) {
  bind_choice<Settings>(settings, "limit_kind", [](auto& self) -> auto& { return self.distortion.semantics; },
                        {{"jump", features::DistortionLimit::kJump}, {"window", features::DistortionLimit::kWindow}});
  bind_distortion(settings, "distortion_limit", &features::DistortionSettings::limit);
  bind_distortion(settings, "final_jump", &features::DistortionSettings::final_jump);
}

}  // namespace dragoman
