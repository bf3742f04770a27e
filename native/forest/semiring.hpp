#pragma once
// Semirings: what "sum" and "product" mean while one pass walks a forest. The passes in `inside.hpp` are written once;
// a semiring decides whether they find the best score, the total probability, a number of derivations, or the mean and
// covariance of quantities that add up along a derivation (Goodman 1999; Li and Eisner 2009). Products must commute.
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace dragoman::forest {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();

// `Sum` collects addends; it may keep a form that adds faster than `plus` could.
template <typename S>
concept Semiring = requires(const S s, typename S::Value value, typename S::Sum sum) {
  { s.zero() } -> std::same_as<typename S::Value>;
  { s.one() } -> std::same_as<typename S::Value>;
  { s.times(value, value) } -> std::same_as<typename S::Value>;
  { s.sum() } -> std::same_as<typename S::Sum>;
  { s.add(sum, value) };
  { s.total(sum) } -> std::same_as<typename S::Value>;
};

// The score of the best derivation.
struct MaxPlus {
  using Value = double;
  using Sum = double;
  static Value zero() noexcept { return kNever; }
  static Value one() noexcept { return 0; }
  static Value times(Value a, Value b) noexcept { return a + b; }
  static Sum sum() noexcept { return kNever; }
  static void add(Sum& sum, Value value) noexcept { sum = value > sum ? value : sum; }
  static Value total(const Sum& sum) noexcept { return sum; }
};

// Logarithm of a sum of exponentials, relative to the greatest term so far: one exponential per addend.
struct LogSum {
  double greatest = kNever, scaled = 0;
  void add(double value) noexcept {
    if (value <= greatest) {
      if (value > kNever) scaled += std::exp(value - greatest);
    } else {
      scaled = scaled * std::exp(greatest - value) + 1;
      greatest = value;
    }
  }
  [[nodiscard]] double total() const noexcept { return scaled > 0 ? greatest + std::log(scaled) : kNever; }
};

// The logarithm of the total probability mass.
struct LogPlus {
  using Value = double;
  using Sum = LogSum;
  static Value zero() noexcept { return kNever; }
  static Value one() noexcept { return 0; }
  static Value times(Value a, Value b) noexcept { return a + b; }
  static Sum sum() noexcept { return {}; }
  static void add(Sum& sum, Value value) noexcept { sum.add(value); }
  static Value total(const Sum& sum) noexcept { return sum.total(); }
};

// Sums and products of ordinary numbers; with all weights one, the number of derivations (exact up to 2^53, rounded
// beyond, infinite from 1e308; `count_derivations` is exact always).
struct Real {
  using Value = double;
  using Sum = double;
  static Value zero() noexcept { return 0; }
  static Value one() noexcept { return 1; }
  static Value times(Value a, Value b) noexcept { return a * b; }
  static Sum sum() noexcept { return 0; }
  static void add(Sum& sum, Value value) noexcept { sum += value; }
  static Value total(const Sum& sum) noexcept { return sum; }
};

// Numbers modulo a prime below 2^32.
struct Modular {
  using Value = std::uint64_t;
  using Sum = std::uint64_t;
  std::uint64_t prime;
  static Value zero() noexcept { return 0; }
  static Value one() noexcept { return 1; }
  [[nodiscard]] Value times(Value a, Value b) const noexcept { return a * b % prime; }
  static Sum sum() noexcept { return 0; }
  void add(Sum& sum, Value value) const noexcept { sum = (sum + value) % prime; }
  static Value total(const Sum& sum) noexcept { return sum; }
};

// Is there a derivation at all?
struct Boolean {
  using Value = std::uint8_t;
  using Sum = std::uint8_t;
  static Value zero() noexcept { return 0; }
  static Value one() noexcept { return 1; }
  static Value times(Value a, Value b) noexcept { return a & b; }
  static Sum sum() noexcept { return 0; }
  static void add(Sum& sum, Value value) noexcept { sum |= value; }
  static Value total(const Sum& sum) noexcept { return sum; }
};

// First-order expectation: log mass and the mean of one additive quantity. The textbook pair (p, p * mean) is kept in
// the coordinates (log p, mean), which neither overflow nor cancel.
struct Expectation {
  struct Value {
    double mass = kNever, mean = 0;
  };
  struct Sum {
    double greatest = kNever, scaled = 0, weighted = 0;  // of exp(mass - greatest), and of that times the mean
  };
  static Value zero() noexcept { return {}; }
  static Value one() noexcept { return {0, 0}; }
  static Value times(const Value& a, const Value& b) noexcept { return {a.mass + b.mass, a.mean + b.mean}; }
  static Sum sum() noexcept { return {}; }
  static void add(Sum& sum, const Value& value) noexcept {
    if (value.mass == kNever) return;
    if (value.mass <= sum.greatest) {
      const double share = std::exp(value.mass - sum.greatest);
      sum.scaled += share;
      sum.weighted += share * value.mean;
    } else {
      const double shrink = std::exp(sum.greatest - value.mass);
      sum = {value.mass, sum.scaled * shrink + 1, sum.weighted * shrink + value.mean};
    }
  }
  static Value total(const Sum& sum) noexcept {
    if (!(sum.scaled > 0)) return {};
    return {sum.greatest + std::log(sum.scaled), sum.weighted / sum.scaled};
  }
};

// Second-order expectation: log mass, the means of two additive quantities and their covariance. Parts of a derivation
// are independent given the node that joins them, so covariances add in a product; a sum is a mixture.
struct Covariance {
  struct Value {
    double mass = kNever, first = 0, second = 0, covariance = 0;
  };
  using Sum = Value;
  static Value zero() noexcept { return {}; }
  static Value one() noexcept { return {0, 0, 0, 0}; }
  static Value times(const Value& a, const Value& b) noexcept {
    return {a.mass + b.mass, a.first + b.first, a.second + b.second, a.covariance + b.covariance};
  }
  static Sum sum() noexcept { return {}; }
  static void add(Sum& sum, const Value& value) noexcept {
    if (value.mass == kNever) return;
    if (sum.mass == kNever) {
      sum = value;
      return;
    }
    LogSum mass;
    mass.add(sum.mass);
    mass.add(value.mass);
    const double total = mass.total(), share = std::exp(value.mass - total), rest = std::exp(sum.mass - total);
    const double first = value.first - sum.first, second = value.second - sum.second;
    sum = {total, sum.first + share * first, sum.second + share * second,
           rest * sum.covariance + share * value.covariance + rest * share * first * second};
  }
  static Value total(const Sum& sum) noexcept { return sum; }
};

}  // namespace dragoman::forest
