#include "semantics/window_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

// One source for several processors: the loader takes the best version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define DRAGOMAN_WIDE_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define DRAGOMAN_WITHIN __attribute__((always_inline)) inline
#else
#define DRAGOMAN_WIDE_KERNEL
#define DRAGOMAN_WITHIN inline
#endif

namespace dragoman::semantics {
namespace {

constexpr std::size_t kTogether = 4;  // rows that share what is read of the other matrix
constexpr std::size_t kLanes = 16;

template <typename Real>
DRAGOMAN_WITHIN void multiply_add_in(const Real* __restrict left, const Real* __restrict right, std::size_t rows,
                                     std::size_t depth, std::size_t width, Real* __restrict out) {
  std::size_t row = 0;
  for (; row + kTogether <= rows; row += kTogether) {
    const Real* const a = left + row * depth;
    Real *const o0 = out + row * width, *const o1 = o0 + width, *const o2 = o1 + width, *const o3 = o2 + width;
    for (std::size_t k = 0; k < depth; ++k) {
      const Real x0 = a[k], x1 = a[depth + k], x2 = a[2 * depth + k], x3 = a[3 * depth + k];
      const Real* const b = right + k * width;
      for (std::size_t j = 0; j < width; ++j) {
        o0[j] += x0 * b[j];
        o1[j] += x1 * b[j];
        o2[j] += x2 * b[j];
        o3[j] += x3 * b[j];
      }
    }
  }
  for (; row < rows; ++row)
    for (std::size_t k = 0; k < depth; ++k) {
      const Real x = left[row * depth + k];
      for (std::size_t j = 0; j < width; ++j) out[row * width + j] += x * right[k * width + j];
    }
}

template <typename Real>
DRAGOMAN_WITHIN void multiply_transposed_in(const Real* __restrict left, const Real* __restrict right, std::size_t rows,
                                            std::size_t depth, std::size_t width, Real* __restrict out) {
  for (std::size_t k = 0; k < depth; ++k) {
    const Real* const b = right + k * width;
    for (std::size_t row = 0; row < rows; ++row) {
      const Real* const a = left + row * width;
      Real lanes[kLanes] = {};
      std::size_t j = 0;
      for (; j + kLanes <= width; j += kLanes)
        for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += a[j + l] * b[j + l];
      Real sum = 0;
      for (; j < width; ++j) sum += a[j] * b[j];
      for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
      out[row * depth + k] = sum + lanes[0];
    }
  }
}

template <typename Real>
DRAGOMAN_WITHIN void outer_add_in(const Real* __restrict left, const Real* __restrict right, std::size_t rows,
                                  std::size_t depth, std::size_t width, Real* __restrict out) {
  for (std::size_t k = 0; k < depth; ++k) {
    Real* const o = out + k * width;
    std::size_t row = 0;
    for (; row + kTogether <= rows; row += kTogether) {
      const Real x0 = left[row * depth + k], x1 = left[(row + 1) * depth + k], x2 = left[(row + 2) * depth + k],
                 x3 = left[(row + 3) * depth + k];
      const Real *const b0 = right + row * width, *const b1 = b0 + width, *const b2 = b1 + width,
                        *const b3 = b2 + width;
      for (std::size_t j = 0; j < width; ++j) o[j] += x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j];
    }
    for (; row < rows; ++row) {
      const Real x = left[row * depth + k];
      for (std::size_t j = 0; j < width; ++j) o[j] += x * right[row * width + j];
    }
  }
}

template <typename Real>
DRAGOMAN_WITHIN void adaptive_step_in(Real* __restrict values, Real* __restrict squares,
                                      const Real* __restrict gradients, std::size_t size, Real rate) {
  for (std::size_t i = 0; i < size; ++i) {
    const Real g = gradients[i];
    squares[i] += g * g;
    values[i] -= rate * g / (std::sqrt(squares[i]) + Real(1e-8));
  }
}

// tanh x = 1 - 2 / (exp 2x + 1); the exponential is a power of two times a short polynomial. What is no number stays
// so.
DRAGOMAN_WITHIN float fast_tangent(float x) {
  const float doubled = std::min(std::max(x, -9.0f), 9.0f) * 2.885390082f;  // 2 / ln 2
  const float shifted = doubled + 12582912.0f;                              // its last bits are the whole number
  const float rest = doubled - (shifted - 12582912.0f);
  float power = 1.540353e-4f;
  power = power * rest + 1.3333558e-3f;
  power = power * rest + 9.6181291e-3f;
  power = power * rest + 5.5504109e-2f;
  power = power * rest + 2.4022651e-1f;
  power = power * rest + 6.9314718e-1f;
  power = power * rest + 1.0f;
  const std::uint32_t bits = (std::bit_cast<std::uint32_t>(shifted) + 127) << 23;
  return 1.0f - 2.0f / (power * std::bit_cast<float>(bits) + 1.0f);
}

}  // namespace

DRAGOMAN_WIDE_KERNEL
void multiply_add(const float* left, const float* right, std::size_t rows, std::size_t depth, std::size_t width,
                  float* out) {
  multiply_add_in(left, right, rows, depth, width, out);
}
void multiply_add(const double* left, const double* right, std::size_t rows, std::size_t depth, std::size_t width,
                  double* out) {
  multiply_add_in(left, right, rows, depth, width, out);
}

DRAGOMAN_WIDE_KERNEL
void multiply_transposed(const float* left, const float* right, std::size_t rows, std::size_t depth, std::size_t width,
                         float* out) {
  multiply_transposed_in(left, right, rows, depth, width, out);
}
void multiply_transposed(const double* left, const double* right, std::size_t rows, std::size_t depth,
                         std::size_t width, double* out) {
  multiply_transposed_in(left, right, rows, depth, width, out);
}

DRAGOMAN_WIDE_KERNEL
void outer_add(const float* left, const float* right, std::size_t rows, std::size_t depth, std::size_t width,
               float* out) {
  outer_add_in(left, right, rows, depth, width, out);
}
void outer_add(const double* left, const double* right, std::size_t rows, std::size_t depth, std::size_t width,
               double* out) {
  outer_add_in(left, right, rows, depth, width, out);
}

DRAGOMAN_WIDE_KERNEL
void hyperbolic_tangents(float* values, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) values[i] = fast_tangent(values[i]);
}
void hyperbolic_tangents(double* values, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) values[i] = std::tanh(values[i]);
}

DRAGOMAN_WIDE_KERNEL
void adaptive_step(float* values, float* squares, const float* gradients, std::size_t size, float rate) {
  adaptive_step_in(values, squares, gradients, size, rate);
}
void adaptive_step(double* values, double* squares, const double* gradients, std::size_t size, double rate) {
  adaptive_step_in(values, squares, gradients, size, rate);
}

DRAGOMAN_WIDE_KERNEL
void add_to(float* a, const float* b, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) a[i] += b[i];
}
void add_to(double* a, const double* b, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) a[i] += b[i];
}

}  // namespace dragoman::semantics
