#pragma once
// Templates that look at the rule before: where it lies, how it is spelt, whether it is of the domain. A rule with
// nonterminals lies where its own words do, from the first to the last of them. They share one
// state, no finer than the templates that are on need it: the last span, the spelling of the last rule where something
// is credited to it when its successor is placed, and one bit for the domain. (Green, Wang, Cer and Manning 2013;
// Green, Cer et al. 2013; Green, Cer and Manning 2014.)
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/interned.hpp"
#include "features/domains.hpp"
#include "features/feature.hpp"
#include "features/lexical.hpp"
#include "features/names.hpp"
#include "features/per_rule.hpp"
#include "features/shared_ids.hpp"

namespace dragoman::features {

// Orientation and rule taken together. Of the classes monotone, swap, discontinuous and nonmonotone (one of the latter
// two) all that hold fire; with `coarse` only monotone and nonmonotone.
struct SparseOrientation {
  std::string prefix;
  Lexicalization words;
  bool coarse = false, previous = true, next = true, per_domain = false;
};

struct PreviousRuleSettings {
  std::vector<SparseOrientation> orientations;
  std::string jump_prefix;  // signed linear distortion; empty: off
  std::string tag_prefix;   // tags of the two rules taken together
  bool tag_previous = true, tag_next = true;
  std::string adjacent_prefix;  // this rule and the one before are both of the domain
  [[nodiscard]] bool empty() const noexcept {
    return orientations.empty() && jump_prefix.empty() && tag_prefix.empty() && adjacent_prefix.empty();
  }
};

// What threads share: settings, and names that were spelt before.
struct PreviousRuleTemplates {
  PreviousRuleSettings settings;
  std::shared_ptr<FeatureNames> names;
  std::shared_ptr<const grammar::RuleTable> table;
  std::shared_ptr<const Domains> domains;
  SharedIds orientation_ids, jump_ids{8}, tag_ids{14};
  FeatureNames tag_sequences;
};

// What a step fires is found by small numbers: per rule and order for the rule that is placed, per spelling and order
// for the one before it. What comes after a step depends on its option alone.
class PreviousRuleFeature final : public StateFeature {
 public:
  explicit PreviousRuleFeature(std::shared_ptr<PreviousRuleTemplates> shared);

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override { return intern({{0, 0}, kNoSpelling, 0, 0, 0}); }
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId from, Fire& fire) override;
  [[nodiscard]] bool is_slow() const override { return false; }
  [[nodiscard]] std::string label() const override { return "of the templates orient, orient_class, jump, pos_order"; }
  [[nodiscard]] std::string remedy() const override { return kLeaveTemplatesOut; }

 private:
  enum class Order : std::uint8_t { kMonotone, kSwap, kDiscontinuous };
  static constexpr std::size_t kOrders = 3;
  static constexpr std::uint32_t kNoSpelling = ~std::uint32_t{0}, kUnspelt = kNoSpelling - 1;
  static constexpr StateId kNoState = ~StateId{0};
  using Scores = std::array<double, kOrders>;  // by order; NaN: not known yet

  struct State {
    Span last;               // 0, 0 before the first rule
    std::uint32_t spelling;  // of the last rule
    std::uint8_t in_domain;
    std::uint32_t tags;    // of the last rule, where its place does not tell them
    std::uint32_t option;  // one that leads here: all that do are spelt alike
    friend bool operator==(const State& a, const State& b) noexcept {
      return a.last == b.last && a.spelling == b.spelling && a.in_domain == b.in_domain && a.tags == b.tags;
    }
  };
  struct Rule {
    Scores scores;           // with previous
    std::uint32_t spelling;  // kUnspelt: not known yet
  };
  struct Slice {
    std::uint32_t begin, end;
  };
  // What stays from sentence to sentence; one per domain, as there may be copies of features for it.
  struct Memory {
    Memory();
    PerRule<Rule> rules;
    PerRule<Slice> named;  // in `ids`, per rule, side and order, where they were asked for
    std::vector<FeatureId> ids;
    Interned<std::vector<FeatureId>> spellings;
    std::vector<Scores> scores;  // with next, per spelling
  };

  [[nodiscard]] StateId intern(const State& state);
  [[nodiscard]] StateId after(const OptionView& option);
  [[nodiscard]] std::uint32_t spelling_of(const OptionView& option);
  [[nodiscard]] static Order order_of(Span previous, Span span) noexcept;
  // Feature of one template, side and class for an option; 0 where its rule is filtered out.
  [[nodiscard]] FeatureId orientation_id(std::size_t index, const OptionView& option, bool next, int order_class,
                                         bool of_domain);
  // All features of one side for an option in this order; valid until the next call.
  [[nodiscard]] std::span<const FeatureId> order_ids(const OptionView& option, Order order, bool next);
  [[nodiscard]] double order_score(const OptionView& option, Order order, bool next);
  void fire_jump(int jump, Fire& fire);
  [[nodiscard]] double jump_score(int jump);
  [[nodiscard]] FeatureId tag_id(bool next, std::uint32_t first, std::uint32_t second);
  [[nodiscard]] std::uint32_t tags_of(const OptionView& option);
  [[nodiscard]] Span place(const OptionView& option) const noexcept {
    return places_.empty() ? option.span : places_[option.id];
  }
  void fire_others(const State& state, const OptionView& option, Fire& fire);

  std::shared_ptr<PreviousRuleTemplates> shared_;
  bool credits_next_ = false, per_domain_ = false;
  std::vector<std::unique_ptr<Memory>> memories_;  // by domain
  Memory* memory_ = nullptr;                       // of the sentence at hand
  std::vector<double> jump_scores_;                // by jump, 0 in the middle; NaN: not known yet

  const SentenceView* sentence_ = nullptr;
  std::span<const OptionView> options_;
  std::uint32_t domain_ = 0;
  bool tagged_ = false;
  Interned<State> states_;
  std::vector<StateId> after_;           // per option; kNoState: not known yet
  std::vector<std::uint8_t> in_domain_;  // per option
  std::vector<Span> places_;             // per option, where they have gaps
  std::array<FeatureId, 2> adjacent_ids_{};
  std::unordered_map<std::uint32_t, std::uint32_t> tag_rows_;  // per option its tags, as a sequence
};

}  // namespace dragoman::features
