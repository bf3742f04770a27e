#include "bindings/bind_search.hpp"

#include <nanobind/stl/string_view.h>

#include "bindings/kbest_lists.hpp"
#include "bindings/rooms.hpp"
#include "features/dependency_model.hpp"
#include "features/joint.hpp"
#include "features/sequence.hpp"
#include "features/source_order.hpp"
#include "features/word_meaning.hpp"
#include "search/phrase_decoder.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace search;

namespace {

using PhraseModelBuilder = ModelBuilder<PhraseModel>;

void set_penalties(PhraseModelBuilder& self, const std::string& word, const std::string& phrase,
                   const std::string& unknown, const std::string& distortion) {
  self.model.word_penalty = self.feature(word);
  self.model.rule_penalty = self.feature(phrase);
  self.model.unknown = self.feature(unknown);
  self.model.distortion = self.feature(distortion);
}

// Models of both sides, for search that writes a translation phrase by phrase.
void add_joint_model(PhraseModelBuilder& self, const std::string& name, std::shared_ptr<neural::JointModel> model) {
  const auto use = std::make_shared<const features::JointModelUse>(std::move(model), self.feature(name),
                                                                   self.model.table->base().target_words());
  self.model.state_features.push_back([use] { return std::make_unique<features::JointModelFeature>(use); });
}

void add_sequence_model(PhraseModelBuilder& self, const std::string& name, std::shared_ptr<lm::Model> model) {
  const features::SequenceUse use{std::move(model), self.feature(name)};
  self.model.state_features.push_back([use] { return std::make_unique<features::SequenceFeature>(use); });
}

// Names of three features, of which some may be empty: not wanted.
std::array<search::FeatureId, 3> three_features(PhraseModelBuilder& self, const std::vector<std::string>& names) {
  if (names.size() != 3) throw SettingError("three features have " + std::to_string(names.size()) + " names");
  return {self.feature(names[0]), self.feature(names[1]), self.feature(names[2])};
}

void add_phrase_vectors(PhraseModelBuilder& self, const std::vector<std::string>& names,
                        std::shared_ptr<semantics::PhraseVectors> vectors) {
  const auto use = std::make_shared<const features::PhraseVectorsUse>(
      features::PhraseVectorsUse{std::move(vectors), three_features(self, names)});
  self.model.rule_features.push_back([use] { return std::make_unique<features::PhraseVectorsFeature>(use); });
}

void add_word_context(PhraseModelBuilder& self, const std::vector<std::string>& names,
                      std::shared_ptr<semantics::MutualInformation> information, std::size_t window) {
  const auto use = std::make_shared<const features::WordContextUse>(
      std::move(information), window, three_features(self, names), self.model.table->base().target_words());
  self.model.rule_features.push_back([use] { return std::make_unique<features::WordContextFeature>(use); });
}

void add_source_order(PhraseModelBuilder& self, const std::string& name,
                      std::shared_ptr<features::SourceOrderModel> model) {
  self.model.state_features.push_back([model = std::move(model), feature = self.feature(name)] {
    return std::make_unique<features::SourceOrderFeature>(model, feature);
  });
}

void add_dependency_model(PhraseModelBuilder& self, const std::string& name,
                          std::shared_ptr<features::DependencyModel> model) {
  const features::DependencyUse use{std::move(model), self.feature(name)};
  self.model.state_features.push_back([use] { return std::make_unique<features::DependencyModelFeature>(use); });
}

// Feature values by name, which are spelt when Python first looks at them: names cost more than the values.
class FeatureValues {
 public:
  FeatureValues(features::FeatureVector values, std::shared_ptr<const features::FeatureNames> names)
      : values_(std::move(values)), names_(std::move(names)) {}

  [[nodiscard]] const nb::dict& spelt() {
    if (names_ == nullptr) return spelt_;
    std::unordered_map<FeatureId, double> sums;
    for (const auto& [id, value] : values_) sums[id] += value;
    nb::dict named;
    for (const auto& [id, value] : values_) {
      const std::string name = names_->name(id);
      named[nb::str(name.data(), name.size())] = sums[id];
    }
    spelt_ = std::move(named);
    names_.reset();
    return spelt_;
  }

