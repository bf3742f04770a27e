#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <iterator>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "similarity/edit_lattice.hpp"
#include "similarity/near_duplicates.hpp"
#include "similarity/soft_cardinality.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

constexpr const char* kNames[] = {"delete",         "insert",         "same word",      "same punctuation",
                                  "same lemma",     "synonym",        "paraphrase 1-1", "paraphrase 1-2",
                                  "paraphrase 2-1", "paraphrase 2-2", "jump second 1",  "jump second 2",
                                  "jump second 3",  "jump first 1",   "jump first 2",   "jump first 3"};
static_assert(std::size(kNames) == similarity::kOperations);

using Lattices = std::vector<similarity::EditLattice>;

std::span<const double> feature_weights(const In<double>& weights) {
  if (weights.size() != similarity::kFeatures) throw InputError("a weight for each feature is needed");
  return view(weights);
}

// Rows of (pair, first, second, operation, first length, second length), by pair.
Lattices lattices(const In2<std::int64_t>& lengths, const In2<std::int64_t>& matches,
                  const similarity::EditLimits& limits, int threads) {
  if (lengths.shape(1) != 2 || matches.shape(1) != 6) throw InputError("lengths and matches of pairs are needed");
  const std::size_t pairs = lengths.shape(0);
  std::vector<std::vector<similarity::EditMatch>> by_pair(pairs);
  for (std::size_t row = 0; row < matches.shape(0); ++row) {
    const std::int64_t* cells = matches.data() + 6 * row;
    for (int at = 0; at < 6; ++at)
      if (cells[at] < 0 || cells[at] > (at == 0 ? static_cast<std::int64_t>(pairs) - 1 : at < 3 ? 65535 : 255))
        throw InputError("a match outside of its sentences");
    by_pair[static_cast<std::size_t>(cells[0])].push_back(
        {static_cast<std::uint16_t>(cells[1]), static_cast<std::uint16_t>(cells[2]),
         static_cast<std::uint8_t>(cells[3]), static_cast<std::uint8_t>(cells[4]),
         static_cast<std::uint8_t>(cells[5])});
  }
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  for (std::size_t at = 0; at < pairs; ++at) {
    const std::int64_t* own = lengths.data() + 2 * at;
    if (own[0] < 0 || own[1] < 0) throw InputError("a negative length");
    sizes.emplace_back(own[0], own[1]);
  }
  const StopCallback stop = stop_on_signal();
  const nb::gil_scoped_release unlocked;
  std::vector<Lattices> parts(pairs);
  parallel_shards(
      pairs, threads,
      [&](std::size_t at) { parts[at].emplace_back(sizes[at].first, sizes[at].second, by_pair[at], limits); }, stop);
  Lattices all;
  all.reserve(pairs);
  for (Lattices& part : parts) all.push_back(std::move(part.front()));
  return all;
}

struct EditLattices {
  Lattices all;
};

