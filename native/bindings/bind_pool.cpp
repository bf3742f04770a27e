#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bindings/bind_tuning.hpp"

namespace dragoman {

using namespace nb::literals;
using tuning::Candidates;
using tuning::FeatureId;
using tuning::Pool;

namespace {

std::size_t add_lists(Pool& self, const nb::list& sentences, const In<std::int64_t>& lists,
                      const In<std::int64_t>& rows, const In<std::int64_t>& ids, const In<double>& values,
                      const In<std::int64_t>& text_of, const nb::list& strings, const Vocabulary& features,
                      int threads) {
  std::vector<std::size_t> places;
  for (const nb::handle sentence : sentences) {
    places.push_back(nb::cast<std::size_t>(sentence));
    if (places.back() >= self.size()) throw nb::index_error();
  }
  std::vector<std::size_t> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) throw InputError("a sentence given twice");
  const auto views = texts(strings);
  const StopCallback stop = stop_on_signal();
  const nb::gil_scoped_release unlocked;
  return self.add_lists(places, {view(lists), view(rows), view(ids), view(values), view(text_of), views},
                        features.view(), threads, stop);
}

// All lists as flat arrays.
nb::tuple arrays(const Pool& self) {
  std::vector<std::int64_t> lists{0}, rows{0}, texts{0};
  std::vector<FeatureId> ids;
  std::vector<double> values, statistics;
  std::vector<std::int64_t> text_of;
  for (std::size_t sentence = 0; sentence < self.size(); ++sentence) {
    const Candidates& list = self[sentence];
    for (std::size_t k = 0; k < list.size(); ++k) {
      ids.insert(ids.end(), list.features(k).begin(), list.features(k).end());
      values.insert(values.end(), list.values(k).begin(), list.values(k).end());
      rows.push_back(static_cast<std::int64_t>(ids.size()));
      text_of.push_back(texts.back() + list.text(k));
    }
    lists.push_back(lists.back() + static_cast<std::int64_t>(list.size()));
    texts.push_back(texts.back() + static_cast<std::int64_t>(list.strings().size()));
    statistics.insert(statistics.end(), list.statistics().begin(), list.statistics().end());
  }
  const std::size_t known = statistics.size() / self.width();
  return nb::make_tuple(owned(std::move(lists)), owned(std::move(rows)), owned(std::move(ids)),
                        owned(std::move(values)), owned(std::move(texts)), owned(std::move(text_of)),
                        owned(std::move(statistics), known, self.width()));
}

}  // namespace

void bind_pool(nb::module_& m) {
  nb::class_<Pool>(m, "Pool", "n-best lists of a dev set, merged.")
      .def(nb::init<std::size_t, std::size_t>(), "sentences"_a, "width"_a)
      .def("__len__", &Pool::size)
      .def_prop_ro("width", &Pool::width)
      .def_prop_ro("candidates", &Pool::candidates)
      .def_prop_ro(
          "features", [](const Pool& self) { return self.names().size(); },
          "One more than the features, since id 0 stands for an unknown one.")
      .def(
          "name",
          [](const Pool& self, FeatureId id) {
            if (id >= self.names().size()) throw nb::index_error();
            return std::string(self.names().word(id));
          },
          "id"_a)
      .def(
          "intern", [](Pool& self, const std::string& name) { return self.intern(name); }, "name"_a)
      .def(
          "id", [](const Pool& self, const std::string& name) { return self.names().id(name); }, "name"_a,
          "The id of a feature, 0 if no candidate has it.")
      .def(
          "size",
          [](const Pool& self, std::size_t sentence) {
            if (sentence >= self.size()) throw nb::index_error();
            return self[sentence].size();
          },
          "sentence"_a)
      .def(
          "strings",
          [](const Pool& self, std::size_t sentence) {
            if (sentence >= self.size()) throw nb::index_error();
            return self[sentence].strings();
          },
          "sentence"_a, "The different texts of a sentence.")
      .def("add_lists", &add_lists, "sentences"_a, "lists"_a.noconvert(), "rows"_a.noconvert(), "ids"_a.noconvert(),
           "values"_a.noconvert(), "text_of"_a.noconvert(), "texts"_a, nb::kw_only(), "features"_a, "threads"_a,
           nb::sig("def add_lists(self, sentences: list[int], lists: NDArray[int64], rows: NDArray[int64], ids: "
                   "NDArray[int64], values: NDArray[float64], text_of: NDArray[int64], texts: list[str], *, "
                   "features: dragoman._native.common.Vocabulary, threads: int) -> int"),
           "Adds a list to each of these sentences; returns how many candidates were new.")
      .def(
          "add",
          [](Pool& self, std::size_t sentence, const std::string& text, const In<std::uint32_t>& ids,
             const In<double>& values) {
            if (sentence >= self.size()) throw nb::index_error();
            if (ids.size() != values.size()) throw InputError("a value for each feature is needed");
            std::vector<std::pair<FeatureId, double>> features;
            for (std::size_t i = 0; i < ids.size(); ++i) {
              if (ids.data()[i] >= self.names().size()) throw InputError("no such feature");
              if (!std::isfinite(values.data()[i]))
                throw InputError("the feature '" + std::string(self.names().word(ids.data()[i])) + "' is not finite",
                                 "sentence " + std::to_string(sentence + 1));
              features.emplace_back(ids.data()[i], values.data()[i]);
            }
            return self.add(sentence, text, std::move(features));
          },
          "sentence"_a, "text"_a, "ids"_a.noconvert(), "values"_a.noconvert(), "False if it was there before.")
      .def(
          "pending",
          [](const Pool& self) {
            const auto found = self.pending();
            std::vector<std::int64_t> sentences;
            nb::list strings;
            for (const auto& [sentence, text] : found) {
              sentences.push_back(static_cast<std::int64_t>(sentence));
              strings.append(self[sentence].strings()[text]);
            }
            return nb::make_tuple(owned(std::move(sentences)), strings);
          },
          nb::sig("def pending(self) -> tuple[NDArray[int64], list[str]]"),
          "Sentences and texts that have no statistics yet.")
      .def(
          "set_statistics",
          [](Pool& self, const In2<double>& rows) {
            if (rows.shape(0) != 0 && rows.shape(1) != self.width()) throw InputError("statistics of another metric");
            self.set_statistics({rows.data(), rows.size()});
          },
          "rows"_a.noconvert(), "Statistics of the pending texts, in their order.")
      .def(
          "used",
          [](const Pool& self) {
            std::vector<std::uint8_t> flags(self.names().size(), 0);
            for (std::size_t sentence = 0; sentence < self.size(); ++sentence)
              for (std::size_t k = 0; k < self[sentence].size(); ++k)
                for (const FeatureId id : self[sentence].features(k)) flags[id] = 1;
            return owned(std::move(flags));
          },
          "A flag per feature: 1 for those that some candidate has.")
      .def("arrays", &arrays,
           nb::sig("def arrays(self) -> tuple[NDArray[int64], NDArray[int64], NDArray[uint32], NDArray[float64], "
                   "NDArray[int64], NDArray[int64], NDArray[float64]]"),
           "Everything as flat arrays: where lists, rows and texts start; features; the text of each candidate; "
           "statistics of texts.")
      .def(
          "best_statistics",
          [](const Pool& self, const In<double>& weights, int threads) {
            self.check(view(weights));
            std::vector<double> found;
            {
              const nb::gil_scoped_release unlocked;
              found = tuning::best_statistics(self, view(weights), threads);
            }
            return owned(std::move(found));
          },
          "weights"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          "Sum of the statistics of the best candidates under these weights.");
}

}  // namespace dragoman
