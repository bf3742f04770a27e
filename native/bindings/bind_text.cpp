#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "text/detokenizer.hpp"
#include "text/index.hpp"
#include "text/morphs.hpp"
#include "text/normalizer.hpp"
#include "text/selection.hpp"
#include "text/strings.hpp"
#include "text/tokenizer.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using Rules = std::vector<std::pair<std::string, std::string>>;
using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::vector<text::Substitution> substitutions(const Rules& rules) {
  std::vector<text::Substitution> list;
  for (const auto& [pattern, replacement] : rules) list.push_back({pattern, replacement});
  return list;
}

text::CharacterSet character_set(const Ranges& ranges) { return {ranges.begin(), ranges.end()}; }

text::NamedSets named_sets(const Ranges& digits, const Ranges& spaces) {
  return {character_set(digits), character_set(spaces)};
}

nb::list python_strings(const std::vector<std::string>& strings) {
  nb::list list;
  for (const std::string& string : strings) list.append(nb::str(string.data(), string.size()));
  return list;
}

std::vector<text::Tokenized> tokenize(const text::Tokenizer& self, const nb::list& lines,
                                      const text::Normalizer* normalizer,
                                      const std::vector<std::pair<std::string, std::vector<std::string>>>& kept,
                                      int threads) {
  const auto views = texts(lines);
  if (!kept.empty() && kept.size() != views.size()) throw InputError("protected text for each line is needed");
  std::vector<text::Protected> strings;
  for (const auto& [stand_in, list] : kept) strings.push_back({stand_in, list});
  const nb::gil_scoped_release unlocked;
  return self.tokenize(views, normalizer, strings, threads);
}

nb::object pairs(const std::vector<text::Range>& ranges) {
  nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(ranges.size())));
  Py_ssize_t at = 0;
  for (const auto& [start, end] : ranges) {
    PyTuple_SetItem(all.ptr(), at++, nb::make_tuple(start, end).release().ptr());
  }
  return all;
}

nb::object string_tuple(const std::vector<std::string>& strings) {
  nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(strings.size())));
  Py_ssize_t at = 0;
  for (const std::string& string : strings) {
    PyTuple_SetItem(all.ptr(), at++, nb::str(string.data(), string.size()).release().ptr());
  }
  return all;
}

nb::list token_lists(const std::vector<text::Tokenized>& results) {
  nb::list lists;
  for (const auto& result : results) lists.append(python_strings(result.tokens));
  return lists;
}

std::vector<text::Detokenized> detokenize(const text::Detokenizer& self, const nb::list& lines, int threads) {
  std::vector<std::vector<std::string_view>> views;
  for (const nb::handle line : lines) views.push_back(texts(nb::cast<nb::list>(line)));
  const nb::gil_scoped_release unlocked;
  return self.detokenize(views, threads);
}

nb::list joined(const std::vector<text::Detokenized>& results) {
  nb::list list;
  for (const auto& result : results) list.append(nb::str(result.text.data(), result.text.size()));
  return list;
}

std::vector<text::Position> positions(const text::CorpusIndex& self, In<WordId> phrase, std::size_t limit) {
  return self.occurrences(self.find(view(phrase)), limit);
}

void check_sentence(const text::CorpusIndex& self, std::size_t number) {
  if (number >= self.sentences()) throw nb::index_error();
}