void bind_edits(nb::module_& m) {
  m.def(
      "edit_operations", [] { return std::vector<std::string>(std::begin(kNames), std::end(kNames)); },
      "Names of operations by number.");
  nb::class_<EditLattices>(m, "EditLattices", "All ways to edit one sentence of each pair into the other.")
      .def(
          "__init__",
          [](EditLattices* self, const In2<std::int64_t>& lengths, const In2<std::int64_t>& matches, int jump,
             int max_ahead, bool jump_first, bool jump_second, int threads) {
            new (self) EditLattices{lattices(lengths, matches, {jump, max_ahead, jump_first, jump_second}, threads)};
          },
          "lengths"_a.noconvert(), "matches"_a.noconvert(), nb::kw_only(), "jump"_a = 0, "max_ahead"_a = 0,
          "jump_first"_a = true, "jump_second"_a = true, "threads"_a = 0)
      .def("__len__", [](const EditLattices& self) { return self.all.size(); })
      .def_prop_ro("edges",
                   [](const EditLattices& self) {
                     std::size_t edges = 0;
                     for (const auto& one : self.all) edges += one.edges();
                     return edges;
                   })
      .def(
          "values",
          [](const EditLattices& self, const In<double>& weights, int threads) {
            const auto given = feature_weights(weights);
            const StopCallback stop = stop_on_signal();
            std::vector<double> values(self.all.size());
            {
              const nb::gil_scoped_release unlocked;
              parallel_shards(
                  self.all.size(), threads, [&](std::size_t at) { values[at] = self.all[at].value(given, {}); }, stop);
            }
            return owned(std::move(values));
          },
          "weights"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          "Logarithm of the summed weight of all ways, for each pair.")
      .def(
          "expectations",
          [](const EditLattices& self, const In<double>& weights, int threads) {
            const auto given = feature_weights(weights);
            const StopCallback stop = stop_on_signal();
            std::vector<double> values(self.all.size()), expected(self.all.size() * similarity::kFeatures);
            {
              const nb::gil_scoped_release unlocked;
              parallel_shards(
                  self.all.size(), threads,
                  [&](std::size_t at) {
                    values[at] = self.all[at].value(
                        given, std::span(expected).subspan(at * similarity::kFeatures, similarity::kFeatures));
                  },
                  stop);
            }
            const std::size_t rows = self.all.size();
            return std::tuple(owned(std::move(values)), owned(std::move(expected), rows, similarity::kFeatures));
          },
          "weights"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
          "The values, and how often each feature is expected to fire, for each pair.")
      .def(
          "best",
          [](const EditLattices& self, std::size_t pair, const In<double>& weights) {
            if (pair >= self.all.size()) throw InputError("there is no such pair");
            std::vector<std::tuple<int, int, int>> steps;
            for (const auto& step : self.all[pair].best(feature_weights(weights)))
              steps.emplace_back(step.operation, step.first, step.second);
            return steps;
          },
          "pair"_a, "weights"_a.noconvert(), "Operations of the heaviest way of a pair, and where each starts.")
      .def(
          "feature_counts",
          [](const EditLattices& self) {
            std::vector<double> counts(similarity::kFeatures, 0.0);
            for (const auto& one : self.all) one.count_features(counts);
            return owned(std::move(counts));
          },
          "In how many pairs each feature can fire.");
}

}  // namespace

void bind_similarity(nb::module_& m) {
  m.doc() = "Similarity of texts: the loops behind its scorers.";
  bind_edits(m);
  m.def(
      "soft_cardinalities",
      [](const nb::list& first, const nb::list& second, double power, int threads) {
        const auto ours = texts(first);
        const auto theirs = texts(second);
        const StopCallback stop = stop_on_signal();
        std::vector<double> found;
        {
          const nb::gil_scoped_release unlocked;
          found = similarity::soft_cardinalities(ours, theirs, power, threads, stop);
        }
        return owned(std::move(found), ours.size(), 3);
      },
      "first"_a, "second"_a, nb::kw_only(), "power"_a = 2.0, "threads"_a = 0,
      nb::sig("def soft_cardinalities(first: list[str], second: list[str], *, power: float = 2.0, threads: int = 0) "
              "-> NDArray[float64]"),
      "Soft cardinality of the first text of each pair, of the second, and of both together.");
  m.def(
      "near_duplicates",
      [](const nb::list& lines, double least, int threads) {
        const auto views = texts(lines);
        const StopCallback stop = stop_on_signal();
        similarity::NearDuplicates found;
        {
          const nb::gil_scoped_release unlocked;
          found = similarity::near_duplicates(views, least, threads, stop);
        }
        return std::tuple(owned(std::move(found.first)), owned(std::move(found.second)),
                          owned(std::move(found.jaccard)));
      },
      "lines"_a, nb::kw_only(), "least"_a, "threads"_a = 0,
      nb::sig("def near_duplicates(lines: list[str], *, least: float, threads: int = 0) -> tuple[NDArray[int64], "
              "NDArray[int64], NDArray[float64]]"),
      "Numbers of both lines of each pair whose words overlap enough, and how much they do.");
}

}  // namespace dragoman
