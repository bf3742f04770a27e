#pragma once
// Products of a few dense rows that training of vectors spends its time in, as floats for speed and as doubles for
// tests of gradients. Sums are made in an order that depends on the shapes alone.
#include <cstddef>

namespace dragoman::semantics {

// out (rows x width) += rows of `left` (rows x depth) times `right` (depth x width).
void multiply_add(const float* left, const float* right, std::size_t rows, std::size_t depth, std::size_t width,
                  float* out);
void multiply_add(const double* left, const double* right, std::size_t rows, std::size_t depth, std::size_t width,
                  double* out);

// out (rows x depth) = rows of `left` (rows x width) times the transpose of `right` (depth x width).
void multiply_transposed(const float* left, const float* right, std::size_t rows, std::size_t depth, std::size_t width,
                         float* out);
void multiply_transposed(const double* left, const double* right, std::size_t rows, std::size_t depth,
                         std::size_t width, double* out);

// out (depth x width) += the transpose of `left` (rows x depth) times `right` (rows x width).
void outer_add(const float* left, const float* right, std::size_t rows, std::size_t depth, std::size_t width,
               float* out);
void outer_add(const double* left, const double* right, std::size_t rows, std::size_t depth, std::size_t width,
               double* out);

// Each value in the place of itself: within 3e-7 of exact for floats.
void hyperbolic_tangents(float* values, std::size_t size);
void hyperbolic_tangents(double* values, std::size_t size);

// A step against a gradient, each element as long as all of its gradients so far allow (Duchi et al. 2011).
void adaptive_step(float* values, float* squares, const float* gradients, std::size_t size, float rate);
void adaptive_step(double* values, double* squares, const double* gradients, std::size_t size, double rate);

// a += b
void add_to(float* a, const float* b, std::size_t size);
void add_to(double* a, const double* b, std::size_t size);

}  // namespace dragoman::semantics
