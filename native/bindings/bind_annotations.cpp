#include <nanobind/stl/function.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <tuple>

#include "annotations/classifier.hpp"
#include "annotations/parser.hpp"
#include "annotations/tagger.hpp"
#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using annotations::Label;
using annotations::Weights;
using Arrays = std::tuple<Out<std::uint64_t>, Out<std::uint32_t>, Out<std::uint16_t>, Out<float>>;

// The columns of a call, with the lists that own their texts.
annotations::Columns columns(const nb::list& words, const nb::list& lowered, const nb::list& given,
                             const In<std::int64_t>& ends) {
  annotations::Columns found;
  found.words = texts(words);
  found.lowered = texts(lowered);
  for (const nb::handle column : given) found.given.push_back(texts(nb::cast<nb::list>(column)));
  found.ends.assign(ends.data(), ends.data() + ends.size());
  return found;
}

annotations::Bags bags(const nb::list& features, const In<std::int64_t>& ends) {
  return {texts(features), {ends.data(), ends.data() + ends.size()}};
}

std::function<void(int, std::size_t)> teller(const nb::object& told) {
  if (told.is_none()) return {};
  return [told](int epoch, std::size_t right) {
    const nb::gil_scoped_acquire locked;
    told(epoch, right);
  };
}

Arrays arrays(const Weights& weights) {
  Weights::Arrays out = weights.arrays();
  return {owned(std::move(out.keys)), owned(std::move(out.ends)), owned(std::move(out.labels)),
          owned(std::move(out.values))};
}

Weights weights(const In<std::uint64_t>& keys, const In<std::uint32_t>& ends, const In<std::uint16_t>& labels,
                const In<float>& values, std::size_t count) {
  const auto copy = [](const auto& array) {
    using Value = std::remove_const_t<std::remove_pointer_t<decltype(array.data())>>;
    return std::vector<Value>(array.data(), array.data() + array.size());
  };
  return Weights({copy(keys), copy(ends), copy(labels), copy(values)}, count);
}

}  // namespace