 private:
  features::FeatureVector values_;
  std::shared_ptr<const features::FeatureNames> names_;  // none once they are spelt
  nb::dict spelt_;
};

// (domain, tags, heads, (label, start, end) of constituents, relations, and such spans of nodes) per sentence, or
// None.
void read_marks(const nb::list& marks, std::vector<Request>& requests) {
  if (nb::len(marks) == 0) return;
  if (nb::len(marks) != requests.size())
    throw InputError("marks for " + std::to_string(nb::len(marks)) + " sentences of " +
                     std::to_string(requests.size()));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const nb::object item = marks[i];
    if (item.is_none()) continue;
    requests[i].marks = {nb::cast<std::string>(item[0]),
                         nb::cast<std::vector<std::string>>(item[1]),
                         nb::cast<std::vector<std::int32_t>>(item[2]),
                         nb::cast<std::vector<std::string>>(item[4]),
                         {},
                         {}};
    std::size_t length = 0;
    for_each_token(requests[i].line, [&](std::string_view) { ++length; });
    const auto read_spans = [&](const nb::handle& given, std::vector<features::LabelledSpan>& spans) {
      for (const nb::handle node : nb::cast<nb::list>(given)) {
        const auto start = nb::cast<std::uint32_t>(node[1]), end = nb::cast<std::uint32_t>(node[2]);
        if (start >= end || end > length)
          throw InputError("a constituent of words " + std::to_string(start) + " to " + std::to_string(end) + " of " +
                               std::to_string(length),
                           "sentence " + std::to_string(i + 1), "annotate the sentence as it is tokenised");
        spans.push_back({nb::cast<std::string>(node[0]), start, end});
      }
    };
    read_spans(item[3], requests[i].marks.constituents);
    read_spans(item[5], requests[i].marks.nodes);
  }
}

// (prefix, walls, zones, monotone, no_drop) per sentence, or None.
void read_constraints(const nb::list& constraints, std::vector<Request>& requests) {
  if (nb::len(constraints) == 0) return;
  if (nb::len(constraints) != requests.size())
    throw InputError("constraints for " + std::to_string(nb::len(constraints)) + " sentences of " +
                     std::to_string(requests.size()));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const nb::object item = constraints[i];
    if (item.is_none()) continue;
    Constraints& read = requests[i].constraints;
    const auto prefix = texts(nb::cast<nb::list>(item[0]));
    if (!prefix.empty()) read.prefix = prefix[0];
    read.walls = nb::cast<std::vector<std::uint32_t>>(item[1]);
    read.zones = nb::cast<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(item[2]);
    read.monotone = nb::cast<bool>(item[3]);
    read.no_drop = nb::cast<bool>(item[4]);
  }
}

OptionPolicy policy_of(const std::string& name) {
  if (name == "inclusive") return OptionPolicy::kInclusive;
  if (name == "constraint") return OptionPolicy::kConstraint;
  if (name == "exclusive") return OptionPolicy::kExclusive;
  throw InputError("an option of the policy '" + name + "'", "", "choose from inclusive, constraint, exclusive");
}

// Settings by the names that Python declares (`dragoman.search.phrase.PhraseSettings`); names of choices are words.
void bind_settings(nb::module_& m) {
  using Settings = SearchSettings;
  nb::class_<Settings> settings(m, "PhraseSettings", "How a phrase-based decoder searches.");
  bind_search_settings(settings);
  bind_choice<Settings>(settings, "search", [](auto& self) -> auto& { return self.algorithm; },
                        {{"cube", Settings::Algorithm::kCube},
                         {"stack", Settings::Algorithm::kStack},
                         {"exact", Settings::Algorithm::kCube}});  // which begins the proof
  bind_choice<Settings>(settings, "recombination", [](auto& self) -> auto& { return self.recombine; },
                        {{"exact", Settings::Recombine::kExact}, {"pharaoh", Settings::Recombine::kPharaoh}});
  bind_distortion_limits(settings);
  bind_choice<Settings>(settings, "way_back", [](auto& self) -> auto& { return self.distortion.way_back; },
                        {{"tight", features::WayBack::kTight}, {"all", features::WayBack::kAll}});
  bind_number(settings, "threshold", &Settings::threshold);
  bind_number(settings, "max_phrase_length", &Settings::max_phrase_length);
  bind_number(settings, "late_steps", &Settings::late_steps);
  bind_number(settings, "check_features", &Settings::check_features);
  bind_distortion(settings, "future_distortion", &features::DistortionSettings::future);
  bind_distortion(settings, "distortion_delay", &features::DistortionSettings::delay);
}

