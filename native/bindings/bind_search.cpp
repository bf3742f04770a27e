#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include <unordered_map>

#include "bindings/arrays.hpp"
#include "bindings/choices.hpp"
#include "bindings/kbest_lists.hpp"
#include "bindings/python_feature.hpp"
#include "bindings/rooms.hpp"
#include "features/templates.hpp"
#include "search/phrase_decoder.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace search;

namespace {

// A phrase model in the making; Python sets its parts by name.
struct PhraseModelBuilder {
  PhraseModel model;
  mutable std::shared_ptr<const PhraseModel> finished;  // once there is a decoder, nothing is added any more

  [[nodiscard]] const std::shared_ptr<const PhraseModel>& finish() const {
    if (!finished) {
      auto made = std::make_shared<PhraseModel>(model);
      made->isolated = std::make_shared<IsolatedScores>(model.table->base().rules(), model.language_models.size());
      finished = std::move(made);
    }
    return finished;
  }

  // With the feature ids of another model, `like`, if there is one.
  explicit PhraseModelBuilder(std::shared_ptr<grammar::LayeredTable> table, const PhraseModelBuilder* like) {
    model.names = like != nullptr ? like->model.names : std::make_shared<features::FeatureNames>();
    model.column_features.assign(table->base().columns().size(), kNoFeature);
    model.table = std::move(table);
  }
  explicit PhraseModelBuilder(std::shared_ptr<grammar::RuleTable> table, const PhraseModelBuilder* like)
      : PhraseModelBuilder(std::make_shared<grammar::LayeredTable>(std::move(table)), like) {}
  FeatureId feature(const std::string& name) { return name.empty() ? kNoFeature : model.names->intern(name); }

  void set_column(std::size_t column, const std::string& name) { model.column_features.at(column) = feature(name); }
  void set_penalties(const std::string& word, const std::string& phrase, const std::string& unknown,
                     const std::string& distortion) {
    model.word_penalty = feature(word);
    model.phrase_penalty = feature(phrase);
    model.unknown = feature(unknown);
    model.distortion = feature(distortion);
  }
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
};

// Feature values that are spelt when Python looks at them: names cost more than the values.
struct UnspeltValues {
  features::FeatureVector values;
  std::shared_ptr<const PhraseModel> model;

  [[nodiscard]] nb::dict spell() const {
    std::unordered_map<FeatureId, double> sums;
    for (const auto& [id, value] : values) sums[id] += value;
    nb::dict named;
    for (const auto& [id, value] : values) {
      const std::string name = model->names->name(id);
      named[nb::str(name.data(), name.size())] = sums[id];
    }
    return named;
  }
};

// A decoder with the names of its features, which Python needs to read vectors.
struct BoundDecoder {
  std::shared_ptr<const PhraseModel> model;
  PhraseDecoder decoder;
};

struct BoundDecoded {
  Decoded decoded;
  std::shared_ptr<const PhraseModel> model;
};

// (domain, tags, heads) per sentence, or None.
void read_marks(const nb::list& marks, std::vector<Request>& requests) {
  if (nb::len(marks) == 0) return;
  if (nb::len(marks) != requests.size())
    throw InputError("marks for " + std::to_string(nb::len(marks)) + " sentences of " +
                     std::to_string(requests.size()));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const nb::object item = marks[i];
    if (item.is_none()) continue;
    requests[i].marks = {nb::cast<std::string>(item[0]), nb::cast<std::vector<std::string>>(item[1]),
                         nb::cast<std::vector<std::int32_t>>(item[2])};
  }
}

// Valid while the lists live.
std::vector<Request> read_requests(const BoundDecoder& self, const nb::list& lines, const nb::list& extra,
                                   const nb::list& marks) {
  const auto views = texts(lines);
  std::vector<Request> requests(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) requests[i].line = views[i];
  if (nb::len(extra) != 0 && nb::len(extra) != views.size())
    throw InputError("extra options for " + std::to_string(nb::len(extra)) + " sentences of " +
                     std::to_string(views.size()));
  for (std::size_t i = 0; i < nb::len(extra); ++i) {
    for (const nb::handle item : extra[i]) {
      ExtraOption option;
      option.start = nb::cast<std::uint32_t>(item[0]);
      option.end = nb::cast<std::uint32_t>(item[1]);
      option.target = nb::cast<std::string>(item[2]);
      for (const nb::handle pair : item[3])
        option.values.emplace_back(self.model->names->intern(nb::cast<std::string>(pair[0])),
                                   nb::cast<double>(pair[1]));
      option.exclusive = nb::cast<bool>(item[4]);
      requests[i].extra.push_back(std::move(option));
    }
  }
  read_marks(marks, requests);
  return requests;
}

