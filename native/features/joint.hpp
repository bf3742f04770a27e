#pragma once
// The joint model inside search. A state is the last target words; what the source around each position brings is summed
// once per sentence, and what each target word brings in each place of the history once per model, so that a score adds
// a few rows of the hidden layer and multiplies one row of the output.
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/interned_rows.hpp"
#include "features/feature.hpp"
#include "neural/joint_model.hpp"

namespace dragoman::features {

// Which model, under which feature name, and what words are to it. Shared by threads.
class JointModelUse {
 public:
  using Units = std::unordered_map<std::string, neural::Unit>;

  // Words that are not among the units are `unknown`.
  JointModelUse(std::shared_ptr<const neural::JointModel> model, FeatureId feature, Units source, Units target,
                neural::Unit unknown);

  [[nodiscard]] const neural::JointModel& model() const noexcept { return *model_; }
  [[nodiscard]] FeatureId feature() const noexcept { return feature_; }
  [[nodiscard]] neural::Unit source_unit(std::string_view word) const { return unit(source_, word); }
  [[nodiscard]] neural::Unit target_unit(std::string_view word) const { return unit(target_, word); }
  // What a unit adds to the hidden layer in a place of the history, the nearest being 0.
  [[nodiscard]] std::span<const float> history(std::size_t place, neural::Unit unit) const {
    return history_[place].row(unit);
  }
  // What a source sentence adds with each of its positions in the middle, and with its end.
  [[nodiscard]] neural::Matrix windows(std::span<const neural::Unit> source) const;

 private:
  [[nodiscard]] neural::Unit unit(const Units& units, std::string_view word) const;

  std::shared_ptr<const neural::JointModel> model_;
  FeatureId feature_;
  Units source_, target_;
  neural::Unit unknown_;
  std::vector<neural::Matrix> history_;
};

class JointModelFeature final : public StateFeature {
 public:
  explicit JointModelFeature(std::shared_ptr<const JointModelUse> use);

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override;
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId from, Fire& fire) override;
  double isolated(const OptionView& option) override;
  [[nodiscard]] std::string label() const override { return "the joint model"; }

 private:
  using Unit = neural::Unit;
  struct Phrase {  // words of an option, and the positions they are affiliated with
    std::vector<Unit> units;
    std::vector<std::uint32_t> positions;
    double inner = 0;  // of the words whose history lies within
    bool known = false;
  };
  static constexpr Unit kNothing = ~Unit{0};  // in a history of which nothing is known

  [[nodiscard]] Phrase& phrase(const OptionView& option);
  [[nodiscard]] double score(std::span<const Unit> history, Unit word, std::uint32_t position) const;

  std::shared_ptr<const JointModelUse> use_;
  const SentenceView* sentence_ = nullptr;
  neural::Matrix windows_;
  std::vector<Phrase> phrases_;
  InternedRows<Unit> states_;
  std::vector<Unit> history_;
};

}  // namespace dragoman::features
