#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "lm/adjust.hpp"
#include "lm/arpa.hpp"
#include "lm/bounds.hpp"
#include "lm/build.hpp"
#include "lm/chart.hpp"
#include "lm/classes.hpp"
#include "lm/estimate.hpp"
#include "lm/interpolate.hpp"
#include "lm/score.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

std::vector<std::uint64_t> sizes(const lm::Ngrams& ngrams) {
  std::vector<std::uint64_t> counts;
  for (const auto& level : ngrams.levels) counts.push_back(level.size());
  return counts;
}

WordId checked(const lm::Model& model, WordId word) {
  if (word >= model.size()) throw InputError("the model has no word number " + std::to_string(word));
  return word;
}

lm::Layout layout_named(std::string_view name) {
  if (name == "hashed") return lm::Layout::hashed;
  if (name == "compact") return lm::Layout::compact;
  throw SettingError("no layout is called '" + std::string(name) + "'", "choose hashed or compact");
}

void bind_lists(nb::module_& m) {
  nb::class_<lm::Ngrams>(m, "Ngrams", "The n-grams of a model as plain lists.")
      .def_prop_ro("order", &lm::Ngrams::order)
      .def_prop_ro("counts", &sizes, "How many n-grams there are, by order.");

  nb::class_<lm::ArpaReader>(m, "ArpaReader", "Reads an ARPA file given in blocks of bytes.")
      .def(nb::init<std::string>(), "name"_a)
      .def(
          "feed",
          [](lm::ArpaReader& self, const nb::bytes& block) {
            const std::string_view text(block.c_str(), block.size());
            const nb::gil_scoped_release unlocked;
            self.feed(text);
          },
          "block"_a)
      .def("finish", &lm::ArpaReader::finish, Unlocked())
      .def_prop_ro("notes", &lm::ArpaReader::notes, "What was forgiven.");

  nb::class_<lm::ArpaWriter>(m, "ArpaWriter", "Writes an ARPA file in blocks of bytes.")
      .def(nb::init<const lm::Ngrams&>(), "ngrams"_a, nb::keep_alive<1, 2>())
      .def(
          "next",
          [](lm::ArpaWriter& self) {
            std::string block;
            {
              const nb::gil_scoped_release unlocked;
              block = self.next();
            }
            return nb::bytes(block.data(), block.size());
          },
          "The next block; empty at the end.");

  m.def(
      "interpolate",
      [](const nb::list& lists, const std::vector<double>& weights) {
        std::vector<lm::Ngrams*> ngrams;
        for (const nb::handle item : lists) ngrams.push_back(nb::cast<lm::Ngrams*>(item));
        if (ngrams.size() != weights.size())
          throw SettingError(std::to_string(weights.size()) + " weights for " + std::to_string(ngrams.size()) +
                             " models");
        const nb::gil_scoped_release unlocked;
        std::vector<lm::ClosedNgrams> closed;
        std::vector<lm::Model> models;
        for (lm::Ngrams* list : ngrams) {
          closed.push_back(lm::close_ngrams(*list));
          models.emplace_back(lm::build(closed.back(), {}));
        }
        std::vector<lm::MixturePart> parts;
        for (std::size_t i = 0; i < closed.size(); ++i) parts.push_back({&closed[i], &models[i], weights[i]});
        return lm::interpolate(parts);
      },
      "lists"_a, "weights"_a, nb::sig("def interpolate(lists: list[Ngrams], weights: Sequence[float]) -> Ngrams"),
      "Mixes models into one list of n-grams.");
}

lm::Smoothing smoothing_named(std::string_view name) {
  if (name == "kneser-ney") return lm::Smoothing::kneser_ney;
  if (name == "katz") return lm::Smoothing::katz;
  if (name == "witten-bell") return lm::Smoothing::witten_bell;
  throw SettingError("no smoothing is called '" + std::string(name) + "'", "choose kneser-ney, katz or witten-bell");
}

