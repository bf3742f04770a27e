#pragma once
// What language models say of the target side of a rule by itself, whatever the weights: found out once, though tuners
// ask under a hundred weight vectors. Shared by all decoders of a model and their threads.
#include <cstddef>
#include <span>

#include "common/lazy_array.hpp"
#include "features/language_model.hpp"
#include "grammar/layered.hpp"

namespace dragoman::search {

class IsolatedScores {
 public:
  // For the rules of a table, under so many models.
  IsolatedScores(std::size_t rules, std::size_t models)
      : models_(models), known_(rules * models <= kMost ? rules * models : 0) {}

  // The log probability of a rule's target side under a model, to the precision of a float.
  [[nodiscard]] float of(const grammar::LayeredView& table, grammar::RuleId rule, std::size_t model,
                         const features::LanguageModelUse& use) {
    const auto find_out = [&] {
      return static_cast<float>(use.isolated(table.target(rule), [&](WordId word) { return table.target_word(word); }));
    };
    const std::size_t at = rule * models_ + model;
    if (at >= known_.size() || table.is_added(rule)) return find_out();
    float value = known_.load(at);
    if (value == 0) known_.store(at, value = find_out());
    return value;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 30;  // numbers, of which few are ever touched
  std::size_t models_;
  LazyArray<float> known_;
};

}  // namespace dragoman::search
