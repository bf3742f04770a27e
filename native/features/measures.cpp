#include "features/measures.hpp"

#include <cmath>

namespace dragoman::features {

void ShapeIndicator::fire(const RuleText& rule, NamedValues& fire) const {
  const std::string source = std::to_string(rule.source.size()), target = std::to_string(rule.target.size());
  if (source_) fire(named("source." + source));
  if (target_) fire(named("target." + target));
  if (both_) fire(named(source + "x" + target));
}

void Ratio::fire(const RuleText& rule, NamedValues& fire) const {
  double count = 0;
  for (const std::string_view word : rule.target) count += words_.contains(std::string(word)) ? 1 : 0;
  if (count > 0) fire(name_, count, scale_);
}

double InverseFrequencies::of(std::string_view word) const {
  const auto found = values.find(std::string(word));
  return found == values.end() ? unseen : found->second;
}

void FrequencyAsymmetry::fire(const RuleText& rule, NamedValues& fire) const {
  double difference = 0;
  for (std::size_t i = 0; i < rule.target.size(); ++i)
    if (rule.is_target_word(i)) difference += target_.of(rule.target[i]);
  for (std::size_t i = 0; i < rule.source.size(); ++i)
    if (rule.is_source_word(i)) difference -= source_.of(rule.source[i]);
  const double value = squared_ ? difference * difference : std::abs(difference);
  if (difference > 0) fire(named("target"), value);
  if (difference < 0) fire(named("source"), value);
}

}  // namespace dragoman::features