nb::tuple kbest_lists(const BoundDecoder<PhraseModel, PhraseDecoder>& self, const nb::list& lines,
                      const nb::list& extra, const nb::list& marks, std::size_t nbest, bool distinct, int threads) {
  const auto requests = read_requests(texts(lines), extra, marks, nb::list(), *self.model->names);
  const StopCallback stop = stop_on_signal();
  forest::KBestLists found;
  {
    const nb::gil_scoped_release unlocked;
    found = self.decoder.kbest_lists(requests, forest::list_options(nbest, distinct), threads, stop);
  }
  return handed_over(std::move(found));
}

// Word graphs, each a list of arcs (from, to, word, score); `lines` name their positions.
std::vector<BoundDecoded> decode_lattices(const BoundDecoder<PhraseModel, PhraseDecoder>& self, const nb::list& lines,
                                          const nb::list& lattices, const std::string& feature,
                                          const nb::list& constraints, int threads, bool keep_forests) {
  auto requests = read_requests(texts(lines), nb::list(), nb::list(), constraints, *self.model->names);
  const FeatureId score = self.model->names->intern(feature);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].lattice.score = score;
    for (const nb::handle item : nb::cast<nb::list>(lattices[i]))
      requests[i].lattice.arcs.push_back({nb::cast<std::uint32_t>(item[0]), nb::cast<std::uint32_t>(item[1]),
                                          nb::cast<std::string_view>(item[2]), nb::cast<double>(item[3])});
  }
  return self.decode_requests(requests, threads, keep_forests);
}

// (own words, span with all that nonterminals cover, target, unknown, score, links, values) per step.
nb::list steps_of(const BoundDecoded& self) {
  nb::list steps;
  for (const Step& step : self.decoded.steps) {
    nb::list positions;
    if (step.positions.empty())
      for (std::uint32_t i = step.source_start; i < step.source_end; ++i) positions.append(i);
    for (const std::uint32_t position : step.positions) positions.append(position);
    nb::list written;
    if (step.target_positions.empty())
      for (std::uint32_t i = step.target_start; i < step.target_end; ++i) written.append(i);
    for (const std::uint32_t position : step.target_positions) written.append(position);
    steps.append(nb::make_tuple(nb::tuple(positions), nb::make_tuple(step.span_start, step.span_end),
                                nb::make_tuple(step.target_start, step.target_end), nb::tuple(written), step.unknown,
                                step.score, step.links, FeatureValues(step.values, self.names)));
  }
  return steps;
}