void bind_estimator(nb::module_& m) {
  nb::class_<lm::OrderReport>(m, "OrderReport", "What estimation found at one order.")
      .def_ro("types", &lm::OrderReport::types)
      .def_ro("kept", &lm::OrderReport::kept)
      .def_prop_ro("discounts",
                   [](const lm::OrderReport& self) {
                     const auto found = self.discounts.list();
                     return std::vector<double>(found.begin(), found.end());
                   })
      .def_prop_ro("fallback_reason", [](const lm::OrderReport& self) { return self.discounts.fallback_reason; });

  nb::class_<lm::Estimator>(m, "Estimator", "Estimation, stage by stage.")
      .def(
          "__init__",
          [](lm::Estimator* self, int order, const std::string& smoothing, std::vector<std::uint64_t> prune,
             bool interpolate_unigrams, bool skip_special, const lm::DiscountValues& fallback, std::uint64_t memory,
             std::filesystem::path scratch) {
            new (self) lm::Estimator({order,
                                      smoothing_named(smoothing),
                                      std::move(prune),
                                      interpolate_unigrams,
                                      skip_special,
                                      fallback,
                                      {memory, std::move(scratch)}});
          },
          nb::kw_only(), "order"_a, "smoothing"_a, "prune"_a, "interpolate_unigrams"_a, "skip_special"_a, "fallback"_a,
          "memory"_a, "scratch"_a)
      .def(
          "limit_vocabulary", [](lm::Estimator& self, const nb::list& words) { self.limit_vocabulary(texts(words)); },
          "words"_a, nb::sig("def limit_vocabulary(self, words: list[str]) -> None"))
      .def(
          "add_sentences",
          [](lm::Estimator& self, const nb::list& sentences, std::uint64_t first_line) {
            const auto views = texts(sentences);
            const nb::gil_scoped_release unlocked;
            self.add_sentences(views, first_line);
          },
          "sentences"_a, "first_line"_a,
          nb::sig("def add_sentences(self, sentences: list[str], first_line: int) -> None"))
      .def("require", &lm::Estimator::require, "ngram"_a, "This n-gram stays whatever its count.")
      .def("add_count", &lm::Estimator::add_count, "ngram"_a, "count"_a, "line"_a)
      .def(
          "number", [](lm::Estimator& self, const nb::list& words) { return owned(self.number(texts(words))); },
          "words"_a, nb::sig("def number(self, words: list[str]) -> NDArray[uint32]"),
          "Numbers of words; those that are new get the next ones.")
      .def("begin_adjusted", &lm::Estimator::begin_adjusted, "tokens"_a, "sentences"_a,
           "Adjusted counts from elsewhere follow, in place of `count`.")
      .def(
          "add_adjusted",
          [](lm::Estimator& self, const In<std::uint32_t>& records) {
            const nb::gil_scoped_release unlocked;
            self.add_adjusted(view(records));
          },
          "records"_a.noconvert(), nb::sig("def add_adjusted(self, records: NDArray[uint32]) -> None"),
          "What `adjusted_counts` found in the next range of newest words.")
      .def("end_counts", &lm::Estimator::end_counts, "There are no more.")
      .def("count", &lm::Estimator::count, Unlocked())
      .def("normalize", &lm::Estimator::normalize, "threads"_a, Unlocked())
      .def("interpolate", &lm::Estimator::interpolate, "order"_a, Unlocked())
      .def("take", &lm::Estimator::take, "The n-grams; once.")
      .def_prop_ro("tokens", &lm::Estimator::tokens)
      .def_prop_ro("sentences", &lm::Estimator::sentences)
      .def_prop_ro("orders", &lm::Estimator::orders);
}

