#include "bindings/python_feature.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "bindings/arrays.hpp"
#include "common/error.hpp"
#include "common/hash.hpp"
#include "common/interned.hpp"

namespace dragoman {
namespace {

using features::FeatureId;
using features::FeatureNames;
using features::Fire;
using features::OptionView;
using features::SentenceView;
using features::StateId;

// A Python object that may be copied and dropped by threads that do not hold the GIL.
using Held = std::shared_ptr<nb::object>;

Held hold(nb::object object) {
  return Held(new nb::object(std::move(object)), [](nb::object* kept) {
    const nb::gil_scoped_acquire locked;
    delete kept;
  });
}

std::string class_name(const nb::object& feature) { return nb::cast<std::string>(feature.type().attr("__name__")); }

// Runs Python code on behalf of a feature; what it raises becomes an error that names feature and sentence.
template <typename Call>
auto guarded(const nb::object& feature, std::size_t sentence, const Call& call) {
  try {
    return call();
  } catch (nb::python_error& error) {
    const std::string what = nb::cast<std::string>(nb::str(error.value()));
    const std::string kind = nb::cast<std::string>(error.type().attr("__name__"));
    throw InputError("the feature " + class_name(feature) + " failed: " + kind + ": " + what,
                     "sentence " + std::to_string(sentence + 1), "mend the feature, or leave it out");
  } catch (const nb::cast_error&) {
    throw InputError("the feature " + class_name(feature) + " gave something that is no list of names and values",
                     "sentence " + std::to_string(sentence + 1), "see dragoman.features.base");
  }
}

nb::object python_sentence(const SentenceView& sentence) {
  nb::list tokens;
  for (const std::string_view token : sentence.words()) tokens.append(nb::str(token.data(), token.size()));
  const features::SentenceMarks& marks = sentence.marks();
  nb::list tags, heads;
  for (const std::string& tag : marks.tags) tags.append(nb::str(tag.data(), tag.size()));
  for (const std::int32_t head : marks.heads) heads.append(head);
  return nb::module_::import_("dragoman.features.base")
      .attr("SourceSentence")(sentence.number(), nb::tuple(tokens), marks.domain, nb::tuple(tags), nb::tuple(heads));
}

// A tuple of what make(i) gives.
template <typename Make>
nb::object tuple_of(std::size_t size, const Make& make) {
  nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(size)));
  if (!made.is_valid()) nb::raise_python_error();
  for (std::size_t i = 0; i < size; ++i)
    NB_TUPLE_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(i), nb::object(make(i)).release().ptr());
  return made;
}

nb::str python_string(std::string_view letters) { return nb::str(letters.data(), letters.size()); }

// The tuple for a list of things, made anew only if the list is not the same as the last time.
template <typename Thing>
class LastTuple {
 public:
  template <typename Make>
  const nb::object& get(std::span<const Thing> things, const Make& make) {
    if (!made_.is_valid() || !std::ranges::equal(things, things_)) {
      made_ = tuple_of(things.size(), [&](std::size_t i) { return make(things[i]); });
      things_.assign(things.begin(), things.end());
    }
    return made_;
  }

 private:
  std::vector<Thing> things_;
  nb::object made_;
};

// Where nonterminals stand, and their numbers.
nb::tuple python_slots(std::span<const WordId> target) {
  if (std::ranges::none_of(target, grammar::is_nonterminal)) return {};
  nb::list slots;
  for (std::size_t i = 0; i < target.size(); ++i)
    if (grammar::is_nonterminal(target[i])) slots.append(nb::make_tuple(i, grammar::index_of(target[i])));
  return nb::tuple(slots);
}

// Options of a span stand together: most translate the same words as the one before, and many are linked alike.
nb::list python_options(const SentenceView& sentence, std::span<const OptionView> options) {
  const nb::object make = nb::module_::import_("dragoman.features.base").attr("Option");
  LastTuple<std::uint16_t> spans;
  LastTuple<std::string_view> sources;
  LastTuple<grammar::Link> links;
  std::vector<std::string_view> words;
  nb::list made;
  for (const OptionView& option : options) {
    sentence.spell_source(option, words);
    const auto target = tuple_of(option.target.size(),
                                 [&](std::size_t i) { return python_string(sentence.spell_target(option.target[i])); });
    made.append(make(
        spans.get(std::array{option.span.start, option.span.end}, [](std::uint16_t at) { return nb::int_(at); }),
        sources.get(words, python_string), target,
        links.get(sentence.links(option), [](grammar::Link link) { return nb::make_tuple(link.source, link.target); }),
        python_slots(option.target)));
  }
  return made;
}

// The values that Python fired, with interned names.
features::FeatureVector read_values(const nb::handle& fired, FeatureNames& names) {
  features::FeatureVector values;
  for (const nb::handle pair : fired) {
    const auto name = nb::cast<std::string_view>(pair[0]);
    const auto value = nb::cast<double>(pair[1]);
    if (!std::isfinite(value)) throw InputError("a value of '" + std::string(name) + "' is not a finite number");
    values.emplace_back(names.intern(name), value);
  }
  return values;
}

