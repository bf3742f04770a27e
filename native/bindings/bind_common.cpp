#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "common/binary_file.hpp"
#include "common/hash.hpp"
#include "common/parallel.hpp"
#include "common/variety.hpp"
#include "common/vocabulary.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

void save(const Vocabulary& words, const std::filesystem::path& path) {
  BinaryWriter writer(path, kVocabularyFormat, VocabularyView::kSections);
  words.view().write(writer);
  writer.finish();
}

Vocabulary load(const std::filesystem::path& path) {
  const BinaryFile file(path, kVocabularyFormat, VocabularyView::kSections);
  return Vocabulary(VocabularyView::read(file, 0));
}

template <typename Lookup>
nb::tuple encode(const nb::list& lines, const Lookup& lookup) {
  const auto views = texts(lines);
  std::vector<WordId> words;
  std::vector<std::int64_t> ends;
  ends.reserve(views.size());
  {
    const nb::gil_scoped_release unlocked;
    for (const std::string_view line : views) {
      for_each_token(line, [&](std::string_view token) { words.push_back(lookup(token)); });
      ends.push_back(static_cast<std::int64_t>(words.size()));
    }
  }
  return nb::make_tuple(owned(std::move(words)), owned(std::move(ends)));
}

}  // namespace

void bind_common(nb::module_& m) {
  m.doc() = "Vocabularies and binary files.";
  nb::class_<Vocabulary>(m, "Vocabulary", "Words interned to 32-bit ids; id 0 is `<unk>`.")
      .def(nb::init<>())
      .def("intern", &Vocabulary::intern, "word"_a, "The id of a word, which is added if it is new.")
      .def("id", &Vocabulary::id, "word"_a, "The id of a word, 0 if it is unknown.")
      .def(
          "word",
          [](const Vocabulary& self, WordId id) {
            if (id >= self.size()) throw nb::index_error();
            return self.word(id);
          },
          "id"_a)
      .def("__len__", &Vocabulary::size)
      .def("__contains__",
           [](const Vocabulary& self, std::string_view word) { return self.view().find(word).has_value(); })
      .def(
          "encode",
          [](const Vocabulary& self, const nb::list& lines) {
            return encode(lines, [words = self.view()](std::string_view token) { return words.id(token); });
          },
          "lines"_a, nb::sig("def encode(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]"),
          "Ids of all tokens, and where each line ends in them; unknown tokens are 0.")
      .def(
          "intern_all",
          [](Vocabulary& self, const nb::list& lines) {
            return encode(lines, [&self](std::string_view token) { return self.intern(token); });
          },
          "lines"_a, nb::sig("def intern_all(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]"),
          "As `encode`, adding the tokens that are new.")
      .def("save", &save, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_static("load", &load, "path"_a, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<TextVariety>(m, "TextVariety", "How many different word pairs and n-grams a text has, about.")
      .def(nb::init<std::size_t>(), "order"_a)
      .def("add", &TextVariety::add, "source"_a, "target"_a, "See a sentence pair; words stand between blanks.")
      .def_prop_ro("word_pairs", &TextVariety::word_pairs)
      .def_prop_ro("ngrams", &TextVariety::ngrams, "Of target sentences with their ends, by order.");

  nb::class_<BinaryFormat>(m, "BinaryFormat", "A kind of binary file.")
      .def_ro("kind", &BinaryFormat::kind, "Four letters in the header of the file.")
      .def_ro("version", &BinaryFormat::version, "Of the layout that is written and read.")
      .def_ro("what", &BinaryFormat::what, "What it holds, for people.");
  m.def(
      "binary_formats", [] { return std::vector<BinaryFormat>(kBinaryFormats.begin(), kBinaryFormats.end()); },
      "All kinds of binary file that outlive a job.");
  nb::class_<BinaryDescription>(m, "BinaryDescription", "What a binary file says of itself.")
      .def_ro("kind", &BinaryDescription::kind)
      .def_ro("version", &BinaryDescription::version)
      .def_ro("bytes", &BinaryDescription::bytes)
      .def_prop_ro("section_bytes", [](const BinaryDescription& self) {
        std::vector<std::uint64_t> sizes;
        for (const auto& section : self.sections) sizes.push_back(section.bytes);
        return sizes;
      });
  m.attr("HASH_VERSION") = kHashVersion;
  m.def("worker_count", &worker_count, "threads"_a, "How many threads a number of threads means; 0 is all cores.");
  m.def("verify_when_opened", &verify_when_opened, "wanted"_a,
        "Whether files opened from now on are compared with their checksum, once each; they are by default.");
  m.def("is_binary_file", &is_binary_file, "path"_a);
  m.def("describe_binary_file", &describe_binary_file, "path"_a, nb::kw_only(), "verify"_a = false,
        nb::call_guard<nb::gil_scoped_release>(), "Header of a binary file; `verify` recomputes its checksum.");
}

}  // namespace dragoman
