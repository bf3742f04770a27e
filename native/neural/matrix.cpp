#include "neural/matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

// One source for several processors: the loader takes the best version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define DRAGOMAN_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DRAGOMAN_WIDE
#endif

namespace dragoman::neural {
namespace {

constexpr std::size_t kRows = 6, kColumns = 32;  // of a block that stays in registers
constexpr std::size_t kDepth = 256;              // of panels that stay in the cache

// block += panel of a (depth x kRows) times panel of b (depth x kColumns); rows of the block are `step` apart.
DRAGOMAN_WIDE
void multiply_panels(const float* a, const float* b, std::size_t depth, float* block, std::size_t step) {
  float sums[kRows][kColumns];
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j) sums[i][j] = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    const float* const left = a + k * kRows;
    const float* const right = b + k * kColumns;
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kColumns; ++j) sums[i][j] += left[i] * right[j];
  }
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j) block[i * step + j] += sums[i][j];
}

DRAGOMAN_WIDE
void copy_columns(const float* from, std::size_t step, std::size_t depth, float* panel) {
  for (std::size_t k = 0; k < depth; ++k)
    for (std::size_t j = 0; j < kColumns; ++j) panel[k * kColumns + j] = from[k * step + j];
}

// Elements of a matrix, or of its transpose, by row and column.
struct View {
  const float* values;
  std::size_t row_step, column_step;  // one of them is 1

  [[nodiscard]] const float* at(std::size_t row, std::size_t column) const noexcept {
    return values + row * row_step + column * column_step;
  }
  [[nodiscard]] View transposed() const noexcept { return {values, column_step, row_step}; }
};

View view(const Matrix& matrix) noexcept { return {matrix.values.data(), matrix.columns, 1}; }

// `depth` rows of so many columns, each filled up by zeros to `width`.
template <std::size_t width>
void pack(const View& from, std::size_t depth, std::size_t count, float* panel) {
  if (count < width) std::fill_n(panel, depth * width, 0.0f);
  if (from.column_step == 1 && count == width && width == kColumns) {
    copy_columns(from.values, from.row_step, depth, panel);
  } else if (from.column_step == 1 && count == width) {
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t i = 0; i < width; ++i) panel[k * width + i] = from.at(k, 0)[i];
  } else if (from.column_step == 1) {
    for (std::size_t k = 0; k < depth; ++k) std::copy_n(from.at(k, 0), count, panel + k * width);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const float* const column = from.at(0, i);
      for (std::size_t k = 0; k < depth; ++k) panel[k * width + i] = column[k];
    }
  }
}

// c += left (rows x depth) times right (depth x columns), in some columns.
void add_general_product(std::size_t depth, const View& left, const View& right, Matrix& c, Columns columns) {
  const std::size_t end = std::min(columns.to, c.columns);
  const std::size_t row_panels = (c.rows + kRows - 1) / kRows;
  std::vector<float> a(row_panels * kRows * kDepth), b(kColumns * kDepth);
  for (std::size_t from = 0; from < depth; from += kDepth) {
    const std::size_t deep = std::min(kDepth, depth - from);
    for (std::size_t panel = 0; panel < row_panels; ++panel) {
      const View rows{left.at(panel * kRows, from), left.row_step, left.column_step};
      pack<kRows>(rows.transposed(), deep, std::min(kRows, c.rows - panel * kRows), a.data() + panel * kRows * kDepth);
    }
    for (std::size_t column = columns.from; column < end; column += kColumns) {
      const std::size_t wide = std::min(kColumns, end - column);
      pack<kColumns>({right.at(from, column), right.row_step, right.column_step}, deep, wide, b.data());
      for (std::size_t panel = 0; panel < row_panels; ++panel) {
        const float* const rows = a.data() + panel * kRows * kDepth;
        const std::size_t high = std::min(kRows, c.rows - panel * kRows);
        if (high == kRows && wide == kColumns) {
          multiply_panels(rows, b.data(), deep, c.row(panel * kRows).data() + column, c.columns);
          continue;
        }
        float block[kRows * kColumns] = {};
        multiply_panels(rows, b.data(), deep, block, kColumns);
        for (std::size_t i = 0; i < high; ++i)
          add_scaled(c.row(panel * kRows + i).subspan(column, wide), 1, {block + i * kColumns, wide});
      }
    }
  }
}

}  // namespace

