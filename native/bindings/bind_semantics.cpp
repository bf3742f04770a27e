#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "semantics/cooccurrence.hpp"
#include "semantics/neighbors.hpp"
#include "semantics/propagate.hpp"

namespace dragoman {

using namespace nb::literals;

namespace {

using semantics::Column;
using semantics::RowsView;

// Rows come in as the three arrays of scipy's CSR matrix, and go out so.
using RowArrays = std::tuple<In<std::int64_t>, In<Column>, In<double>>;

RowsView rows_of(const In<std::int64_t>& starts, const In<Column>& columns, const In<double>& values) {
  if (starts.size() == 0) throw InputError("rows without a start");
  return {view(starts), view(columns), view(values)};
}

nb::tuple arrays(semantics::Rows&& rows) {
  return nb::make_tuple(owned(std::move(rows.starts)), owned(std::move(rows.columns)), owned(std::move(rows.values)));
}

semantics::WindowSettings window_settings(std::size_t window, bool positional, std::size_t at_most) {
  return {window, positional, at_most};
}

semantics::MeasureSettings measure_settings(const std::string& name, double alpha) {
  using enum semantics::Measure;
  const std::vector<std::pair<std::string, semantics::Measure>> names{
      {"cosine", kCosine}, {"jaccard", kJaccard},      {"dice", kDice},
      {"lin", kLin},       {"city-block", kCityBlock}, {"jensen-shannon", kJensenShannon},
      {"skew", kSkew}};
  for (const auto& [known, measure] : names) {
    if (known == name) return {measure, alpha};
  }
  throw SettingError("no measure is called '" + name + "'");
}

constexpr const char* kRows = "tuple[NDArray[int64], NDArray[int32], NDArray[float64]]";

}  // namespace

void bind_semantics(nb::module_& m) {
  m.doc() = "Co-occurrence counts, neighbours of sparse rows, labels that spread over a graph, and word vectors.";
  const std::string rows = kRows;

  m.def(
      "context_columns",
      [](const text::CorpusIndex& index, std::size_t window, bool positional) {
        return semantics::context_columns(index, window_settings(window, positional, 0));
      },
      "index"_a, nb::kw_only(), "window"_a, "positional"_a, "How many columns count_contexts gives.");

  static const std::string count_signature =
      "def count_contexts(index: dragoman._native.text.CorpusIndex, words: NDArray[uint32], ends: NDArray[int64], "
      "keep: "
      "NDArray[uint8], claims: NDArray[uint8], *, window: int, positional: bool, at_most: int, threads: int = 0) -> " +
      rows;
  m.def(
      "count_contexts",
      [](const text::CorpusIndex& index, In<WordId> words, In<std::int64_t> ends, In<std::uint8_t> keep,
         In<std::uint8_t> claims, std::size_t window, bool positional, std::size_t at_most, int threads) {
        semantics::Rows found;
        {
          const auto stop = stop_on_signal();
          const nb::gil_scoped_release unlocked;
          found = semantics::count_contexts(index, {view(words), view(ends)}, view(keep), view(claims),
                                            window_settings(window, positional, at_most), threads, stop);
        }
        return arrays(std::move(found));
      },
      "index"_a, "words"_a.noconvert(), "ends"_a.noconvert(), "keep"_a.noconvert(), "claims"_a.noconvert(),
      nb::kw_only(), "window"_a, "positional"_a, "at_most"_a, "threads"_a = 0, nb::sig(count_signature.c_str()),
      "Counts of what stands beside each phrase, as the arrays of a CSR matrix.");

  m.def(
      "context_totals",
      [](const text::CorpusIndex& index, std::size_t window, bool positional) {
        std::vector<double> totals;
        {
          const nb::gil_scoped_release unlocked;
          totals = semantics::context_totals(index, window_settings(window, positional, 0));
        }
        return owned(std::move(totals));
      },
      "index"_a, nb::kw_only(), "window"_a, "positional"_a,
      nb::sig("def context_totals(index: dragoman._native.text.CorpusIndex, *, window: int, positional: bool) -> "
              "NDArray[float64]"),
      "Sum of each column over all tokens of the corpus.");

  m.def(
      "neighbor_types",
      [](const text::CorpusIndex& index, std::size_t window, double least, std::int64_t threshold, int threads) {
        std::vector<std::int64_t> types;
        {
          const auto stop = stop_on_signal();
          const nb::gil_scoped_release unlocked;
          types = semantics::neighbor_types(index, window_settings(window, false, 0), least, threshold, threads, stop);
        }
        return owned(std::move(types));
      },
      "index"_a, nb::kw_only(), "window"_a, "least"_a, "threshold"_a, "threads"_a = 0,
      nb::sig("def neighbor_types(index: dragoman._native.text.CorpusIndex, *, window: int, least: float, threshold: "
              "int, threads: int = 0) -> NDArray[int64]"),
      "How many different words stand beside each word; 0 for words too rare to exceed the threshold.");

  static const std::string concept_signature =
      "def count_by_concept(index: dragoman._native.text.CorpusIndex, words: NDArray[uint32], ends: NDArray[int64], "
      "concept_starts: NDArray[int64], concepts: NDArray[int32], strengths: " +
      rows +
      ", keep: NDArray[uint8], claims: NDArray[uint8], *, window: int, positional: bool, at_most: int, drop_ties: "
      "bool, "
      "threads: int = 0) -> " +
      rows;
  m.def(
      "count_by_concept",
      [](const text::CorpusIndex& index, In<WordId> words, In<std::int64_t> ends, In<std::int64_t> concept_starts,
         In<std::int32_t> concepts, nb::tuple strengths, In<std::uint8_t> keep, In<std::uint8_t> claims,
         std::size_t window, bool positional, std::size_t at_most, bool drop_ties, int threads) {
        const auto starts = nb::cast<In<std::int64_t>>(strengths[0]);
        const auto columns = nb::cast<In<Column>>(strengths[1]);
        const auto values = nb::cast<In<double>>(strengths[2]);
        semantics::Rows found;
        {
          const auto stop = stop_on_signal();
          const nb::gil_scoped_release unlocked;
          const semantics::Concepts given{view(concept_starts), view(concepts), rows_of(starts, columns, values)};
          found = semantics::count_by_concept(index, {view(words), view(ends)}, given, view(keep), view(claims),
                                              window_settings(window, positional, at_most), drop_ties, threads, stop);
        }
        return arrays(std::move(found));
      },
      "index"_a, "words"_a.noconvert(), "ends"_a.noconvert(), "concept_starts"_a.noconvert(), "concepts"_a.noconvert(),
      "strengths"_a, "keep"_a.noconvert(), "claims"_a.noconvert(), nb::kw_only(), "window"_a, "positional"_a,
      "at_most"_a, "drop_ties"_a, "threads"_a = 0, nb::sig(concept_signature.c_str()),
      "Counts for each pair of term and concept, over the occurrences that suit the concept best.");

  m.def(
      "pair_values",
      [](In<std::int64_t> starts, In<Column> columns, In<double> values, In<std::int64_t> other_starts,
         In<Column> other_columns, In<double> other_values, std::size_t width, const std::string& measure,
         double alpha) {
        std::vector<double> found;
        {
          const nb::gil_scoped_release unlocked;
          found = semantics::pair_values(rows_of(starts, columns, values),
                                         rows_of(other_starts, other_columns, other_values), width,
                                         measure_settings(measure, alpha));
        }
        return owned(std::move(found));
      },
      "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "other_starts"_a.noconvert(),
      "other_columns"_a.noconvert(), "other_values"_a.noconvert(), nb::kw_only(), "width"_a, "measure"_a, "alpha"_a,
      "Measure of row i of the first with row i of the second.");

  static const std::string nearest_signature =
      "def nearest(starts: NDArray[int64], columns: NDArray[int32], values: NDArray[float64], other_starts: "
      "NDArray[int64], other_columns: NDArray[int32], other_values: NDArray[float64], own: NDArray[int32], *, width: "
      "int, "
      "k: int, measure: str, alpha: float, threads: int = 0) -> " +
      rows;
  m.def(
      "nearest",
      [](In<std::int64_t> starts, In<Column> columns, In<double> values, In<std::int64_t> other_starts,
         In<Column> other_columns, In<double> other_values, In<std::int32_t> own, std::size_t width, std::size_t k,
         const std::string& measure, double alpha, int threads) {
        semantics::Neighbors found;
        {
          const auto stop = stop_on_signal();
          const nb::gil_scoped_release unlocked;
          found =
              semantics::nearest(rows_of(starts, columns, values), rows_of(other_starts, other_columns, other_values),
                                 width, view(own), k, measure_settings(measure, alpha), threads, stop);
        }
        return nb::make_tuple(owned(std::move(found.starts)), owned(std::move(found.rows)),
                              owned(std::move(found.values)));
      },
      "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "other_starts"_a.noconvert(),
      "other_columns"_a.noconvert(), "other_values"_a.noconvert(), "own"_a.noconvert(), nb::kw_only(), "width"_a, "k"_a,
      "measure"_a, "alpha"_a, "threads"_a = 0, nb::sig(nearest_signature.c_str()),
      "The k nearest of the other rows for each row that share a column with it: starts, rows, values.");

  static const std::string propagate_signature = "def propagate(coupling: " + rows + ", given: " + rows +
                                                 ", start: " + rows +
                                                 ", divisors: NDArray[float64], *, labels: int, rounds: int, "
                                                 "tolerance: float, keep_top: int, threads: int = 0) -> tuple[" +
                                                 rows + ", int, float]";
  m.def(
      "propagate",
      [](nb::tuple coupling, nb::tuple given, nb::tuple start, In<double> divisors, std::size_t labels, int rounds,
         double tolerance, std::size_t keep_top, int threads) {
        const auto cast = [](const nb::tuple& parts) {
          return RowArrays{nb::cast<In<std::int64_t>>(parts[0]), nb::cast<In<Column>>(parts[1]),
                           nb::cast<In<double>>(parts[2])};
        };
        const auto spread = [](const RowArrays& parts) {
          return rows_of(std::get<0>(parts), std::get<1>(parts), std::get<2>(parts));
        };
        const RowArrays edges = cast(coupling), told = cast(given), first = cast(start);
        semantics::Propagated found;
        {
          const auto stop = stop_on_signal();
          const nb::gil_scoped_release unlocked;
          found = semantics::propagate(spread(edges), spread(told), spread(first), view(divisors), labels,
                                       {rounds, tolerance, keep_top}, threads, stop);
        }
        return nb::make_tuple(arrays(std::move(found.labels)), found.rounds, found.change);
      },
      "coupling"_a, "given"_a, "start"_a, "divisors"_a.noconvert(), nb::kw_only(), "labels"_a, "rounds"_a,
      "tolerance"_a, "keep_top"_a, "threads"_a = 0, nb::sig(propagate_signature.c_str()),
      "Labels of all nodes, the rounds it took and the last mean squared change.");
  bind_vectors(m);
}

}  // namespace dragoman