void bind_decoded(nb::module_& m) {
  nb::class_<FeatureValues> values(
      m, "FeatureValues", nb::sig("class FeatureValues(collections.abc.Mapping[str, float])"),
      "Values by feature name, summed up; names are looked up on first access only: with many sparse features that "
      "takes longer than the search.");
  values
      .def(
          "__getitem__", [](FeatureValues& self, nb::handle name) { return nb::object(self.spelt()[name]); },
          nb::sig("def __getitem__(self, name: str, /) -> float"))
      .def(
          "__contains__", [](FeatureValues& self, nb::handle name) { return self.spelt().contains(name); },
          nb::sig("def __contains__(self, name: object, /) -> bool"))
      .def("__len__", [](FeatureValues& self) { return nb::len(self.spelt()); })
      .def(
          "__iter__", [](FeatureValues& self) { return nb::iter(self.spelt()); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__repr__", [](FeatureValues& self) { return nb::repr(self.spelt()); })
      .def(
          "__reduce__",
          [](FeatureValues& self) {
            return nb::make_tuple(nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type)), nb::make_tuple(self.spelt()));
          },
          nb::sig("def __reduce__(self) -> tuple[type[dict[str, float]], tuple[dict[str, float]]]"));
  const nb::object mapping = nb::module_::import_("collections.abc").attr("Mapping");
  mapping.attr("register")(values);
  for (const char* name : {"keys", "items", "values", "get", "__eq__", "__hash__"})
    nb::setattr(values, name, mapping.attr(name));

  nb::class_<BoundDecoded>(m, "Decoded", "A translation as search found it.")
      .def(
          "check",
          [](const BoundDecoded& self) {
            if (self.decoded.error) std::rethrow_exception(self.decoded.error);
          },
          "Raises what went wrong with this sentence, if anything.")
      .def_prop_ro("failed", [](const BoundDecoded& self) { return self.decoded.error != nullptr; })
      .def_prop_ro(
          "reached", [](const BoundDecoded& self) { return self.decoded.reached; },
          "Whether there is a translation; where only certain ones are allowed, there may be none.")
      .def_prop_ro(
          "unreached",
          [](const BoundDecoded& self) {
            return nb::make_tuple(self.decoded.nearest, self.decoded.unwritten, self.decoded.untranslated);
          },
          nb::sig("def unreached(self) -> tuple[int, list[int], list[int]]"),
          "If there is none: the number of the nearest reference, its words that no rule for this sentence writes, and "
          "words of the sentence that no rule turns into words of a reference.")
      .def_prop_ro("score", [](const BoundDecoded& self) { return self.decoded.score; })
      .def_prop_ro("source", [](const BoundDecoded& self) { return self.decoded.source; })
      .def_prop_ro(
          "paths", [](const BoundDecoded& self) { return self.decoded.paths; },
          "Of a lattice, if its forest was kept: the source words of rules in it, by their numbers.")
      .def_prop_ro("target", [](const BoundDecoded& self) { return self.decoded.target; })
      .def_prop_ro("seconds", [](const BoundDecoded& self) { return self.decoded.seconds; })
      .def_prop_ro("language_model_seconds",
                   [](const BoundDecoded& self) { return self.decoded.language_models.seconds; })
      .def_prop_ro(
          "steps", &steps_of,
          nb::sig("def steps(self) -> list[tuple[tuple[int, ...], tuple[int, int], tuple[int, int], "
                  "tuple[int, ...], bool, float, list[tuple[int, int]], FeatureValues]]"),
          "Per rule in target order: positions of its own words, its span with all that nonterminals cover, "
          "its target span, positions of the words it wrote, whether the word is unknown, score, links, values.")
      .def_prop_ro("final_values",
                   [](const BoundDecoded& self) { return FeatureValues(self.decoded.final_values, self.names); })
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
            found["rules_matched"] = counts.rules_matched;
            found["language_model_queries"] = self.decoded.language_models.queries;
            found["queries_per_word"] = static_cast<double>(self.decoded.language_models.queries) /
                                        static_cast<double>(std::max<std::size_t>(self.decoded.source.size(), 1));
            return found;
          },
          nb::sig("def statistics(self) -> dict[str, float]"))
      .def_prop_ro(
          "proof", [](const BoundDecoded& self) { return std::const_pointer_cast<Proof>(self.decoded.proof); },
          nb::sig("def proof(self) -> Proof | None"))
      .def_prop_ro("forest", [](const BoundDecoded& self) { return self.decoded.forest; })
      .def_prop_ro("words", [](const BoundDecoded& self) { return self.decoded.words; });
}

}  // namespace