void add_product(const Matrix& a, const Matrix& b, Matrix& c, Columns columns) {
  add_general_product(a.columns, view(a), view(b), c, columns);
}

void add_product_of_transposed(const Matrix& a, const Matrix& b, Matrix& c, Columns columns) {
  add_general_product(a.rows, view(a).transposed(), view(b), c, columns);
}

void add_product_with_transposed(const Matrix& a, const Matrix& b, Matrix& c, Columns columns) {
  add_general_product(a.columns, view(a), view(b).transposed(), c, columns);
}

DRAGOMAN_WIDE
float dot(std::span<const float> a, std::span<const float> b) noexcept {
  constexpr std::size_t kLanes = 32;
  float sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes)
    for (std::size_t j = 0; j < kLanes; ++j) sums[j] += a[i + j] * b[i + j];
  float rest = 0;
  for (; i < a.size(); ++i) rest += a[i] * b[i];
  for (std::size_t width = kLanes / 2; width > 0; width /= 2)
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  return sums[0] + rest;
}

DRAGOMAN_WIDE
float rectified_dot(std::span<const float> a, std::span<const float* const> rows, std::span<const float> b) noexcept {
  constexpr std::size_t kLanes = 32;
  float sums[kLanes] = {};
  float rest = 0;
  std::size_t i = 0;
  if (rows.size() == 3) {  // what search asks for nearly always
    const float *const first = rows[0], *const second = rows[1], *const third = rows[2];
    for (; i + kLanes <= a.size(); i += kLanes)
      for (std::size_t j = i; j < i + kLanes; ++j)
        sums[j - i] += std::max(a[j] + first[j] + second[j] + third[j], 0.0f) * b[j];
  }
  for (; i < a.size(); i += kLanes) {
    float values[kLanes];
    const std::size_t count = std::min(kLanes, a.size() - i);
    if (count < kLanes) {
      for (std::size_t j = 0; j < count; ++j) {
        float value = a[i + j];
        for (const float* const row : rows) value += row[i + j];
        rest += std::max(value, 0.0f) * b[i + j];
      }
      break;
    }
    for (std::size_t j = 0; j < kLanes; ++j) values[j] = a[i + j];
    for (const float* const row : rows)
      for (std::size_t j = 0; j < kLanes; ++j) values[j] += row[i + j];
    for (std::size_t j = 0; j < kLanes; ++j) sums[j] += std::max(values[j], 0.0f) * b[i + j];
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2)
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  return sums[0] + rest;
}

// 2^x by its integral part, written into the exponent, and a polynomial for the rest.
DRAGOMAN_WIDE
float exponentiate(std::span<float> scores) noexcept {
  constexpr std::size_t kLanes = 16;
  float sums[kLanes] = {};
  const auto power = [](float score) {
    const float x = (score > -80 ? std::min(score, 80.0f) : -80.0f) * 1.44269504f;  // what is no number is -80
    const float whole = std::floor(x + 0.5f), part = (x - whole) * 0.69314718f;
    const float polynomial =
        1 + part * (1 + part * (0.5f + part * (1 / 6.0f + part * (1 / 24.0f + part * (1 / 120.0f + part / 720)))));
    return polynomial * std::bit_cast<float>((static_cast<std::int32_t>(whole) + 127) << 23);
  };
  std::size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes)
    for (std::size_t j = 0; j < kLanes; ++j) sums[j] += scores[i + j] = power(scores[i + j]);
  for (; i < scores.size(); ++i) sums[0] += scores[i] = power(scores[i]);
  for (std::size_t width = kLanes / 2; width > 0; width /= 2)
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  return sums[0];
}

// Roots that need not say in `errno` that a number is negative are taken many at a time.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-math-errno")
#endif
DRAGOMAN_WIDE
void step_all(std::span<float> values, std::span<float> squares, std::span<const float> gradients,
              float rate) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares[i] += gradients[i] * gradients[i];
    values[i] -= rate * gradients[i] / std::sqrt(squares[i] + 1e-8f);
  }
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

DRAGOMAN_WIDE
void add_scaled(std::span<float> a, float factor, std::span<const float> b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

}  // namespace dragoman::neural