void bind_counts(nb::module_& m) {
  m.def(
      "sorted_events",
      [](const In<std::uint32_t>& words, const In<std::int64_t>& ends, std::size_t order) {
        std::vector<std::uint32_t> found;
        {
          const nb::gil_scoped_release unlocked;
          found = lm::sorted_events(view(words), view(ends), order);
        }
        const std::size_t rows = found.size() / (order + 2);
        return owned(std::move(found), rows, order + 2);
      },
      "words"_a.noconvert(), "ends"_a.noconvert(), "order"_a,
      nb::sig("def sorted_events(words: NDArray[uint32], ends: NDArray[int64], order: int) -> NDArray[uint32]"),
      "Events of numbered sentences, a row each: words newest first, and their count in two halves.");
  m.def(
      "adjusted_counts",
      [](const nb::list& parts, std::size_t order, const std::string& smoothing) {
        std::vector<In<std::uint32_t>> arrays;
        std::vector<std::span<const std::uint32_t>> views;
        for (const nb::handle part : parts) arrays.push_back(nb::cast<In<std::uint32_t>>(part, false));
        for (const auto& array : arrays) views.push_back(view(array));
        const lm::Smoothing chosen = smoothing_named(smoothing);
        std::vector<std::uint32_t> found;
        {
          const nb::gil_scoped_release unlocked;
          found = lm::adjusted_counts(views, order, chosen);
        }
        return owned(std::move(found));
      },
      "parts"_a, "order"_a, "smoothing"_a,
      nb::sig("def adjusted_counts(parts: list[NDArray[uint32]], order: int, smoothing: str) -> NDArray[uint32]"),
      "Adjusted counts of all n-grams of sorted events of parts of a text, for `Estimator.add_adjusted`.");
}

nb::tuple join(const lm::Model& model, const nb::list& parts, bool begin) {
  std::vector<std::pair<WordId, const lm::Cell*>> items;
  for (const nb::handle item : parts) {
    if (nb::isinstance<lm::Cell>(item))
      items.emplace_back(0, nb::cast<const lm::Cell*>(item));
    else
      items.emplace_back(checked(model, nb::cast<WordId>(item)), nullptr);
  }
  return model.with_tables([&](const auto& tables) {
    lm::Joiner joiner(tables);
    if (begin) joiner.begin(model.begin_state());
    for (const auto& [word, cell] : items) {
      if (cell != nullptr)
        joiner.cell(*cell);
      else
        joiner.word(word);
    }
    return nb::make_tuple(joiner.score(), joiner.cell());
  });
}