std::vector<Request> read_requests(const std::vector<std::string_view>& lines, const nb::list& extra,
                                   const nb::list& marks, const nb::list& constraints, features::FeatureNames& names) {
  std::vector<Request> requests(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) requests[i].line = lines[i];
  if (nb::len(extra) != 0 && nb::len(extra) != lines.size())
    throw InputError("extra options for " + std::to_string(nb::len(extra)) + " sentences of " +
                     std::to_string(lines.size()));
  for (std::size_t i = 0; i < nb::len(extra); ++i) {
    for (const nb::handle item : extra[i]) {
      ExtraOption option;
      option.start = nb::cast<std::uint32_t>(item[0]);
      option.end = nb::cast<std::uint32_t>(item[1]);
      option.target = nb::cast<std::string>(item[2]);
      for (const nb::handle pair : item[3])
        option.values.emplace_back(names.intern(nb::cast<std::string>(pair[0])), nb::cast<double>(pair[1]));
      option.policy = policy_of(nb::cast<std::string>(item[4]));
      requests[i].extra.push_back(std::move(option));
    }
  }
  read_marks(marks, requests);
  read_constraints(constraints, requests);
  return requests;
}

void bind_search(nb::module_& m) {
  m.doc() = "Decoders.";
  bind_settings(m);
  bind_proof(m);
  bind_decoded(m);
  bind_model<PhraseModelBuilder>(m, "PhraseModel", "What a phrase-based decoder knows, part by part.")
      .def("set_penalties", &set_penalties, nb::kw_only(), "word"_a, "phrase"_a, "unknown"_a, "distortion"_a)
      .def("set_orientation", &PhraseModelBuilder::set_orientation, nb::kw_only(), "classes"_a, "hierarchical"_a,
           "previous"_a, "next"_a, "columns"_a, "features"_a)
      .def("add_joint_model", &add_joint_model, "feature"_a, "model"_a)
      .def("add_sequence_model", &add_sequence_model, "feature"_a, "model"_a)
      .def("add_phrase_vectors", &add_phrase_vectors, "features"_a, "vectors"_a,
           "Names of the features for cosine, best and unknown words; an empty one is not wanted.")
      .def("add_word_context", &add_word_context, "features"_a, "information"_a, nb::kw_only(), "window"_a,
           "Names of the features for own, all and others; an empty one is not wanted.")
      .def("add_source_order", &add_source_order, "feature"_a, "model"_a)
      .def("add_dependency_model", &add_dependency_model, "feature"_a, "model"_a);
  auto phrase_decoder = bind_decoder<PhraseModel, PhraseDecoder, SearchSettings>(
      m, "PhraseDecoder", "Phrase-based search, safe to share between threads.");
  bind_force(phrase_decoder)
      .def("kbest_lists", &kbest_lists, "lines"_a, "extra"_a, "marks"_a, nb::kw_only(), "nbest"_a, "distinct"_a,
           "threads"_a,
           nb::sig("def kbest_lists(self, lines: list[str], extra: list[list[tuple[int, int, str, list[tuple[str, "
                   "float]], str]]], marks: list[tuple[str, list[str], list[int], list[tuple[str, int, int]], "
                   "list[str], list[tuple[str, int, int]]] | None], *, nbest: int, distinct: "
                   "bool, threads: int) -> tuple[NDArray[int64], NDArray[int64], NDArray[int64], NDArray[float64], "
                   "NDArray[float64], NDArray[int64], list[str]]"),
           "The best translations of each line, as of its forest.")
      .def("decode_lattices", &decode_lattices, "lines"_a, "lattices"_a, "feature"_a, "constraints"_a, nb::kw_only(),
           "threads"_a, "keep_forests"_a,
           nb::sig("def decode_lattices(self, lines: list[str], lattices: list[list[tuple[int, int, str, float]]], "
                   "feature: str, constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | "
                   "None], *, threads: int, keep_forests: bool) -> list[Decoded]"),
           "Translations of word graphs, each a list of arcs (from, to, word, score), by where they begin; nodes are "
           "numbered from 0 so that arcs lead to greater ones. A line has a word for each node but the last; scores "
           "are values of the feature.");
  bind_exact(m, phrase_decoder);
  bind_left_to_right(m);
  bind_hiero(m);
  bind_gappy(m);
}

}  // namespace dragoman
