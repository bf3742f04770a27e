#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "semantics/mutual_information.hpp"
#include "semantics/phrase_vectors.hpp"
#include "semantics/ranking_vectors.hpp"
#include "semantics/sentence_counts.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using semantics::RankingPass;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

template <typename T>
std::vector<T> copied(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// Words in the order of their rows, behind `<unk>`, whose row is added.
Vocabulary words_of(const nb::list& words) {
  Vocabulary made;
  for (const std::string_view word : texts(words)) made.intern(word);
  if (made.size() != nb::len(words) + 1) throw InputError("a word is there twice, or is <unk>");
  return made;
}

std::vector<float> rows_behind_unknown(const In2<float>& rows) {
  std::vector<float> values(rows.shape(1), 0.0f);
  values.insert(values.end(), rows.data(), rows.data() + rows.size());
  return values;
}

RankingPass pass_settings(std::size_t number, double rate, std::size_t active, double translation, double context,
                          std::size_t batch, std::size_t replacements, double noise) {
  if (batch == 0 || replacements == 0) throw SettingError("batches of nothing");
  return {number, rate, active, translation, context, batch, replacements, noise};
}

template <typename Real>
void bind_ranking_trainer(nb::module_& m, const char* name, const char* array) {
  using Trainer = semantics::RankingTrainer<Real>;
  const std::string many = std::string("NDArray[") + array + "]";
  // nanobind keeps the pointers
  static const std::string parts_signature = "def parts(self) -> list[" + many + "]",
                           set_parts_signature = "def set_parts(self, parts: list[" + many + "]) -> None",
                           targets_signature =
                               "def set_translations(self, targets: " + many + ", has_target: NDArray[uint8]) -> None",
                           gradients_signature =
                               "def gradients(self, windows: list[tuple[int, int, list[int]]], *, translation: float, "
                               "context: float = 1.0, threads: int = 0) -> tuple[float, list[" +
                               many + "]]";
  nb::class_<Trainer>(m, name, "Passes over a text that make vectors of its words.")
      .def(
          "__init__",
          [](Trainer* self, In<WordId> words, In<std::int64_t> ends, In<std::int32_t> documents, In<double> idf,
             std::size_t dimensions, std::size_t window, std::size_t scored, std::size_t hidden,
             std::size_t document_hidden, std::uint64_t seed) {
            const semantics::RankingShape shape{idf.size(), dimensions, window, scored, hidden, document_hidden};
            new (self) Trainer(shape, {copied(words), copied(ends), copied(documents), copied(idf)}, seed);
          },
          "words"_a.noconvert(), "ends"_a.noconvert(), "documents"_a.noconvert(), "idf"_a.noconvert(), nb::kw_only(),
          "dimensions"_a, "window"_a, "scored"_a, "hidden"_a, "document_hidden"_a, "seed"_a,
          nb::sig("def __init__(self, words: NDArray[uint32], ends: NDArray[int64], documents: NDArray[int32], idf: "
                  "NDArray[float64], *, dimensions: int, window: int, scored: int, hidden: int, document_hidden: int, "
                  "seed: int) -> None"),
          "Ids of a text (0 unknown, 1 and 2 the edges of a sentence, then words by frequency), where sentences end, "
          "the document of each, and the inverse document frequency of each word.")
      .def(
          "parts",
          [](Trainer& self) {
            nb::list found;
            for (const std::span<Real> part : self.network().parts())
              found.append(owned(std::vector<Real>(part.begin(), part.end())));
            return found;
          },
          nb::sig(parts_signature.c_str()),
          "Vectors; weights, bias and output of the network of windows; the same of that of documents. Copied.")
      .def(
          "set_parts",
          [](Trainer& self, const nb::list& given) {
            const auto parts = self.network().parts();
            if (nb::len(given) > parts.size()) throw InputError("parts of another network");
            for (std::size_t i = 0; i < nb::len(given); ++i) {
              const auto values = nb::cast<In<Real>>(given[i]);
              if (values.size() != parts[i].size()) throw InputError("parts of another network");
              std::copy_n(values.data(), values.size(), parts[i].begin());
            }
          },
          "parts"_a, nb::sig(set_parts_signature.c_str()), "The first parts, or all of them.")
      .def(
          "set_translations",
          [](Trainer& self, In<Real> targets, In<std::uint8_t> has_target) {
            self.set_translations(copied(targets), copied(has_target));
          },
          "targets"_a.noconvert(), "has_target"_a.noconvert(), nb::sig(targets_signature.c_str()),
          "Where each word is drawn to, row by row, and which words are.")
      .def(
          "train_pass",
          [](Trainer& self, std::size_t number, double rate, std::size_t active, double translation, double context,
             std::size_t batch, std::size_t replacements, double noise, int threads, const nb::object& progress) {
            const RankingPass settings =
                pass_settings(number, rate, active, translation, context, batch, replacements, noise);
            semantics::RankingLoss loss;
            {
              const auto stop = stop_on_signal();
              const nb::gil_scoped_release unlocked;
              loss = self.pass(settings, threads, stop, [&progress](double done) {
                const nb::gil_scoped_acquire locked;
                if (!progress.is_none()) progress(done);
              });
            }
            return std::tuple(loss.context, loss.translation, loss.violated, loss.windows);
          },
          "number"_a, nb::kw_only(), "rate"_a, "active"_a, "translation"_a, "context"_a, "batch"_a, "replacements"_a,
          "noise"_a, "threads"_a, "progress"_a.none() = nb::none(),
          nb::sig("def train_pass(self, number: int, *, rate: float, active: int, translation: float, context: float, "
                  "batch: int, replacements: int, noise: float, threads: int, progress: object = None) -> tuple[float, "
                  "float, "
                  "float, int]"),
          "One pass over the windows of active words; gives the mean loss of windows, the mean squared distance to "
          "translations, the share of replacements that are not worse by the margin, and the number of windows.")
      .def(
          "gradients",
          [](Trainer& self, const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::vector<WordId>>>& given,
             double translation, double context, int threads) {
            std::vector<semantics::RankedWindow> windows;
            for (const auto& [token, sentence, replacements] : given)
              windows.push_back({token, sentence, replacements});
            semantics::RankingNetwork<Real> found;
            const RankingPass settings = pass_settings(0, 0, self.shape().words, translation, context, 1, 1, 0);
            const double loss = self.gradients(windows, settings, found, threads);
            nb::list parts;
            for (const std::span<Real> part : found.parts())
              parts.append(owned(std::vector<Real>(part.begin(), part.end())));
            return nb::make_tuple(loss, parts);
          },
          "windows"_a, nb::kw_only(), "translation"_a, "context"_a = 1.0, "threads"_a = 0,
          nb::sig(gradients_signature.c_str()),
          "The loss of windows (token, sentence, replacements) as one batch, and its gradients by part.")
      .def("save", &Trainer::save, "path"_a, "passes"_a, Unlocked(), "Everything that training goes on from.")
      .def("restore", &Trainer::restore, "path"_a, Unlocked(), "Gives the number of passes that were made.");
}

void bind_phrase_vectors(nb::module_& m) {
  using semantics::PhraseVectors;
  nb::class_<PhraseVectors>(m, "PhraseVectors", "Vectors of the words of two languages in one space.")
      .def(
          "__init__",
          [](PhraseVectors* self, const nb::list& source_words, In2<float> source, const nb::list& target_words,
             In2<float> target) {
            if (source.shape(1) != target.shape(1)) throw InputError("vectors of different dimensions");
            new (self) PhraseVectors(source.shape(1), words_of(source_words), rows_behind_unknown(source),
                                     words_of(target_words), rows_behind_unknown(target));
          },
          "source_words"_a, "source"_a.noconvert(), "target_words"_a, "target"_a.noconvert(),
          nb::sig("def __init__(self, source_words: list[str], source: NDArray[float32], target_words: list[str], "
                  "target: NDArray[float32]) -> None"))
      .def_prop_ro("dimensions", &PhraseVectors::dimensions)
      .def(
          "knows",
          [](const PhraseVectors& self, const std::string& word, bool target) {
            return self.find(word, target) != nullptr;
          },
          "word"_a, nb::kw_only(), "target"_a)
      .def(
          "compare",
          [](const PhraseVectors& self, const nb::list& sources, const nb::list& targets) {
            const auto left = texts(sources), right = texts(targets);
            if (left.size() != right.size()) throw InputError("sides of different numbers of phrases");
            std::vector<double> found;
            {
              const nb::gil_scoped_release unlocked;
              std::vector<const float*> source, target;
              for (std::size_t i = 0; i < left.size(); ++i) {
                source.clear();
                target.clear();
                for_each_token(left[i], [&](std::string_view word) { source.push_back(self.find(word, false)); });
                for_each_token(right[i], [&](std::string_view word) { target.push_back(self.find(word, true)); });
                const semantics::PhraseSimilarity said = self.compare(source, target);
                found.insert(found.end(), {said.cosine, said.best, said.unknown});
              }
            }
            return owned(std::move(found), left.size(), 3);
          },
          "sources"_a, "targets"_a,
          nb::sig("def compare(self, sources: list[str], targets: list[str]) -> NDArray[float64]"),
          "Of each pair of phrases: cosine of mean vectors, mean of the best cosines of source words, and the share of "
          "unknown words.")
      .def("save", &PhraseVectors::save, "path"_a, Unlocked())
      .def_static("open", &PhraseVectors::open, "path"_a, Unlocked());
}

void bind_mutual_information(nb::module_& m) {
  using semantics::MutualInformation;
  m.def(
      "count_together",
      [](In<WordId> source, In<std::int64_t> source_ends, In<WordId> target, In<std::int64_t> target_ends,
         In<std::uint8_t> rows, In<std::uint8_t> columns, int threads) {
        semantics::Rows found;
        {
          const auto stop = stop_on_signal();
          const nb::gil_scoped_release unlocked;
          found = semantics::count_together({view(source), view(source_ends)}, {view(target), view(target_ends)},
                                            view(rows), view(columns), threads, stop);
        }
        return nb::make_tuple(owned(std::move(found.starts)), owned(std::move(found.columns)),
                              owned(std::move(found.values)));
      },
      "source"_a.noconvert(), "source_ends"_a.noconvert(), "target"_a.noconvert(), "target_ends"_a.noconvert(),
      "rows"_a.noconvert(), "columns"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
      nb::sig("def count_together(source: NDArray[uint32], source_ends: NDArray[int64], target: NDArray[uint32], "
              "target_ends: NDArray[int64], rows: NDArray[uint8], columns: NDArray[uint8], *, threads: int = 0) -> "
              "tuple[NDArray[int64], NDArray[int32], NDArray[float64]]"),
      "In how many sentence pairs words occur together, as the arrays of a CSR matrix.");
  nb::class_<MutualInformation>(m, "MutualInformation", "Mutual information of words of two languages.")
      .def(
          "__init__",
          [](MutualInformation* self, const nb::list& source_words, In<float> source_counts,
             In<std::uint8_t> source_content, const nb::list& target_words, In<float> target_counts,
             In<std::uint8_t> target_content, In<std::int64_t> starts, In<std::int32_t> columns, In<double> together,
             double sentences, double smoothing, bool tagged, In<double> scales) {
            semantics::MutualInformationParts parts;
            parts.smoothing = smoothing;
            parts.sentences = sentences;
            parts.tagged = tagged;
            parts.source_words = words_of(source_words);
            parts.target_words = words_of(target_words);
            parts.source_counts = copied(source_counts);
            parts.target_counts = copied(target_counts);
            parts.source_content = copied(source_content);
            parts.target_content = copied(target_content);
            parts.starts.assign(starts.data(), starts.data() + starts.size());
            parts.columns.assign(columns.data(), columns.data() + columns.size());
            parts.together.assign(together.data(), together.data() + together.size());
            parts.scales = copied(scales);
            new (self) MutualInformation(std::move(parts));
          },
          "source_words"_a, "source_counts"_a.noconvert(), "source_content"_a.noconvert(), "target_words"_a,
          "target_counts"_a.noconvert(), "target_content"_a.noconvert(), "starts"_a.noconvert(),
          "columns"_a.noconvert(), "together"_a.noconvert(), nb::kw_only(), "sentences"_a, "smoothing"_a, "tagged"_a,
          "scales"_a.noconvert(),
          nb::sig("def __init__(self, source_words: list[str], source_counts: NDArray[float32], source_content: "
                  "NDArray[uint8], target_words: list[str], target_counts: NDArray[float32], target_content: "
                  "NDArray[uint8], starts: NDArray[int64], columns: NDArray[int32], together: NDArray[float64], *, "
                  "sentences: float, smoothing: float, tagged: bool, scales: NDArray[float64]) -> None"),
          "Words behind `<unk>`, which is number 0 of the counts; rows of the matrix are source words.")
      .def_prop_ro("smoothing", [](const MutualInformation& self) { return self.parts().smoothing; })
      .def_prop_ro("sentences", [](const MutualInformation& self) { return self.parts().sentences; })
      .def_prop_ro("tagged", [](const MutualInformation& self) { return self.parts().tagged; })
      .def_prop_ro("scales", [](const MutualInformation& self) { return self.parts().scales; })
      .def_prop_ro("size", [](const MutualInformation& self) { return self.parts().columns.size(); })
      .def(
          "words",
          [](const MutualInformation& self, bool target) {
            const Vocabulary& words = target ? self.parts().target_words : self.parts().source_words;
            nb::list found;
            for (std::size_t id = 1; id < words.size(); ++id) {
              const std::string_view word = words.word(static_cast<WordId>(id));
              found.append(nb::str(word.data(), word.size()));
            }
            return found;
          },
          nb::kw_only(), "target"_a, nb::sig("def words(self, *, target: bool) -> list[str]"))
      .def(
          "count",
          [](const MutualInformation& self, const std::string& word, bool target) {
            const auto& parts = self.parts();
            return target ? parts.target_counts[parts.target_words.id(word)]
                          : parts.source_counts[parts.source_words.id(word)];
          },
          "word"_a, nb::kw_only(), "target"_a, "Sentences that have a word.")
      .def(
          "is_content",
          [](const MutualInformation& self, const std::string& word, bool target) {
            return self.is_content(word, target);
          },
          "word"_a, nb::kw_only(), "target"_a)
      .def(
          "value",
          [](const MutualInformation& self, const std::string& source, const std::string& target) {
            return self.value(self.parts().source_words.id(source), self.parts().target_words.id(target));
          },
          "source"_a, "target"_a)
      .def(
          "partners",
          [](const MutualInformation& self, const std::string& source) {
            const auto& parts = self.parts();
            const WordId row = parts.source_words.id(source);
            nb::list found;
            for (std::uint64_t at = parts.starts[row]; at < parts.starts[row + 1]; ++at) {
              const std::string_view word = parts.target_words.word(parts.columns[at]);
              found.append(nb::make_tuple(nb::str(word.data(), word.size()), self.value(row, parts.columns[at])));
            }
            return found;
          },
          "source"_a, nb::sig("def partners(self, source: str) -> list[tuple[str, float]]"),
          "Target words that were seen with a source word, and their values.")
      .def(
          "context",
          [](const MutualInformation& self, const nb::list& sentence, std::size_t position, const nb::list& candidates,
             std::size_t window) {
            std::vector<WordId> words;
            std::vector<std::uint8_t> content;
            for (const std::string_view word : texts(sentence)) {
              words.push_back(self.parts().source_words.id(word));
              content.push_back(self.is_content(word, false) ? 1 : 0);
            }
            if (position >= words.size()) throw InputError("a position beyond the sentence");
            std::vector<double> found;
            for (const std::string_view word : texts(candidates)) {
              const semantics::ContextScores said =
                  self.context(words, content, position, window, self.parts().target_words.id(word));
              found.insert(found.end(), {said.own, said.all, said.others});
            }
            return owned(std::move(found), nb::len(candidates), 3);
          },
          "sentence"_a, "position"_a, "candidates"_a, nb::kw_only(), "window"_a,
          nb::sig("def context(self, sentence: list[str], position: int, candidates: list[str], *, window: int) -> "
                  "NDArray[float64]"),
          "Of each candidate: value of the word itself, mean over the content words around it with and without it.")
      .def("save", &MutualInformation::save, "path"_a, Unlocked())
      .def_static("open", &MutualInformation::open, "path"_a, Unlocked());
}

}  // namespace

void bind_vectors(nb::module_& m) {
  bind_ranking_trainer<float>(m, "RankingTrainer", "float32");
  bind_ranking_trainer<double>(m, "ExactRankingTrainer", "float64");
  bind_phrase_vectors(m);
  bind_mutual_information(m);
}

}  // namespace dragoman