void bind_annotations(nb::module_& m) {
  m.doc() = "Learners that annotate: a tagger, a dependency parser and a classifier, all averaged perceptrons.";

  nb::class_<annotations::Tagger>(m, "Tagger", "One label for each token, from left to right.")
      .def(
          "__init__",
          [](annotations::Tagger* self, In<std::uint64_t> keys, In<std::uint32_t> ends, In<std::uint16_t> labels,
             In<float> values,
             std::size_t count) { new (self) annotations::Tagger(weights(keys, ends, labels, values, count), count); },
          "keys"_a.noconvert(), "ends"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert(), "count"_a)
      .def_static(
          "train",
          [](const nb::list& words, const nb::list& lowered, const nb::list& given, In<std::int64_t> ends,
             In<std::uint16_t> gold, std::size_t count, int epochs, std::uint64_t seed, double least,
             const nb::object& told) {
            const auto sentences = columns(words, lowered, given, ends);
            const auto tell = teller(told);
            const nb::gil_scoped_release unlocked;
            return annotations::Tagger::train(sentences, view(gold), count, {epochs, seed, least}, tell,
                                              stop_on_signal());
          },
          "words"_a, "lowered"_a, "given"_a, "ends"_a.noconvert(), "gold"_a.noconvert(), "count"_a, nb::kw_only(),
          "epochs"_a, "seed"_a, "least"_a, "told"_a.none() = nb::none(),
          nb::sig("def train(words: list[str], lowered: list[str], given: list[list[str]], ends: NDArray[int64], gold: "
                  "NDArray[uint16], count: int, *, epochs: int, seed: int, least: float, told: "
                  "collections.abc.Callable[[int, int], "
                  "None] | None = None) -> Tagger"))
      .def(
          "tag",
          [](const annotations::Tagger& self, const nb::list& words, const nb::list& lowered, const nb::list& given,
             In<std::int64_t> ends, int threads) {
            const auto sentences = columns(words, lowered, given, ends);
            std::vector<Label> found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.tag(sentences, threads, stop_on_signal());
            }
            return owned(std::move(found));
          },
          "words"_a, "lowered"_a, "given"_a, "ends"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          nb::sig("def tag(self, words: list[str], lowered: list[str], given: list[list[str]], ends: NDArray[int64], "
                  "*, threads: int = 0) -> NDArray[uint16]"))
      .def("arrays", [](const annotations::Tagger& self) { return arrays(self.weights()); });

  nb::class_<annotations::Parser>(m, "Parser", "Dependency trees by shift, arcs and swap, searched with a beam.")
      .def(
          "__init__",
          [](annotations::Parser* self, In<std::uint64_t> keys, In<std::uint32_t> ends, In<std::uint16_t> labels,
             In<float> values, std::size_t count, int beam) {
            const std::size_t actions = 2 + 2 * count;
            new (self) annotations::Parser(weights(keys, ends, labels, values, actions), count, beam);
          },
          "keys"_a.noconvert(), "ends"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert(), "count"_a,
          "beam"_a)
      .def_static(
          "train",
          [](const nb::list& words, const nb::list& lowered, const nb::list& given, In<std::int64_t> ends,
             In<std::int32_t> heads, In<std::uint16_t> labels, std::size_t count, int beam, int epochs,
             std::uint64_t seed, double least, int threads, const nb::object& told) {
            const auto sentences = columns(words, lowered, given, ends);
            const annotations::Trees gold{{heads.data(), heads.data() + heads.size()},
                                          {labels.data(), labels.data() + labels.size()}};
            const auto tell = teller(told);
            const nb::gil_scoped_release unlocked;
            return annotations::Parser::train(sentences, gold, count, beam, {epochs, seed, least}, threads, tell,
                                              stop_on_signal());
          },
          "words"_a, "lowered"_a, "given"_a, "ends"_a.noconvert(), "heads"_a.noconvert(), "labels"_a.noconvert(),
          "count"_a, nb::kw_only(), "beam"_a, "epochs"_a, "seed"_a, "least"_a, "threads"_a = 0,
          "told"_a.none() = nb::none(),
          nb::sig(
              "def train(words: list[str], lowered: list[str], given: list[list[str]], ends: NDArray[int64], heads: "
              "NDArray[int32], labels: NDArray[uint16], count: int, *, beam: int, epochs: int, seed: int, least: "
              "float, threads: int = 0, told: collections.abc.Callable[[int, int], None] | None = None) -> Parser"))
      .def(
          "parse",
          [](const annotations::Parser& self, const nb::list& words, const nb::list& lowered, const nb::list& given,
             In<std::int64_t> ends, int threads) {
            const auto sentences = columns(words, lowered, given, ends);
            annotations::Trees found;
            {
              const nb::gil_scoped_release unlocked;
              found = self.parse(sentences, threads, stop_on_signal());
            }
            return std::make_tuple(owned(std::move(found.heads)), owned(std::move(found.labels)));
          },
          "words"_a, "lowered"_a, "given"_a, "ends"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          nb::sig("def parse(self, words: list[str], lowered: list[str], given: list[list[str]], ends: "
                  "NDArray[int64], *, threads: int = 0) -> tuple[NDArray[int32], NDArray[uint16]]"),
          "Heads within each sentence (-1 for the root), and labels.")
      .def("arrays", [](const annotations::Parser& self) { return arrays(self.weights()); });

  nb::class_<annotations::Classifier>(m, "Classifier", "A label for each bag of features.")
      .def(
          "__init__",
          [](annotations::Classifier* self, In<std::uint64_t> keys, In<std::uint32_t> ends, In<std::uint16_t> labels,
             In<float> values, std::size_t count) {
            new (self) annotations::Classifier(weights(keys, ends, labels, values, count), count);
          },
          "keys"_a.noconvert(), "ends"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert(), "count"_a)
      .def_static(
          "train",
          [](const nb::list& features, In<std::int64_t> ends, In<std::uint16_t> gold, std::size_t count, int epochs,
             std::uint64_t seed, double least, const nb::object& told) {
            const auto items = bags(features, ends);
            const auto tell = teller(told);
            const nb::gil_scoped_release unlocked;
            return annotations::Classifier::train(items, view(gold), count, {epochs, seed, least}, tell,
                                                  stop_on_signal());
          },
          "features"_a, "ends"_a.noconvert(), "gold"_a.noconvert(), "count"_a, nb::kw_only(), "epochs"_a, "seed"_a,
          "least"_a, "told"_a.none() = nb::none(),
          nb::sig("def train(features: list[str], ends: NDArray[int64], gold: NDArray[uint16], count: int, *, epochs: "
                  "int, seed: int, least: float, told: collections.abc.Callable[[int, int], None] | None = None) -> "
                  "Classifier"))
      .def(
          "scores",
          [](const annotations::Classifier& self, const nb::list& features, In<std::int64_t> ends, int threads) {
            const auto items = bags(features, ends);
            std::vector<float> rows;
            {
              const nb::gil_scoped_release unlocked;
              rows = self.scores(items, threads);
            }
            return owned(std::move(rows), ends.size(), self.labels());
          },
          "features"_a, "ends"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          nb::sig("def scores(self, features: list[str], ends: NDArray[int64], *, threads: int = 0) -> "
                  "NDArray[float32]"))
      .def("arrays", [](const annotations::Classifier& self) { return arrays(self.weights()); });
}

}  // namespace dragoman
