// Models of source order and of target dependencies: training, files, and what they say of a sentence.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "common/vocabulary.hpp"
#include "features/dependency_model.hpp"
#include "features/source_order.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace features;

namespace {

ChoiceTraining training(int passes, double step, std::uint32_t min_count, std::uint64_t seed) {
  return {passes, step, min_count, seed};
}

// (words, tags, heads, relations) of a sentence.
OrderSentence sentence_of(const nb::handle& item) {
  const auto words = texts(nb::cast<nb::list>(item[0]));
  const auto tags = nb::cast<std::vector<std::string>>(item[1]);
  const auto heads = nb::cast<std::vector<std::int32_t>>(item[2]);
  const auto relations = nb::cast<std::vector<std::string>>(item[3]);
  return order_sentence(words, tags, heads, relations);
}

constexpr const char* kSentence = "tuple[list[str], list[str], list[int], list[str]]";

void bind_source_order(nb::module_& m) {
  static const std::string train_signature =
      std::string("def train(sentences: list[") + kSentence +
      "], links: list[str], *, relations: bool, future: bool, passes: int, step: float, min_count: int, seed: int) -> "
      "SourceOrderModel";
  static const std::string values_signature =
      std::string("def values(self, sentence: ") + kSentence + ") -> NDArray[float64]";
  nb::class_<SourceOrderModel>(m, "SourceOrderModel", "In which order source words are translated.")
      .def_static(
          "train",
          [](const nb::list& sentences, const nb::list& links, bool relations, bool future, int passes, double step,
             std::uint32_t min_count, std::uint64_t seed) {
            std::vector<SourceOrderModel::Example> examples;
            const auto lines = texts(links);
            if (lines.size() != nb::len(sentences)) throw InputError("sentences and links of different number");
            std::vector<grammar::SentenceLink> read;
            for (std::size_t number = 0; number < lines.size(); ++number) {
              const std::string where = "alignment of pair " + std::to_string(number + 1);
              read.clear();
              grammar::parse_links(lines[number], where, read);
              examples.push_back({sentence_of(sentences[number]), jumps_of(read)});
              for (const Jump jump : examples.back().jumps)
                if (static_cast<std::size_t>(jump.to) >= examples.back().sentence.size() ||
                    (jump.from >= 0 && static_cast<std::size_t>(jump.from) >= examples.back().sentence.size()))
                  throw InputError("a link that points outside", where, "does the alignment belong to these files?");
            }
            const auto kind = relations ? SourceOrderModel::Kind::kRelations : SourceOrderModel::Kind::kJumps;
            const nb::gil_scoped_release unlocked;
            return SourceOrderModel::train(kind, examples, future, training(passes, step, min_count, seed),
                                           stop_on_signal());
          },
          "sentences"_a, "links"_a, nb::kw_only(), "relations"_a, "future"_a, "passes"_a, "step"_a, "min_count"_a,
          "seed"_a, nb::sig(train_signature.c_str()),
          "Learn from sentences (words, tags, heads, relations) and the links to their translations.")
      .def_static("open", &SourceOrderModel::open, "path"_a)
      .def("save", &SourceOrderModel::save, "path"_a)
      .def_prop_ro("is_of_relations",
                   [](const SourceOrderModel& self) { return self.kind() == SourceOrderModel::Kind::kRelations; })
      .def_prop_ro("uses_tags", &SourceOrderModel::uses_tags)
      .def_prop_ro("future", &SourceOrderModel::future)
      .def(
          "values",
          [](const SourceOrderModel& self, const nb::tuple& sentence) {
            SourceOrderAnswers answers;
            answers.begin(self, sentence_of(sentence));
            std::vector<double> found;
            const auto size = static_cast<std::int32_t>(answers.known() ? answers.size() : 0);
            for (std::int32_t from = -1; from < size; ++from)
              for (std::int32_t to = 0; to < size; ++to) found.push_back(from == to ? 0 : answers.value(from, to));
            return owned(std::move(found));
          },
          "sentence"_a, nb::sig(values_signature.c_str()),
          "What it is worth to go on with one word after another: by the word before, from the start of the sentence "
          "on, and the word after; empty if a layer is missing.");
}

void bind_dependency_model(nb::module_& m) {
  nb::class_<DependencyModel>(m, "DependencyModel", "How well target words find heads among those around them.")
      .def_static(
          "train",
          [](const nb::list& sentences, std::vector<std::string> tags, std::uint32_t window, int passes, double step,
             std::uint32_t min_count, std::uint64_t seed) {
            std::vector<DependencyModel::Example> examples;
            for (const nb::handle item : sentences) {
              DependencyModel::Example& made = examples.emplace_back();
              for (const std::string_view word : texts(nb::cast<nb::list>(item[0])))
                made.words.push_back(dependency_word(word));
              made.tags = nb::cast<std::vector<DependencyModel::Tag>>(item[1]);
              made.heads = nb::cast<std::vector<std::int32_t>>(item[2]);
              const auto size = static_cast<std::int32_t>(made.words.size());
              bool sound = made.tags.size() == made.words.size() && made.heads.size() == made.words.size();
              for (const DependencyModel::Tag tag : made.tags) sound &= tag < tags.size();
              for (std::int32_t at = 0; at < size && sound; ++at)
                sound &= made.heads[at] < size && made.heads[at] != at;
              if (!sound)
                throw InputError("tags or heads that do not fit the words",
                                 "sentence " + std::to_string(examples.size()));
            }
            if (tags.size() < 2) throw InputError("a dependency model of fewer than two tags");
            const nb::gil_scoped_release unlocked;
            return DependencyModel::train(examples, std::move(tags), window, training(passes, step, min_count, seed),
                                          stop_on_signal());
          },
          "sentences"_a, "tags"_a, nb::kw_only(), "window"_a, "passes"_a, "step"_a, "min_count"_a, "seed"_a,
          nb::sig("def train(sentences: list[tuple[list[str], list[int], list[int]]], tags: list[str], *, window: int, "
                  "passes: int, step: float, min_count: int, seed: int) -> DependencyModel"),
          "Learn from sentences (words, numbers of tags, heads with -1 for the root).")
      .def_static("open", &DependencyModel::open, "path"_a)
      .def("save", &DependencyModel::save, "path"_a)
      .def_prop_ro("window", &DependencyModel::window)
      .def_prop_ro("tags", &DependencyModel::tag_names)
      .def(
          "score",
          [](const DependencyModel& self, const std::string& line) {
            std::vector<DependencyModel::Place> places;
            std::vector<std::int32_t> heads;
            std::vector<std::string> tags;
            double sum = 0;
            for_each_token(line, [&](std::string_view text) {
              const DependencyWord word = dependency_word(text);
              const auto tag = self.tag(word, places.empty() ? DependencyModel::kStart : places.back().tag);
              tags.push_back(self.tag_names()[tag]);
              sum += self.add(places, word, tag, &heads);
            });
            return nb::make_tuple(sum, heads, tags);
          },
          "line"_a, nb::sig("def score(self, line: str) -> tuple[float, list[int], list[str]]"),
          "The sum of best scores of a sentence, the best head of each word (-1: the root), and its tag.")
      .def(
          "arc_score",
          [](const DependencyModel& self, const std::string& line, std::ptrdiff_t head, std::ptrdiff_t word) {
            std::vector<DependencyModel::Place> places;
            for_each_token(line, [&](std::string_view text) {
              const DependencyWord made = dependency_word(text);
              const auto before = places.empty() ? DependencyModel::kStart : places.back().tag;
              places.push_back({made.word, self.tag(made, before), before, 0});
            });
            const auto size = static_cast<std::ptrdiff_t>(places.size());
            if (word < 0 || word >= size || head >= size || head == word) throw InputError("an arc outside the line");
            return self.arc_score(places, head, word);
          },
          "line"_a, "head"_a, "word"_a, "How well a word of a sentence hangs on another; head -1 is the root.");
}

}  // namespace

void bind_order_models(nb::module_& m) {
  m.def("jump_class", &jump_class, "jump"_a, "The class of a jump over so many words, negative for one back.");
  bind_source_order(m);
  bind_dependency_model(m);
}

}  // namespace dragoman