// Whether a feature says itself what it expects of an option; those that do not are never asked.
bool has_estimates(const nb::object& feature) {
  const nb::object base = nb::module_::import_("dragoman.features.base").attr("StateFeature");
  return !feature.type().attr("isolated").is(base.attr("isolated"));
}

class PythonRuleFeature final : public features::RuleFeature {
 public:
  PythonRuleFeature(Held feature, std::shared_ptr<FeatureNames> names)
      : feature_(std::move(feature)), names_(std::move(names)) {}

  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override {
    const nb::gil_scoped_acquire locked;
    guarded(*feature_, sentence.number(), [&] {
      const nb::object found = feature_->attr("rules")(python_sentence(sentence), python_options(sentence, options));
      if (nb::len(found) != options.size()) throw nb::cast_error();
      for (std::size_t i = 0; i < options.size(); ++i)
        for (const auto& [id, value] : read_values(found[i], *names_)) fires[i](id, value);
    });
  }

 private:
  Held feature_;
  std::shared_ptr<FeatureNames> names_;
};

// The number of a state that a feature gave: its place in `states`, by which `ids` knows it.
StateId intern_state(nb::object& ids, nb::object& states, const nb::object& state) {
  const nb::object found = ids.attr("get")(state);
  if (!found.is_none()) return nb::cast<StateId>(found);
  const auto id = static_cast<StateId>(nb::len(states));
  ids.attr("__setitem__")(state, id);
  states.attr("append")(state);
  return id;
}

class PythonStateFeature final : public features::StateFeature {
 public:
  PythonStateFeature(Held feature, std::shared_ptr<FeatureNames> names, bool estimates)
      : feature_(std::move(feature)), names_(std::move(names)), estimates_(estimates) {}
  ~PythonStateFeature() override { clear(); }

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override {
    const nb::gil_scoped_acquire locked;
    number_ = sentence.number();
    extensions_.clear();
    completions_.clear();
    options_ = hold(python_options(sentence, options));
    ids_ = hold(nb::dict());
    states_ = hold(nb::list());
    of_span_.clear();
    for (const OptionView& option : options) of_span_[key_of(option.span)].push_back(option.id);
    sentence_ = hold(python_sentence(sentence));
  }

  StateId start() override {
    const nb::gil_scoped_acquire locked;
    return guarded(*feature_, number_, [&] { return intern(feature_->attr("start")(*sentence_)); });
  }

  StateId extend(StateId from, const OptionView& option, Fire& fire) override {
    const std::uint64_t key = std::uint64_t{from} << 32 | option.id;
    if (!extensions_.contains(key)) ask(from, option);
    const Extension& found = extensions_.at(key);
    for (const auto& [id, value] : found.values) fire(id, value);
    return found.next;
  }

  void finish(StateId from, Fire& fire) override {
    auto known = completions_.find(from);
    if (known == completions_.end()) {
      const nb::gil_scoped_acquire locked;
      guarded(*feature_, number_, [&] {
        known = completions_.emplace(from, read_values(feature_->attr("completion")((*states_)[from]), *names_)).first;
      });
    }
    for (const auto& [id, value] : known->second) fire(id, value);
  }

  [[nodiscard]] std::string label() const override {
    const nb::gil_scoped_acquire locked;
    return class_name(*feature_);
  }

  // State objects as the feature gives them, none replaced by an equal one.
  void replay(const SentenceView& sentence, std::span<const OptionView>, std::span<const std::uint32_t> path,
              std::span<features::FeatureVector> fired) override {
    const nb::gil_scoped_acquire locked;
    guarded(*feature_, sentence.number(), [&] {
      nb::object state = feature_->attr("start")(*sentence_);
      for (std::size_t i = 0; i < path.size(); ++i) {
        nb::list batch;
        batch.append((*options_)[path[i]]);
        const nb::object found = feature_->attr("extensions")(state, batch);
        const nb::object pair = found[0];
        fired[i] = read_values(pair[0], *names_);
        state = pair[1];
      }
      fired[path.size()] = read_values(feature_->attr("completion")(state), *names_);
    });
  }

  double isolated(const OptionView& option) override {
    if (!estimates_) return 0;
    const nb::gil_scoped_acquire locked;
    return guarded(*feature_, number_,
                   [&] { return nb::cast<double>(feature_->attr("isolated")((*options_)[option.id])); });
  }

 private:
  struct Extension {
    features::FeatureVector values;
    StateId next;
  };

  // Asks for all options of the span at once: where one is wanted after a state, the others are too.
  void ask(StateId from, const OptionView& option) {
    const nb::gil_scoped_acquire locked;
    guarded(*feature_, number_, [&] {
      nb::list batch;
      const std::vector<std::uint32_t>& members = of_span_.at(key_of(option.span));
      for (const std::uint32_t id : members) batch.append((*options_)[id]);
      const nb::object found = feature_->attr("extensions")((*states_)[from], batch);
      if (nb::len(found) != members.size()) throw nb::cast_error();
      for (std::size_t i = 0; i < members.size(); ++i) {
        const nb::object pair = found[i];
        extensions_[std::uint64_t{from} << 32 | members[i]] = {read_values(pair[0], *names_), intern(pair[1])};
      }
    });
  }

