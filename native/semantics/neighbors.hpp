#pragma once
// Similarity of sparse rows, one pair at a time or from one row to all that share a column with it. Every measure here
// is a sum over shared columns and one number per row, so that an inverted index gives it exactly.
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "semantics/sparse_rows.hpp"

namespace dragoman::semantics {

enum class Measure { kCosine, kJaccard, kDice, kLin, kCityBlock, kJensenShannon, kSkew };

struct MeasureSettings {
  Measure measure = Measure::kCosine;
  double alpha = 0.99;  // of the skew divergence

  [[nodiscard]] bool is_distance() const noexcept { return measure >= Measure::kCityBlock; }
};

// Rows made ready for a measure (unit length for cosine, negative values cut off or rows summing to 1 where the measure
// needs it), and the number per row.
struct Prepared {
  Prepared(RowsView rows, const MeasureSettings& settings);

  RowsView rows;  // the caller's starts and columns, our values
  std::vector<double> values;
  std::vector<double> masses;  // sum of magnitudes of each row; for cosine 1, or 0 for an empty row
};

// Measure of each pair of rows (i of the first, i of the second).
[[nodiscard]] std::vector<double> pair_values(RowsView first, RowsView second, std::size_t width,
                                              const MeasureSettings& settings);

struct Neighbors {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> rows;  // of the candidates, nearest first
  std::vector<double> values;
};

// The k nearest candidates of each query among those that share a column with it and are not the query itself
// (`self[query]`, -1 for none); equal values by row number.
[[nodiscard]] Neighbors nearest(RowsView queries, RowsView candidates, std::size_t width,
                                std::span<const std::int32_t> self, std::size_t k, const MeasureSettings& settings,
                                int threads, const StopCallback& stop);

}  // namespace dragoman::semantics
