#pragma once
// The height of what must be finished before the last part of a rule is begun: a sum over its parts in target order,
// all but the last (Watanabe, Tsukada and Isozaki 2006). A rule without nonterminals is 1 high. The state of a partial
// translation is its height; glue has none of its own, so its height counts only towards what no rule stands above.
#include <algorithm>
#include <span>
#include <string>

#include "features/chart_feature.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::features {

class HeightFeature final : public ChartFeature {
 public:
  explicit HeightFeature(FeatureId feature) : feature_(feature) {}

  void begin(const SentenceView&, std::span<const OptionView>) override {}
  StateId combine(const OptionView& option, std::span<const StateId> tails, Fire& fire) override {
    StateId highest = 0, before_last = 0;
    std::size_t seen = 0;
    for (const WordId symbol : option.target) {
      if (!grammar::is_nonterminal(symbol)) continue;
      const StateId height = tails[grammar::index_of(symbol)];
      highest = std::max(highest, height);
      if (++seen < tails.size()) before_last += height;
    }
    if (option.rule != kNoRule && before_last != 0) fire(feature_, before_last);
    return highest + 1;
  }
  void finish(StateId, Fire&) override {}
  [[nodiscard]] std::string label() const override { return "height"; }

 private:
  FeatureId feature_;
};

}  // namespace dragoman::features