std::vector<BoundDecoded> decode(const BoundDecoder& self, const nb::list& lines, const nb::list& extra,
                                 const nb::list& marks, int threads, bool keep_forests) {
  const auto requests = read_requests(self, lines, extra, marks);
  std::vector<Decoded> found;
  {
    const nb::gil_scoped_release unlocked;
    found = self.decoder.decode(requests, threads, keep_forests, stop_on_signal());
  }
  std::vector<BoundDecoded> bound;
  bound.reserve(found.size());
  for (Decoded& decoded : found) bound.push_back({std::move(decoded), self.model});
  return bound;
}

nb::tuple kbest_lists(const BoundDecoder& self, const nb::list& lines, const nb::list& extra, const nb::list& marks,
                      std::size_t nbest, bool distinct, int threads) {
  const auto requests = read_requests(self, lines, extra, marks);
  const StopCallback stop = stop_on_signal();
  forest::KBestLists found;
  {
    const nb::gil_scoped_release unlocked;
    found = self.decoder.kbest_lists(requests, forest::list_options(nbest, distinct), threads, stop);
  }
  return handed_over(std::move(found));
}

void make_decoder(BoundDecoder* self, const PhraseModelBuilder& builder, std::vector<double> weights,
                  const SearchSettings& settings) {
  const auto& model = builder.finish();
  new (self) BoundDecoder{model, PhraseDecoder(model, std::move(weights), settings)};
}

// Settings by the names that Python declares (`dragoman.search.phrase.PhraseSettings`); names of choices are words.
void bind_settings(nb::module_& m) {
  using Settings = SearchSettings;
  nb::class_<Settings> settings(m, "PhraseSettings", "How a phrase-based decoder searches.");
  const auto number = [&](const char* name, auto Settings::* member) {
    settings.def_prop_rw(
        name, [member](const Settings& self) { return self.*member; },
        [member](Settings& self, std::remove_reference_t<decltype(std::declval<Settings>().*member)> value) {
          self.*member = value;
        });
  };
  const auto in_distortion = [&](const char* name, auto features::DistortionSettings::* member) {
    settings.def_prop_rw(
        name, [member](const Settings& self) { return self.distortion.*member; },
        [member](Settings& self, std::remove_reference_t<decltype(std::declval<Settings>().distortion.*member)> value) {
          self.distortion.*member = value;
        });
  };
  settings.def(nb::init<>());
  bind_choice<Settings>(settings, "search", [](auto& self) -> auto& { return self.algorithm; },
                        {{"cube", Settings::Algorithm::kCube}, {"stack", Settings::Algorithm::kStack}});
  bind_choice<Settings>(settings, "recombination", [](auto& self) -> auto& { return self.recombine; },
                        {{"exact", Settings::Recombine::kExact}, {"pharaoh", Settings::Recombine::kPharaoh}});
  bind_choice<Settings>(settings, "limit_kind", [](auto& self) -> auto& { return self.distortion.semantics; },
                        {{"jump", features::DistortionLimit::kJump}, {"window", features::DistortionLimit::kWindow}});
  bind_choice<Settings>(
      settings, "unknown", [](auto& self) -> auto& { return self.unknown; },
      {{"copy", UnknownPolicy::kCopy}, {"mark", UnknownPolicy::kMark}, {"drop", UnknownPolicy::kDrop}});
  bind_choice<Settings>(settings, "long_sentences", [](auto& self) -> auto& { return self.split; },
                        {{"split", true}, {"refuse", false}});
  number("beam", &Settings::beam);
  number("pop_limit", &Settings::pop_limit);
  number("threshold", &Settings::threshold);
  number("option_limit", &Settings::option_limit);
  number("max_phrase_length", &Settings::max_phrase_length);
  number("max_sentence_length", &Settings::max_sentence_length);
  number("check_features", &Settings::check_features);
  in_distortion("distortion_limit", &features::DistortionSettings::limit);
  in_distortion("future_distortion", &features::DistortionSettings::future);
  in_distortion("final_jump", &features::DistortionSettings::final_jump);
}

}  // namespace

