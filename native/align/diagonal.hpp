#pragma once
// IBM 2 with two numbers instead of a table: positions near the diagonal are more probable, as strongly as the tension
// says, and the normaliser has a closed form. (Dyer, Chahuneau and Smith 2013.)
#include <vector>

#include "align/position.hpp"

namespace dragoman::align {

class DiagonalModel final : public ZeroOrderModel {
 public:
  explicit DiagonalModel(const PositionSettings& settings)
      : ZeroOrderModel(settings.null_probability), tension_(settings.tension), rate_(settings.tension_rate) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "diagonal"; }
  void prepare(const Bitext& bitext, bool forward) override;
  [[nodiscard]] std::size_t evidence_size() const noexcept override { return 2; }
  void maximize(std::span<const double> evidence) override;
  [[nodiscard]] std::vector<double> parameters() const override { return {null_probability_, tension_}; }
  void set_parameters(std::span<const double> values) override;
  [[nodiscard]] double tension() const noexcept { return tension_; }

 protected:
  void prior(int j, int given, int generated, std::span<float> out) const override;
  void observe(const Sentence& sentence, int j, std::span<double> evidence) override;

 private:
  struct Lengths {
    int given, generated;
    double pairs;
  };
  // Mean distance from the diagonal over all generated words, by the model with this tension.
  [[nodiscard]] double expected_distance(double tension) const;

  double tension_;
  double rate_;  // 0 keeps the tension, 1 takes the likeliest
  std::vector<Lengths> lengths_;
};

}  // namespace dragoman::align