void bind_model(nb::module_& m) {
  nb::class_<lm::State>(m, "State", "What the model remembers of the words before.")
      .def(nb::init<>())
      .def(
          "__eq__",
          [](const lm::State& self, nb::handle other) {
            return nb::isinstance<lm::State>(other) && self == *nb::cast<const lm::State*>(other);
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", &lm::State::hash)
      .def_ro("length", &lm::State::length, "How many words it remembers.");

  nb::class_<lm::Cell>(m, "Cell", "A piece of text whose neighbours are not known yet.")
      .def(
          "__eq__",
          [](const lm::Cell& self, nb::handle other) {
            return nb::isinstance<lm::Cell>(other) && self == *nb::cast<const lm::Cell*>(other);
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", &lm::Cell::hash)
      .def_prop_ro("estimate", &lm::Cell::estimate, "The part of its score that its left neighbour may change.")
      .def_prop_ro(
          "open_words", [](const lm::Cell& self) { return self.left.length; }, "How many words that concerns.")
      .def_ro("right", &lm::Cell::right);

  nb::class_<lm::Model>(m, "Model", "An n-gram model, safe to share between threads.")
      .def_static("open", &lm::Model::open, "path"_a, Unlocked())
      .def_static(
          "build",
          [](lm::Ngrams& ngrams, const std::string& layout, int bits) {
            return lm::Model(lm::build(lm::close_ngrams(ngrams), {layout_named(layout), bits, bits}));
          },
          "ngrams"_a, nb::kw_only(), "layout"_a = "hashed", "bits"_a = 8, Unlocked())
      .def("save", &lm::Model::save, "path"_a, Unlocked())
      .def("list_ngrams", &lm::list_ngrams, Unlocked(), "All n-grams; of the compact layout only.")
      .def_prop_ro("order", &lm::Model::order)
      .def_prop_ro(
          "counts",
          [](const lm::Model& self) { return std::vector<std::uint64_t>(self.counts().begin(), self.counts().end()); })
      .def_prop_ro(
          "layout",
          [](const lm::Model& self) { return self.header().layout == lm::Layout::hashed ? "hashed" : "compact"; })
      .def_prop_ro("bits", [](const lm::Model& self) { return self.header().logprob_bits; })
      .def_prop_ro("bytes", &lm::Model::bytes)
      .def_prop_ro("inserted", [](const lm::Model& self) { return self.header().inserted; })
      .def_prop_ro("fingerprint", [](const lm::Model& self) { return self.header().fingerprint; })
      .def_prop_ro(
          "begin", [](const lm::Model& self) { return self.header().begin; }, "Id of <s>; 0 if there is none.")
      .def_prop_ro(
          "end", [](const lm::Model& self) { return self.header().end; }, "Id of </s>; 0 if there is none.")
      .def("__len__", &lm::Model::size, "Words in the vocabulary.")
      .def("id", &lm::Model::id, "word"_a, "The id of a word, 0 if it is unknown.")
      .def(
          "word", [](const lm::Model& self, WordId id) { return self.word(checked(self, id)); }, "id"_a)
      .def(
          "map_words",
          [](const lm::Model& self, const Vocabulary& words) { return owned(self.map_words(words.view())); }, "words"_a,
          "For each id of a vocabulary, the model's id.")
      .def(
          "score",
          [](const lm::Model& self, const nb::list& sentences, bool begin, bool end, int threads) {
            const auto views = texts(sentences);
            lm::SentenceScores scores;
            {
              const nb::gil_scoped_release unlocked;
              scores = lm::score_sentences(self, views, {begin, end, threads}, stop_on_signal());
            }
            return nb::make_tuple(owned(std::move(scores.logprob)), owned(std::move(scores.unknown_logprob)),
                                  owned(std::move(scores.events)), owned(std::move(scores.unknown)));
          },
          "sentences"_a, nb::kw_only(), "begin"_a = true, "end"_a = true, "threads"_a = 0,
          nb::sig("def score(self, sentences: list[str], *, begin: bool = True, end: bool = True, threads: int = 0) -> "
                  "tuple[NDArray[float64], NDArray[float64], NDArray[int64], NDArray[int64]]"),
          "Per sentence: log-probability, that of unknown words in it, events, unknown words.")
      .def(
          "score_ids",
          [](const lm::Model& self, const In<WordId>& words, const In<std::int64_t>& ends, bool begin, bool end,
             int threads) {
            std::int64_t last = 0;
            for (const std::int64_t stop : view(ends)) {
              if (stop < last || stop > static_cast<std::int64_t>(words.size()))
                throw InputError("sentence ends must rise and stay inside the words");
              last = stop;
            }
            for (const WordId word : view(words)) checked(self, word);
            std::vector<double> scores;
            {
              const nb::gil_scoped_release unlocked;
              scores = lm::score_ids(self, view(words), view(ends), {begin, end, threads}, stop_on_signal());
            }
            return owned(std::move(scores));
          },
          "words"_a.noconvert(), "ends"_a.noconvert(), nb::kw_only(), "begin"_a = true, "end"_a = true, "threads"_a = 0,
          "As `score`, of words given by the model's ids; `ends[i]` is where sentence i stops.")
      .def(
          "events",
          [](const lm::Model& self, const nb::list& sentences, bool begin, bool end) {
            const auto views = texts(sentences);
            lm::EventScores scores;
            {
              const nb::gil_scoped_release unlocked;
              scores = lm::score_events(self, views, {begin, end, 1});
            }
            return nb::make_tuple(owned(std::move(scores.logprob)), owned(std::move(scores.words)),
                                  owned(std::move(scores.matched)), owned(std::move(scores.ends)));
          },
          "sentences"_a, nb::kw_only(), "begin"_a = true, "end"_a = true,
          nb::sig("def events(self, sentences: list[str], *, begin: bool = True, end: bool = True) -> "
                  "tuple[NDArray[float64], NDArray[uint32], NDArray[uint8], NDArray[int64]]"),
          "Event by event: log-probability, word id, length of the n-gram found; and where sentences end.")
      .def("begin_state", &lm::Model::begin_state, "After <s>.")
      .def(
          "step",
          [](const lm::Model& self, const lm::State& state, WordId word) {
            lm::State next;
            lm::Match match;
            const double logprob = self.score(state, checked(self, word), next, match);
            return std::make_tuple(logprob, next, match.length);
          },
          "state"_a, "word"_a, "Log-probability of one more word, the state after it, length of the n-gram found.")
      .def(
          "step_phrase",
          [](const lm::Model& self, const lm::State& state, const std::vector<WordId>& words) {
            for (const WordId word : words) checked(self, word);
            lm::State next;
            const double logprob = self.score_phrase(state, words, next);
            return std::make_pair(logprob, next);
          },
          "state"_a, "words"_a, "Log-probability of some more words, and the state after them.")
      .def("join", &join, "parts"_a, nb::kw_only(), "begin"_a = false,
           nb::sig("def join(self, parts: list[int | Cell], *, begin: bool = False) -> tuple[float, Cell]"),
           "Joins words and cells; the score does not include the cells' own.");
}

void bind_bounds(nb::module_& m) {
  nb::class_<lm::Bounds>(m, "Bounds", "Largest and smallest probability over all longer histories.")
      .def_static(
          "of",
          [](lm::Ngrams& ngrams, const lm::Model& model) { return lm::Bounds::of(lm::close_ngrams(ngrams), model); },
          "ngrams"_a, "model"_a, Unlocked())
      .def_static("open", &lm::Bounds::open, "path"_a, "model"_a, Unlocked())
      .def("save", &lm::Bounds::save, "path"_a, Unlocked())
      .def(
          "range",
          [](const lm::Bounds& self, const lm::Model& model, const std::vector<WordId>& context, WordId word) {
            for (const WordId known : context) checked(model, known);
            const auto [lower, upper] = self.range(model, context, checked(model, word));
            return std::make_pair(lower, upper);
          },
          "model"_a, "context"_a, "word"_a)
      .def_prop_ro("bytes", &lm::Bounds::bytes);
}

void bind_classes(nb::module_& m) {
  nb::class_<lm::ClassTrainer>(m, "ClassTrainer", "Word classes by predictive exchange.")
      .def(nb::init<std::uint64_t>(), "min_count"_a)
      .def(
          "add_sentences",
          [](lm::ClassTrainer& self, const nb::list& sentences) {
            const auto views = texts(sentences);
            const nb::gil_scoped_release unlocked;
            self.add_sentences(views);
          },
          "sentences"_a, nb::sig("def add_sentences(self, sentences: list[str]) -> None"))
      .def("start", &lm::ClassTrainer::start, "classes"_a, "seed"_a, Unlocked())
      .def("assign", &lm::ClassTrainer::assign, "word"_a, "to"_a)
      .def(
          "iterate",
          [](lm::ClassTrainer& self, int threads) {
            const nb::gil_scoped_release unlocked;
            return self.iterate(threads, stop_on_signal());
          },
          "threads"_a, "One iteration; returns how many words moved.")
      .def("objective", &lm::ClassTrainer::objective)
      .def("gain", &lm::ClassTrainer::gain, "word"_a, "to"_a)
      .def(
          "id", [](const lm::ClassTrainer& self, std::string_view word) { return self.words().id(word); }, "word"_a)
      .def_prop_ro("class_count", &lm::ClassTrainer::class_count)
      .def(
          "classes",
          [](const lm::ClassTrainer& self) {
            std::vector<std::pair<std::string, std::uint32_t>> pairs;
            for (std::size_t id = 0; id < self.classes().size(); ++id)
              if (id != 1) pairs.emplace_back(self.words().word(static_cast<WordId>(id)), self.classes()[id]);
            return pairs;
          },
          "Words with their classes; <unk> comes first.");
}

}  // namespace

void bind_lm(nb::module_& m) {
  m.doc() = "N-gram language models.";
  bind_lists(m);
  bind_counts(m);
  bind_estimator(m);
  bind_model(m);
  bind_bounds(m);
  bind_classes(m);
}

}  // namespace dragoman
