#pragma once
// Templates over neighbouring target words or classes: the two that meet where rules meet, or all n-grams. The state
// holds the last words, or classes, that some template still needs. (Green, Cer and Manning 2014.)
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/interned.hpp"
#include "common/interned_rows.hpp"
#include "common/memo.hpp"
#include "features/feature.hpp"
#include "features/lexical.hpp"
#include "features/names.hpp"
#include "features/per_rule.hpp"
#include "features/shared_ids.hpp"

namespace dragoman::features {

struct TargetNgrams {
  std::string prefix;
  Classes classes;             // none: words, those beyond the table as <unk>
  std::uint32_t order = 2;     // at least 1
  bool boundary_only = false;  // only the n-gram that ends with the first word of a rule
};

// What threads share.
struct TargetContextTemplates {
  // Templates over the same units, words or classes, look at them together.
  struct Group {
    Classes classes;
    std::vector<std::uint32_t> units;    // per table word its class; none: words
    std::vector<std::uint32_t> members;  // templates
    std::size_t context = 0;             // units before the present one that some member needs
  };
  std::vector<TargetNgrams> ngrams;
  std::vector<Group> groups;
  std::size_t context = 0;  // the longest of any group
  std::shared_ptr<FeatureNames> names;
  std::size_t known_words = 0;
  SharedIds chains, ids;
  std::atomic<std::uint32_t> next_chain{0};

  using Unit = std::uint32_t;
  static constexpr Unit kStart = ~Unit{0}, kEnd = ~Unit{0} - 1;

  TargetContextTemplates(std::vector<TargetNgrams> templates, std::shared_ptr<FeatureNames> feature_names,
                         VocabularyView target_words);

  [[nodiscard]] Unit unit(const SentenceView& sentence, const Group& group, WordId word) const;
  [[nodiscard]] FeatureId ngram_id(const SentenceView& sentence, std::uint32_t index, std::span<const Unit> ngram);

 private:
  static void append_unit(const SentenceView& sentence, std::string& name, const Classes& classes, Unit unit);
};

// A step appends one unit to the context of one group. What lies within an option is known per rule; what a state adds
// to it depends on the option's first units alone, its opening. Steps are kept from sentence to sentence.
class TargetContextFeature final : public StateFeature {
 public:
  explicit TargetContextFeature(std::shared_ptr<TargetContextTemplates> shared);

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override;
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId from, Fire& fire) override;
  [[nodiscard]] bool is_slow() const override { return false; }
  [[nodiscard]] std::string label() const override { return "of the templates target_ngram, class_ngram, boundary"; }
  [[nodiscard]] std::string remedy() const override { return kLeaveTemplatesOut; }

 private:
  using Group = TargetContextTemplates::Group;
  using Unit = TargetContextTemplates::Unit;
  using ContextId = std::uint32_t;
  static constexpr Unit kStart = TargetContextTemplates::kStart, kEnd = TargetContextTemplates::kEnd;
  static constexpr StateId kNoState = ~StateId{0};

  struct Slice {
    std::uint32_t begin, end;
  };
  struct Step {  // appends a unit to the context of a group; `first`: of a rule, or the end of the sentence
    std::size_t group;
    ContextId from;
    Unit unit;
    bool first;
  };
  struct Rule {
    double inner;           // n-grams that lie within it; NaN: not known yet
    std::uint32_t opening;  // its number of words if it is short, else 0; then its first units, group by group
    StateId after;          // kNoState: it is short, so that depends on the state before
  };
  using Known = Memo::Entry;

  void forget();
  [[nodiscard]] Unit unit(const Group& group, WordId word) const { return shared_->unit(*sentence_, group, word); }
  [[nodiscard]] ContextId context_of(std::size_t group, std::span<const Unit> units);
  // Its weighted sum and the context after it.
  [[nodiscard]] const Known& known(const Step& step);
  // The n-grams that end with a step, that a state adds to an option, that lie within it.
  [[nodiscard]] Slice ids(const Step& step);
  [[nodiscard]] std::span<const FeatureId> outer_ids(StateId from, const Rule& rule);
  [[nodiscard]] std::span<const FeatureId> inner_ids(const OptionView& option);
  template <typename Use>
  void for_each_ngram(const Step& step, const Use& use);
  [[nodiscard]] const Rule& known(const OptionView& option);
  // Call use(step, known) for the units of an option: those that need the state before it, and the others. If the
  // option is short, `contexts_` are those after it when the first is done.
  template <typename Use>
  void open(StateId from, const Rule& rule, const Use& use);
  template <typename Use>
  void go_on(const OptionView& option, const Use& use);

  std::shared_ptr<TargetContextTemplates> shared_;
  const SentenceView* sentence_ = nullptr;
  PerRule<Rule> rules_;
  Interned<std::vector<Unit>> contexts_known_, openings_;
  InternedRows<ContextId> states_;  // per group its context
  std::vector<Memo> known_;         // steps of each group
  Memo extensions_;                 // of a state by an opening, in this sentence
  // Features, where somebody asked for them: of steps, within rules, of extensions.
  std::vector<Memo> named_;  // per group, number of a slice
  PerRule<Slice> named_rules_;
  std::vector<Slice> slices_;  // of `ids_`
  std::vector<FeatureId> ids_;
  Memo named_extensions_;
  std::vector<Slice> outer_slices_;  // of `outer_ids_`
  std::vector<FeatureId> outer_ids_;
  std::vector<ContextId> contexts_;
  std::vector<Unit> units_, window_;
};

}  // namespace dragoman::features
