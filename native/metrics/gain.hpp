#pragma once
// What a tuner maximises: a score of statistics, higher is better. BLEU, the usual one, is computed here; any other
// metric is a function given from outside that scores many rows at a time.
#include <cstddef>
#include <span>

#include "metrics/bleu.hpp"

namespace dragoman::metrics {

class Gain {
 public:
  virtual ~Gain() = default;
  // How many statistics a row has.
  [[nodiscard]] virtual std::size_t width() const noexcept = 0;
  // The gain of each row; `rows` holds as many rows of statistics as `into` has places.
  virtual void score(std::span<const double> rows, std::span<double> into) const = 0;
  [[nodiscard]] double score(std::span<const double> row) const {
    double value = 0;
    score(row, {&value, 1});
    return value;
  }
};

class BleuGain final : public Gain {
 public:
  explicit BleuGain(const BleuOptions& options);
  using Gain::score;
  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  void score(std::span<const double> rows, std::span<double> into) const override;

 private:
  [[nodiscard]] double of_row(std::span<const double> row) const;

  BleuOptions options_;
  std::size_t width_;
  bool plain_;  // the score is the textbook's whenever all orders match
};

}  // namespace dragoman::metrics