  [[nodiscard]] static std::uint32_t key_of(features::Span span) noexcept {
    return std::uint32_t{span.start} << 16 | span.end;
  }
  StateId intern(const nb::object& state) { return intern_state(*ids_, *states_, state); }

  void clear() {
    const nb::gil_scoped_acquire locked;
    options_.reset();
    ids_.reset();
    states_.reset();
    sentence_.reset();
  }

  Held feature_;
  std::shared_ptr<FeatureNames> names_;
  bool estimates_;
  std::size_t number_ = 0;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_span_;  // options, by span
  Held options_, ids_, states_, sentence_;
  std::unordered_map<std::uint64_t, Extension> extensions_;
  std::unordered_map<StateId, features::FeatureVector> completions_;
};

// A state feature in the form that bottom-up search asks for: the method `combine`.
class PythonChartFeature final : public features::ChartFeature {
 public:
  PythonChartFeature(Held feature, std::shared_ptr<FeatureNames> names, bool estimates)
      : feature_(std::move(feature)), names_(std::move(names)), estimates_(estimates) {}
  ~PythonChartFeature() override {
    const nb::gil_scoped_acquire locked;
    options_.reset();
    ids_.reset();
    states_.reset();
  }

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override {
    const nb::gil_scoped_acquire locked;
    number_ = sentence.number();
    keys_.clear();
    found_.clear();
    options_ = hold(python_options(sentence, options));
    ids_ = hold(nb::dict());
    states_ = hold(nb::list());
  }

  StateId combine(const OptionView& option, std::span<const StateId> tails, Fire& fire) override {
    key_.assign(1, option.id);
    key_.insert(key_.end(), tails.begin(), tails.end());
    const std::uint32_t at = keys_.intern(key_, hash_bytes(key_.data(), key_.size() * sizeof(StateId)),
                                          [&](std::uint32_t) { ask(option, tails); });
    for (const auto& [id, value] : found_[at].values) fire(id, value);
    return found_[at].next;
  }

  void finish(StateId from, Fire& fire) override {
    const nb::gil_scoped_acquire locked;
    guarded(*feature_, number_, [&] {
      for (const auto& [id, value] : read_values(feature_->attr("completion")((*states_)[from]), *names_))
        fire(id, value);
    });
  }

  double isolated(const OptionView& option) override {
    if (!estimates_) return 0;
    const nb::gil_scoped_acquire locked;
    return guarded(*feature_, number_,
                   [&] { return nb::cast<double>(feature_->attr("isolated")((*options_)[option.id])); });
  }

  [[nodiscard]] std::string label() const override {
    const nb::gil_scoped_acquire locked;
    return class_name(*feature_);
  }

 private:
  struct Combination {
    features::FeatureVector values;
    StateId next = 0;
  };

  void ask(const OptionView& option, std::span<const StateId> tails) {
    const nb::gil_scoped_acquire locked;
    found_.emplace_back();
    guarded(*feature_, number_, [&] {
      nb::list states;
      for (const StateId tail : tails) states.append((*states_)[tail]);
      const nb::object pair = feature_->attr("combination")((*options_)[option.id], states);
      found_.back() = {read_values(pair[0], *names_), intern_state(*ids_, *states_, pair[1])};
    });
  }

  Held feature_;
  std::shared_ptr<FeatureNames> names_;
  bool estimates_;
  std::size_t number_ = 0;
  Held options_, ids_, states_;
  Interned<std::vector<StateId>> keys_;  // option and states of parts
  std::vector<Combination> found_;       // by key
  std::vector<StateId> key_;
};

}  // namespace

std::function<std::unique_ptr<features::ChartFeature>()> python_chart_feature(nb::object feature,
                                                                              std::shared_ptr<FeatureNames> names) {
  const bool estimates = has_estimates(feature);
  return [held = hold(std::move(feature)), names, estimates] {
    return std::make_unique<PythonChartFeature>(held, names, estimates);
  };
}

std::function<std::unique_ptr<features::RuleFeature>()> python_rule_feature(nb::object feature,
                                                                            std::shared_ptr<FeatureNames> names) {
  return [held = hold(std::move(feature)), names] { return std::make_unique<PythonRuleFeature>(held, names); };
}

std::function<std::unique_ptr<features::StateFeature>()> python_state_feature(nb::object feature,
                                                                              std::shared_ptr<FeatureNames> names) {
  const bool estimates = has_estimates(feature);
  return [held = hold(std::move(feature)), names, estimates] {
    return std::make_unique<PythonStateFeature>(held, names, estimates);
  };
}

}  // namespace dragoman
