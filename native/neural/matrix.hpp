#pragma once
// Products of small dense matrices of floats, in the processor's widest arithmetic where it has one. An element of a
// product is summed in an order that depends on the shapes alone, so that results never depend on threads.
#include <cstddef>
#include <span>
#include <vector>

namespace dragoman::neural {

// Rows one after the other.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}

  [[nodiscard]] std::span<float> row(std::size_t index) noexcept { return {values.data() + index * columns, columns}; }
  [[nodiscard]] std::span<const float> row(std::size_t index) const noexcept {
    return {values.data() + index * columns, columns};
  }
  void resize(std::size_t row_count, std::size_t column_count) {
    rows = row_count;
    columns = column_count;
    values.resize(row_count * column_count);
  }
};

// Some columns of a product; all of them, unless somebody else computes the others.
struct Columns {
  std::size_t from = 0, to = ~std::size_t{0};
};

// c += a b, a' b, a b' (' is the transpose).
void add_product(const Matrix& a, const Matrix& b, Matrix& c, Columns columns = {});
void add_product_of_transposed(const Matrix& a, const Matrix& b, Matrix& c, Columns columns = {});
void add_product_with_transposed(const Matrix& a, const Matrix& b, Matrix& c, Columns columns = {});

[[nodiscard]] float dot(std::span<const float> a, std::span<const float> b) noexcept;
// Sum of max(0, a + all rows) b, element by element.
[[nodiscard]] float rectified_dot(std::span<const float> a, std::span<const float* const> rows,
                                  std::span<const float> b) noexcept;
// Replaces scores by their exponentials and gives the sum; within 2e-7 of exact, relatively.
float exponentiate(std::span<float> scores) noexcept;
// A step against a gradient, each element as long as all of its gradients so far allow (Duchi et al. 2011).
void step_all(std::span<float> values, std::span<float> squares, std::span<const float> gradients, float rate) noexcept;
// a += factor b
void add_scaled(std::span<float> a, float factor, std::span<const float> b) noexcept;

}  // namespace dragoman::neural