void bind_index(nb::module_& m) {
  using text::CorpusIndex;
  nb::class_<CorpusIndex>(m, "CorpusIndex", "A corpus with a suffix array over its tokens.")
      .def_static(
          "build",
          [](const nb::list& lines, int threads) {
            const auto views = texts(lines);
            const auto stop = stop_on_signal();
            const nb::gil_scoped_release unlocked;
            return std::const_pointer_cast<CorpusIndex>(CorpusIndex::build(views, threads, stop));
          },
          "lines"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def build(lines: list[str], *, threads: int = 0) -> CorpusIndex"))
      .def_static(
          "open",
          [](const std::filesystem::path& path) {
            return std::const_pointer_cast<CorpusIndex>(CorpusIndex::open(path));
          },
          "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &CorpusIndex::save, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("tokens", &CorpusIndex::tokens)
      .def_prop_ro("sentences", &CorpusIndex::sentences)
      .def(
          "__len__", [](const CorpusIndex& self) { return self.words().size(); },
          "Words in the vocabulary, with <unk>.")
      .def(
          "id", [](const CorpusIndex& self, std::string_view word) { return self.words().id(word); }, "word"_a)
      .def(
          "word",
          [](const CorpusIndex& self, WordId id) {
            if (id >= self.words().size()) throw nb::index_error();
            return self.words().word(id);
          },
          "id"_a)
      .def(
          "counts",
          [](const CorpusIndex& self) {
            std::vector<std::int64_t> counts(self.words().size());
            for (WordId word = 0; word < counts.size(); ++word)
              counts[word] = static_cast<std::int64_t>(self.count(word));
            return owned(std::move(counts));
          },
          nb::sig("def counts(self) -> NDArray[int64]"), "How often each word occurs, by id.")
      .def(
          "encode",
          [](const CorpusIndex& self, const nb::list& lines) {
            std::vector<WordId> words;
            std::vector<std::int64_t> ends;
            for (const std::string_view line : texts(lines)) {
              for_each_token(line, [&](std::string_view token) { words.push_back(self.words().id(token)); });
              ends.push_back(static_cast<std::int64_t>(words.size()));
            }
            return nb::make_tuple(owned(std::move(words)), owned(std::move(ends)));
          },
          "lines"_a, nb::sig("def encode(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]"),
          "Ids of all tokens, and where each line ends in them; unknown tokens are 0.")
      .def(
          "count", [](const CorpusIndex& self, In<WordId> phrase) { return self.find(view(phrase)).size(); },
          "phrase"_a.noconvert())
      .def(
          "occurrences",
          [](const CorpusIndex& self, In<WordId> phrase, std::size_t limit) {
            return owned(positions(self, phrase, limit));
          },
          "phrase"_a.noconvert(), "limit"_a = 0,
          nb::sig("def occurrences(self, phrase: NDArray[uint32], limit: int = 0) -> NDArray[uint32]"),
          "Places of a phrase; of more than `limit` (0: no limit) so many at a uniform stride.")
      .def_prop_ro(
          "text",
          [](nb::handle_t<CorpusIndex> self) {
            const auto words = nb::cast<const CorpusIndex&>(self).text();
            return nb::ndarray<nb::numpy, const WordId, nb::ndim<1>>(words.data(), {words.size()}, self);
          },
          nb::rv_policy::reference, nb::sig("def text(self) -> NDArray[uint32]"),
          "Ids of all places of the text, 0 before, between and after sentences: a view, not a copy.")
      .def(
          "sentence_of",
          [](const CorpusIndex& self, text::Position place) {
            if (place >= self.text().size()) throw nb::index_error();
            return self.sentence_of(place);
          },
          "place"_a)
      .def(
          "sentence",
          [](const CorpusIndex& self, std::size_t number) {
            check_sentence(self, number);
            const auto words = self.sentence(number);
            return owned(std::vector<WordId>(words.begin(), words.end()));
          },
          "number"_a, nb::sig("def sentence(self, number: int) -> NDArray[uint32]"))
      .def(
          "sentence_start",
          [](const CorpusIndex& self, std::size_t number) {
            check_sentence(self, number);
            return self.sentence_start(number);
          },
          "number"_a)
      .def(
          "between",
          [](const CorpusIndex& self, In<WordId> words, In<std::int64_t> left_ends, In<std::int64_t> right_ends,
             In<std::int64_t> limits, std::size_t longest, int threads) {
            std::vector<text::Stretch> found;
            std::vector<std::int64_t> ends;
            {
              const auto stop = stop_on_signal();
              const nb::gil_scoped_release unlocked;
              std::tie(found, ends) = self.between_all({view(words), view(left_ends), view(right_ends), view(limits)},
                                                       longest, threads, stop);
            }
            std::vector<std::uint32_t> flat;
            flat.reserve(2 * found.size());
            for (const auto& [start, length] : found) {
              flat.push_back(start);
              flat.push_back(length);
            }
            return nb::make_tuple(owned(std::move(flat), found.size(), 2), owned(std::move(ends)));
          },
          "words"_a.noconvert(), "left_ends"_a.noconvert(), "right_ends"_a.noconvert(), "limits"_a.noconvert(),
          nb::kw_only(), "longest"_a, "threads"_a = 0,
          nb::sig("def between(self, words: NDArray[uint32], left_ends: NDArray[int64], right_ends: NDArray[int64], "
                  "limits: NDArray[int64], *, longest: int, threads: int = 0) -> tuple[NDArray[uint32], "
                  "NDArray[int64]]"),
          "Places and lengths of what stands between the two phrases of each frame, and where each frame's end.");
}

}  // namespace

void bind_text(nb::module_& m) {
  m.doc() =
      "Tokenisation, detokenisation and normalisation of punctuation, with offsets into the raw text; data selection.";

  nb::class_<text::Normalizer>(m, "Normalizer", "An ordered list of substitutions.")
      .def(
          "__init__",
          [](text::Normalizer* self, const Rules& rules, const Ranges& digits, const Ranges& spaces) {
            new (self) text::Normalizer(substitutions(rules), named_sets(digits, spaces));
          },
          "rules"_a, nb::kw_only(), "digits"_a, "spaces"_a)
      .def(
          "normalize",
          [](const text::Normalizer& self, const nb::list& lines, int threads) {
            const auto views = texts(lines);
            std::vector<std::string> normal;
            {
              const nb::gil_scoped_release unlocked;
              normal = self.normalize(views, threads);
            }
            return python_strings(normal);
          },
          "lines"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def normalize(self, lines: list[str], *, threads: int = 0) -> list[str]"))
      .def(
          "trace", [](const text::Normalizer& self, std::string_view line) { return self.trace(line); }, "line"_a,
          "The normalised line, and the raw range behind each of its code points.");

  nb::class_<text::Tokenizer>(m, "Tokenizer", "The Moses tokenizer, with rules handed in.")
      .def(
          "__init__",
          [](text::Tokenizer* self, const Rules& clean, const Rules& separate, const Rules& punctuate,
             const Rules& finish, const Rules& escape, const Ranges& alpha, const Ranges& lower, const Ranges& marks,
             const Ranges& pictographs, const std::vector<std::string>& prefixes,
             const std::vector<std::string>& numeric_prefixes, const Ranges& digits, const Ranges& spaces) {
            const text::TokenizerRules rules{substitutions(clean),
                                             substitutions(separate),
                                             substitutions(punctuate),
                                             substitutions(finish),
                                             substitutions(escape),
                                             character_set(alpha),
                                             character_set(lower),
                                             character_set(marks),
                                             character_set(pictographs),
                                             prefixes,
                                             numeric_prefixes};
            new (self) text::Tokenizer(rules, named_sets(digits, spaces));
          },
          nb::kw_only(), "clean"_a, "separate"_a, "punctuate"_a, "finish"_a, "escape"_a, "alpha"_a, "lower"_a,
          "marks"_a, "pictographs"_a, "prefixes"_a, "numeric_prefixes"_a, "digits"_a, "spaces"_a)
      .def(
          "tokenize",
          [](const text::Tokenizer& self, const nb::list& lines, const text::Normalizer* normalizer,
             const std::vector<std::pair<std::string, std::vector<std::string>>>& kept,
             int threads) { return token_lists(tokenize(self, lines, normalizer, kept, threads)); },
          "lines"_a, nb::kw_only(), "normalizer"_a.none() = nb::none(), "kept"_a = nb::make_tuple(), "threads"_a = 0,
          nb::sig("def tokenize(self, lines: list[str], *, normalizer: Normalizer | None = None, kept: "
                  "Sequence[tuple[str, Sequence[str]]] = (), threads: int = 0) -> list[list[str]]"),
          "Tokens of each line.")
      .def(
          "trace",
          [](const text::Tokenizer& self, const nb::list& lines, const text::Normalizer* normalizer,
             const std::vector<std::pair<std::string, std::vector<std::string>>>& kept, int threads) {
            nb::list traced;
            for (const auto& result : tokenize(self, lines, normalizer, kept, threads)) {
              traced.append(nb::make_tuple(string_tuple(result.tokens), pairs(result.ranges)));
            }
            return traced;
          },
          "lines"_a, nb::kw_only(), "normalizer"_a.none() = nb::none(), "kept"_a = nb::make_tuple(), "threads"_a = 0,
          nb::sig("def trace(self, lines: list[str], *, normalizer: Normalizer | None = None, kept: "
                  "Sequence[tuple[str, Sequence[str]]] = (), threads: int = 0) -> list[tuple[tuple[str, ...], "
                  "tuple[tuple[int, int], ...]]]"),
          "Tokens of each line with their raw ranges.");

  nb::class_<text::Detokenizer>(m, "Detokenizer", "The Moses detokenizer, with rules handed in.")
      .def(
          "__init__",
          [](text::Detokenizer* self, const std::string& language, const Rules& join, const Rules& unescape,
             const std::string& currency, const std::string& punctuation, const std::string& open_quote,
             const std::string& apostrophe_first, const std::string& apostrophe_last, const std::string& alpha_first,
             const Ranges& cjk, const Ranges& digits, const Ranges& spaces) {
            const text::DetokenizerRules rules{
                language,   substitutions(join), substitutions(unescape), currency,    punctuation,
                open_quote, apostrophe_first,    apostrophe_last,         alpha_first, cjk};
            new (self) text::Detokenizer(rules, named_sets(digits, spaces));
          },
          nb::kw_only(), "language"_a, "join"_a, "unescape"_a, "currency"_a, "punctuation"_a, "open_quote"_a,
          "apostrophe_first"_a, "apostrophe_last"_a, "alpha_first"_a, "cjk"_a, "digits"_a, "spaces"_a)
      .def(
          "detokenize",
          [](const text::Detokenizer& self, const nb::list& lines, int threads) {
            return joined(detokenize(self, lines, threads));
          },
          "lines"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def detokenize(self, lines: list[list[str]], *, threads: int = 0) -> list[str]"))
      .def(
          "trace",
          [](const text::Detokenizer& self, const nb::list& lines, int threads) {
            nb::list traced;
            for (const auto& result : detokenize(self, lines, threads)) {
              traced.append(nb::make_tuple(nb::str(result.text.data(), result.text.size()), pairs(result.ranges)));
            }
            return traced;
          },
          "lines"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def trace(self, lines: list[list[str]], *, threads: int = 0) -> list[tuple[str, "
                  "tuple[tuple[int, int], ...]]]"),
          "The text of each line, and where every token lies in it.");

  nb::class_<text::FeatureDecay>(m, "FeatureDecay", "Picks lines of a corpus by feature decay.")
      .def(
          "__init__",
          [](text::FeatureDecay* self, const nb::list& domain, int order, double decay, double length_power) {
            const auto views = texts(domain);
            const nb::gil_scoped_release unlocked;
            new (self) text::FeatureDecay(views, {order, decay, length_power});
          },
          "domain"_a, nb::kw_only(), "order"_a, "decay"_a, "length_power"_a,
          nb::sig("def __init__(self, domain: list[str], *, order: int, decay: float, length_power: float) -> None"))
      .def(
          "add",
          [](text::FeatureDecay& self, const nb::list& lines, int threads) {
            const auto views = texts(lines);
            const nb::gil_scoped_release unlocked;
            self.add(views, threads);
          },
          "lines"_a, nb::kw_only(), "threads"_a = 0,
          nb::sig("def add(self, lines: list[str], *, threads: int = 0) -> None"), "The next lines of the corpus.")
      .def(
          "take",
          [](text::FeatureDecay& self, std::size_t count) {
            std::vector<std::int64_t> lines;
            std::vector<double> scores;
            {
              const nb::gil_scoped_release unlocked;
              self.take(count, lines, scores);
            }
            return std::pair(owned(std::move(lines)), owned(std::move(scores)));
          },
          "count"_a, "Numbers (from 0) and scores of the next best lines.")
      .def_prop_ro("lines", &text::FeatureDecay::lines)
      .def_prop_ro("tokens", &text::FeatureDecay::tokens)
      .def_prop_ro(
          "coverage",
          [](const text::FeatureDecay& self) {
            std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> rows;
            for (const auto& [wanted, present, picked] : self.coverage()) rows.emplace_back(wanted, present, picked);
            return rows;
          },
          "Different n-grams by length: of the domain, of these in the corpus, of these in the lines taken.");

  m.def(
      "in_common",
      [](const nb::list& first, const nb::list& second, bool words, bool stretch, int threads) {
        const auto ours = texts(first);
        const auto theirs = texts(second);
        const StopCallback stop = stop_on_signal();
        std::vector<std::int64_t> found;
        {
          const nb::gil_scoped_release unlocked;
          found = text::in_common(ours, theirs, words ? text::StringUnit::kWord : text::StringUnit::kCharacter,
                                  stretch ? text::InCommon::kStretch : text::InCommon::kSubsequence, threads, stop);
        }
        return owned(std::move(found), ours.size(), 3);
      },
      "first"_a, "second"_a, nb::kw_only(), "words"_a = false, "stretch"_a = false, "threads"_a = 0,
      nb::sig("def in_common(first: list[str], second: list[str], *, words: bool = False, stretch: bool = False, "
              "threads: int = 0) -> NDArray[int64]"),
      "For each pair the length of the longest common subsequence, or stretch, and of both texts.");

  m.def(
      "learn_morphs",
      [](const nb::list& words, In<std::int64_t> counts, double weight, std::uint64_t seed) {
        const auto spelled = texts(words);
        const StopCallback stop = stop_on_signal();
        text::MorphList found;
        {
          const nb::gil_scoped_release unlocked;
          const auto given = view(counts);
          found = text::learn_morphs(spelled, {given.begin(), given.end()}, {.weight = weight, .seed = seed}, stop);
        }
        return std::make_tuple(std::move(found.pieces), found.cost, found.passes);
      },
      "words"_a, "counts"_a.noconvert(), nb::kw_only(), "weight"_a = 1.0, "seed"_a = 1,
      nb::sig("def learn_morphs(words: list[str], counts: NDArray[int64], *, weight: float = 1.0, seed: int = 1) -> "
              "tuple[list[tuple[str, int]], float, int]"),
      "Pieces of words with their counts, the length of the description in nats, and the passes it took.");

  bind_index(m);
}

}  // namespace dragoman
