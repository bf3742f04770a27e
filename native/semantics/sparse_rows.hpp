#pragma once
// Sparse rows of numbers, as scipy's CSR matrices have them: row r is entries [starts[r], starts[r + 1]), columns
// ascending. A `RowsView` looks at somebody's arrays, `Rows` owns them.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"

namespace dragoman::semantics {

using Column = std::int32_t;

struct RowsView {
  std::span<const std::int64_t> starts;
  std::span<const Column> columns;
  std::span<const double> values;

  [[nodiscard]] std::size_t size() const noexcept { return starts.size() - 1; }
  [[nodiscard]] std::span<const Column> columns_of(std::size_t row) const noexcept {
    return columns.subspan(begin(row), length(row));
  }
  [[nodiscard]] std::span<const double> values_of(std::size_t row) const noexcept {
    return values.subspan(begin(row), length(row));
  }

  // What comes from outside is checked once: ascending starts, ascending columns below `width`.
  void check(std::size_t width) const {
    bool good = !starts.empty() && starts.front() == 0 && columns.size() == values.size() &&
                starts.back() == static_cast<std::int64_t>(columns.size());
    for (std::size_t row = 0; good && row + 1 < starts.size(); ++row) {
      good = starts[row] <= starts[row + 1] && starts[row + 1] <= starts.back();
      for (std::int64_t at = starts[row]; good && at < starts[row + 1]; ++at) {
        const Column column = columns[static_cast<std::size_t>(at)];
        good = column >= 0 && static_cast<std::size_t>(column) < width &&
               (at == starts[row] || columns[static_cast<std::size_t>(at) - 1] < column);
      }
    }
    if (!good) throw InputError("sparse rows whose columns are not in order", "", "sort the indices of the matrix");
  }

 private:
  [[nodiscard]] std::size_t begin(std::size_t row) const noexcept { return static_cast<std::size_t>(starts[row]); }
  [[nodiscard]] std::size_t length(std::size_t row) const noexcept {
    return static_cast<std::size_t>(starts[row + 1] - starts[row]);
  }
};

struct Rows {
  std::vector<std::int64_t> starts{0};
  std::vector<Column> columns;
  std::vector<double> values;

  [[nodiscard]] RowsView view() const noexcept { return {starts, columns, values}; }
  void end_row() { starts.push_back(static_cast<std::int64_t>(columns.size())); }
  void append(const Rows& others) {
    for (std::size_t row = 1; row < others.starts.size(); ++row)
      starts.push_back(others.starts[row] + static_cast<std::int64_t>(columns.size()));
    columns.insert(columns.end(), others.columns.begin(), others.columns.end());
    values.insert(values.end(), others.values.begin(), others.values.end());
  }
};

// A row being summed up: dense, with a list of the columns that were touched.
class Accumulator {
 public:
  explicit Accumulator(std::size_t width) : sums_(width, 0.0), seen_(width, 0) {}

  void add(std::size_t column, double value) {
    if (!seen_[column]) {
      seen_[column] = 1;
      touched_.push_back(static_cast<Column>(column));
    }
    sums_[column] += value;
  }
  [[nodiscard]] const std::vector<Column>& touched() const noexcept { return touched_; }
  [[nodiscard]] double operator[](Column column) const noexcept { return sums_[static_cast<std::size_t>(column)]; }

  void clear() {
    for (const Column column : touched_) forget(column);
    touched_.clear();
  }
  // Drops all but the `top` greatest sums, of equal ones those of the first columns.
  void keep_greatest(std::size_t top);
  // Appends what was summed, times `scale`, as one more row, and starts anew.
  void flush(Rows& rows, double scale = 1.0);

 private:
  void forget(Column column) noexcept {
    sums_[static_cast<std::size_t>(column)] = 0.0;
    seen_[static_cast<std::size_t>(column)] = 0;
  }

  std::vector<double> sums_;
  std::vector<char> seen_;
  std::vector<Column> touched_;
  std::vector<std::pair<double, Column>> ranked_;
};

}  // namespace dragoman::semantics
