#pragma once
// Templates over neighbouring target words or classes, for decoders that build a translation from its parts. The state
// of a part holds its first units, whose n-grams are not complete yet, and its last, which others will need; where they
// are few they are the same. Each n-gram fires when its last unit gets all that stand before it.
#include <memory>
#include <span>
#include <vector>

#include "common/interned.hpp"
#include "features/chart_feature.hpp"
#include "features/target_context.hpp"

namespace dragoman::features {

class ChartTargetContextFeature final : public ChartFeature {
 public:
  explicit ChartTargetContextFeature(std::shared_ptr<TargetContextTemplates> shared) : shared_(std::move(shared)) {}

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId combine(const OptionView& option, std::span<const StateId> tails, Fire& fire) override;
  void finish(StateId state, Fire& fire) override;
  [[nodiscard]] std::string label() const override { return "of the templates target_ngram, class_ngram, boundary"; }
  [[nodiscard]] std::string remedy() const override { return kLeaveTemplatesOut; }

 private:
  using Group = TargetContextTemplates::Group;
  using Unit = TargetContextTemplates::Unit;

  // The units of one group in a part: the first, and the last unless they are the same.
  struct Ends {
    std::span<const Unit> first, last;
    bool is_long;  // it has more units than a context
  };
  // A state is for each group the number of first units, those, and if it is long, the last.
  [[nodiscard]] Ends ends(StateId state, std::size_t group) const;

  // A text of one group in the making.
  struct Piece {
    std::vector<Unit> first, recent;  // up to a context of units each
    std::size_t length = 0;
    void clear() {
      first.clear();
      recent.clear();
      length = 0;
    }
  };
  // Appends a unit: a word of the rule itself, or unit `inside` of a part, where n-grams of up to so many units and one
  // fired before. `meets`: the unit before it is of another rule.
  static constexpr std::size_t kOwn = ~std::size_t{0};
  void append(const Group& group, Unit unit, std::size_t inside, bool meets, Fire& fire);

  std::shared_ptr<TargetContextTemplates> shared_;
  const SentenceView* sentence_ = nullptr;
  Interned<std::vector<Unit>> states_;
  std::vector<Unit> key_, window_;
  Piece piece_;
};

}  // namespace dragoman::features
