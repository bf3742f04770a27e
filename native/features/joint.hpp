#pragma once
// The joint model inside search. A state is the last target words; what the source around each position brings is
// summed once per sentence, and what each target word brings in each place of the history once per model, so that a
// score adds a few rows of the hidden layer and multiplies one row of the output (Devlin et al. 2014). Search asks the
// same of many phrases that begin with the same words: each word behind a state is scored once.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/interned_rows.hpp"
#include "common/memo.hpp"
#include "features/feature.hpp"
#include "neural/joint_model.hpp"

namespace dragoman::features {

// Which model, under which feature name, for which target words. Shared by threads.
class JointModelUse {
 public:
  // `target_words` are those of the table; others are spelt.
  JointModelUse(std::shared_ptr<const neural::JointModel> model, FeatureId feature, const VocabularyView& target_words);

  [[nodiscard]] const neural::JointModel& model() const noexcept { return *model_; }
  [[nodiscard]] FeatureId feature() const noexcept { return feature_; }
  // The model's own number of a target word.
  [[nodiscard]] WordId word(WordId word, const SentenceView& sentence) const {
    return word < word_map_.size() ? word_map_[word] : model_->target_words.words.id(sentence.spell_target(word));
  }
  // What a unit adds to the hidden layer in a place of the history, the nearest being 0.
  [[nodiscard]] const float* history(std::size_t place, neural::Unit unit) const {
    return history_[place].row(unit).data();
  }
  // What a source sentence adds with each of its positions in the middle, and with its end.
  [[nodiscard]] neural::Matrix windows(std::span<const neural::Unit> source) const;
  // The score of a word behind a history, the nearest word first, at a position whose window is a row of `windows`.
  [[nodiscard]] double score(std::span<const float> window, std::span<const neural::Unit> history,
                             neural::Unit word) const;

  static constexpr neural::Unit kNothing = ~neural::Unit{0};  // in a history of which nothing is known

 private:
  std::shared_ptr<const neural::JointModel> model_;
  FeatureId feature_;
  std::vector<WordId> word_map_;
  std::vector<neural::Matrix> history_;
  neural::Matrix source_weights_;
};

class JointModelFeature final : public StateFeature {
 public:
  explicit JointModelFeature(std::shared_ptr<const JointModelUse> use);

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override;
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId from, Fire& fire) override;
  double isolated(const OptionView& option) override;
  [[nodiscard]] bool can_wait() const override { return true; }
  [[nodiscard]] std::string label() const override { return "the joint model"; }
  [[nodiscard]] std::string remedy() const override { return "train without it: joint=false"; }

 private:
  using Unit = neural::Unit;
  struct Phrase {  // words of an option, in `units_`, `positions_` and `questions_`
    std::uint32_t begin = 0, size = 0;
    double inner = 0;  // score of the words whose history lies within, and shares of all
    StateId last = 0;  // what is behind one that is as long as a history
    bool known = false;
  };
  [[nodiscard]] const Phrase& phrase(const OptionView& option);
  // What a word adds behind a state, and the state then.
  [[nodiscard]] const Memo::Entry& appended(StateId state, std::size_t at);
  [[nodiscard]] double score(std::span<const Unit> history, Unit word, std::uint32_t position) const {
    return use_->score(windows_.row(position), history, word);
  }

  std::shared_ptr<const JointModelUse> use_;
  const SentenceView* sentence_ = nullptr;
  neural::Matrix windows_;
  std::vector<Phrase> phrases_;  // by option
  std::vector<Unit> units_;
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint32_t> questions_;  // a unit at a position, by number
  InternedRows<std::uint32_t> numbers_;   // of questions
  InternedRows<Unit> states_;
  Memo answers_;               // by state and question
  std::vector<Unit> history_;  // the nearest first
};

}  // namespace dragoman::features