void bind_search(nb::module_& m) {
  m.doc() = "Decoders.";
  bind_settings(m);

  nb::class_<PhraseModelBuilder>(m, "PhraseModel", "What a phrase-based decoder knows, part by part.")
      .def(nb::init<std::shared_ptr<grammar::RuleTable>, const PhraseModelBuilder*>(), "table"_a,
           "like"_a.none() = nb::none())
      .def(nb::init<std::shared_ptr<grammar::LayeredTable>, const PhraseModelBuilder*>(), "table"_a,
           "like"_a.none() = nb::none())
      .def("set_column", &PhraseModelBuilder::set_column, "column"_a, "feature"_a)
      .def("set_penalties", &PhraseModelBuilder::set_penalties, nb::kw_only(), "word"_a, "phrase"_a, "unknown"_a,
           "distortion"_a)
      .def("add_language_model", &PhraseModelBuilder::add_language_model, "feature"_a, "model"_a)
      .def("add_class_model", &PhraseModelBuilder::add_class_model, "feature"_a, "model"_a, "classes"_a,
           "A model over word classes; words without a class have that of `<unk>`.")
      .def("set_orientation", &PhraseModelBuilder::set_orientation, nb::kw_only(), "classes"_a, "hierarchical"_a,
           "previous"_a, "next"_a, "columns"_a, "features"_a)
      .def(
          "add_rule_feature",
          [](PhraseModelBuilder& self, nb::object feature) {
            self.model.rule_features.push_back(python_rule_feature(std::move(feature), self.model.names));
          },
          "feature"_a)
      .def(
          "add_state_feature",
          [](PhraseModelBuilder& self, nb::object feature) {
            self.model.state_features.push_back(python_state_feature(std::move(feature), self.model.names));
          },
          "feature"_a)
      .def(
          "make_templates",
          [](const PhraseModelBuilder& self, std::vector<std::string> domains, std::string default_domain) {
            const std::shared_ptr<const grammar::RuleTable> table(self.model.table, &self.model.table->base());
            return features::Templates(self.model.names, table, std::move(domains), std::move(default_domain));
          },
          nb::kw_only(), "domains"_a, "default_domain"_a, "An empty set of sparse templates for this model.")
      .def(
          "add_templates",
          [](PhraseModelBuilder& self, const features::Templates& templates) {
            for (auto& make : templates.rule_features()) self.model.rule_features.push_back(std::move(make));
            for (auto& make : templates.state_features()) self.model.state_features.push_back(std::move(make));
          },
          "templates"_a, "Switches on what was gathered.")
      .def(
          "append_names", [](const PhraseModelBuilder& self, Vocabulary& names) { self.model.names->append_to(names); },
          "names"_a, "Adds the feature names that `names`, filled by this call before, does not have yet.");

  nb::class_<UnspeltValues>(m, "UnspeltValues", "Feature values whose names are not spelt yet.")
      .def("spell", &UnspeltValues::spell, nb::sig("def spell(self) -> dict[str, float]"),
           "Values by name, summed up.");

  nb::class_<BoundDecoded>(m, "Decoded", "A translation as search found it.")
      .def(
          "check",
          [](const BoundDecoded& self) {
            if (self.decoded.error) std::rethrow_exception(self.decoded.error);
          },
          "Raises what went wrong with this sentence, if anything.")
      .def_prop_ro("failed", [](const BoundDecoded& self) { return self.decoded.error != nullptr; })
      .def_prop_ro("score", [](const BoundDecoded& self) { return self.decoded.score; })
      .def_prop_ro("source", [](const BoundDecoded& self) { return self.decoded.source; })
      .def_prop_ro("target", [](const BoundDecoded& self) { return self.decoded.target; })
      .def_prop_ro("seconds", [](const BoundDecoded& self) { return self.decoded.seconds; })
      .def_prop_ro(
          "steps",
          [](const BoundDecoded& self) {
            nb::list steps;
            for (const Step& step : self.decoded.steps)
              steps.append(nb::make_tuple(nb::make_tuple(step.source_start, step.source_end),
                                          nb::make_tuple(step.target_start, step.target_end), step.unknown, step.score,
                                          step.links, UnspeltValues{step.values, self.model}));
            return steps;
          },
          nb::sig("def steps(self) -> list[tuple[tuple[int, int], tuple[int, int], bool, float, "
                  "list[tuple[int, int]], UnspeltValues]]"))
      .def_prop_ro("final_values",
                   [](const BoundDecoded& self) { return UnspeltValues{self.decoded.final_values, self.model}; })
      .def_prop_ro(
          "statistics",
          [](const BoundDecoded& self) {
            const SearchStatistics& counts = self.decoded.statistics;
            nb::dict found;
            found["queued"] = counts.queued;
            found["built"] = counts.built;
            found["recombined"] = counts.recombined;
            found["pruned"] = counts.pruned;
            found["kept"] = counts.kept;
            found["pieces"] = self.decoded.pieces;
            found["language_model_queries"] = self.decoded.language_model_queries;
            return found;
          },
          nb::sig("def statistics(self) -> dict[str, int]"))
      .def_prop_ro("forest", [](const BoundDecoded& self) { return self.decoded.forest; })
      .def_prop_ro("words", [](const BoundDecoded& self) { return self.decoded.words; });

  nb::class_<BoundDecoder>(m, "PhraseDecoder", "Phrase-based search, safe to share between threads.")
      .def(
          "__init__",
          [](BoundDecoder* self, const PhraseModelBuilder& builder,
             const std::vector<std::pair<std::string, double>>& weights, const SearchSettings& settings) {
            std::vector<double> vector;
            for (const auto& [name, weight] : weights) {
              const FeatureId id = builder.model.names->intern(name);
              if (id >= vector.size()) vector.resize(id + 1);
              vector[id] = weight;
            }
            make_decoder(self, builder, std::move(vector), settings);
          },
          "model"_a, "weights"_a, "settings"_a)
      .def(
          "__init__",
          [](BoundDecoder* self, const PhraseModelBuilder& builder, const In<double>& weights,
             const SearchSettings& settings) {
            const auto given = view(weights);
            make_decoder(self, builder, {given.begin(), given.end()}, settings);
          },
          "model"_a, "weights"_a, "settings"_a, "Weights by feature id, as `append_names` gives them.")
      .def(
          "with_settings",
          [](const BoundDecoder& self, const SearchSettings& settings) {
            return BoundDecoder{self.model, self.decoder.with_settings(settings)};
          },
          "settings"_a, "The same models and weights, searched in another way.")
      .def(
          "unknown_words",
          [](const BoundDecoder& self, const std::string& line) { return self.decoder.unknown_words(line); }, "line"_a,
          "Positions of the words for which the table has no rule of their own.")
      .def("decode", &decode, "lines"_a, "extra"_a, "marks"_a, nb::kw_only(), "threads"_a, "keep_forests"_a,
           nb::sig("def decode(self, lines: list[str], extra: list[list[tuple[int, int, str, list[tuple[str, float]], "
                   "bool]]], marks: list[tuple[str, list[str], list[int]] | None], *, threads: int, "
                   "keep_forests: bool) -> list[Decoded]"),
           "Translations in the order of the lines; `extra` is empty, or has one list of options per line, and `marks` "
           "what is known of each line: domain, tags, heads.")
      .def("kbest_lists", &kbest_lists, "lines"_a, "extra"_a, "marks"_a, nb::kw_only(), "nbest"_a, "distinct"_a,
           "threads"_a,
           nb::sig("def kbest_lists(self, lines: list[str], extra: list[list[tuple[int, int, str, list[tuple[str, "
                   "float]], bool]]], marks: list[tuple[str, list[str], list[int]] | None], *, nbest: int, distinct: "
                   "bool, threads: int) -> tuple[NDArray[int64], NDArray[int64], NDArray[int64], NDArray[float64], "
                   "NDArray[float64], NDArray[int64], list[str]]"),
           "The best translations of each line, as of its forest.");
}

}  // namespace dragoman
