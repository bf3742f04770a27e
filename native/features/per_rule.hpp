#pragma once
// What a feature has found out about rules, for one thread: numbers by which options find it without a search, kept
// from sentence to sentence, since weights do not change.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/feature.hpp"

namespace dragoman::features {

template <typename Value>
class PerRule {
 public:
  // `fresh` stands for what is not known yet; `width` values are kept per rule.
  explicit PerRule(Value fresh, std::size_t width = 1) : fresh_(fresh), width_(width) {}

  // A new sentence: what its own options brought along is forgotten, and so is everything if rules have new numbers.
  void begin(const SentenceView& sentence) {
    const RememberedRules rules = sentence.remembered();
    if (rules.generation != generation_) kept_ = 0;
    values_.resize(kept_ * width_);
    values_.resize(rules.all * width_, fresh_);
    generation_ = rules.generation;
    kept_ = rules.kept;
  }
  void forget() noexcept { kept_ = 0; }

  [[nodiscard]] std::span<Value> row(const OptionView& option) noexcept {
    return std::span(values_).subspan(option.entry * width_, width_);
  }
  // Where there is one value per rule.
  [[nodiscard]] Value& operator[](const OptionView& option) noexcept { return values_[option.entry]; }

 private:
  Value fresh_;
  std::size_t width_;
  std::uint32_t generation_ = 0;
  std::size_t kept_ = 0;
  std::vector<Value> values_;
};

}  // namespace dragoman::features
