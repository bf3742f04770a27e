#pragma once
// Models of the order in which source words are translated: what it is worth to go on with word j after word i. Both
// are asked where one phrase ends and the next begins, and follow from the source sentence alone, so that all answers
// of a sentence are worked out once.
//
// Discriminative distortion (Green, Galley and Manning 2010): one classifier knows how far one jumps from a word,
// another how far one has jumped to a word; both tell classes of jumps apart by the word, its tag and those beside it,
// and its place in the sentence. Order by grammatical relation (Chang et al. 2009): whether two words keep their order,
// by the words, their neighbours, and the path between them in a dependency tree.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/interned.hpp"
#include "features/choice_model.hpp"
#include "features/coverage.hpp"
#include "features/feature.hpp"
#include "grammar/bitext.hpp"

namespace dragoman::features {

// A source sentence as the models see it: hashes of texts. A layer that is not known is empty.
struct OrderSentence {
  std::vector<std::uint64_t> words, tags, relations;
  std::vector<std::int32_t> heads;

  [[nodiscard]] std::size_t size() const noexcept { return words.size(); }
};
[[nodiscard]] OrderSentence order_sentence(std::span<const std::string_view> words, std::span<const std::string> tags,
                                           std::span<const std::int32_t> heads, std::span<const std::string> relations);

// Steps of a translator through the source while the target is written: for each target word with links the last
// source word of the step before (-1 at first) and the first of this one. Staying on a word is no step.
struct Jump {
  std::int32_t from, to;
};
[[nodiscard]] std::vector<Jump> jumps_of(std::vector<grammar::SentenceLink> links);

// Classes of jumps over j - i - 1 words: <= -8, -7..-4, -3..-2, -1, 0, 1, 2..3, 4..7, >= 8.
inline constexpr std::uint32_t kJumpClasses = 9;
[[nodiscard]] std::uint32_t jump_class(std::int32_t jump) noexcept;

class SourceOrderModel {
 public:
  enum class Kind : std::uint8_t { kJumps, kRelations };

  // A sentence of training: how it is, and the steps through it.
  struct Example {
    OrderSentence sentence;
    std::vector<Jump> jumps;
  };
  [[nodiscard]] static SourceOrderModel train(Kind kind, std::span<const Example> examples, bool future,
                                              const ChoiceTraining& training, const StopCallback& stop);
  [[nodiscard]] static SourceOrderModel open(const std::filesystem::path& path);
  void save(const std::filesystem::path& path) const;

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  // Whether it was trained with tags, and must have them.
  [[nodiscard]] bool uses_tags() const noexcept { return uses_tags_; }
  // Whether search charges what it will be worth to go back to a gap as soon as the gap is left.
  [[nodiscard]] bool future() const noexcept { return future_; }
  // Whether a sentence has the layers that it needs.
  [[nodiscard]] bool knows(const OrderSentence& sentence) const noexcept;

 private:
  friend class SourceOrderAnswers;
  Kind kind_ = Kind::kJumps;
  bool uses_tags_ = false, future_ = true;
  ChoiceModel leaving_, entering_;  // of relations only the first
};

// What a model says of a sentence, worked out once.
class SourceOrderAnswers {
 public:
  void begin(const SourceOrderModel& model, OrderSentence sentence);
  // Whether the sentence has the layers that the model needs; else there are no values.
  [[nodiscard]] bool known() const noexcept { return known_; }
  [[nodiscard]] std::size_t size() const noexcept { return sentence_.size(); }
  // Log probabilities of going on with word `to` after word `from`: -1 is before the first.
  [[nodiscard]] double value(std::int32_t from, std::int32_t to);

 private:
  const SourceOrderModel* model_ = nullptr;
  bool known_ = false;
  OrderSentence sentence_;
  std::vector<double> leaving_, entering_;  // of jumps: by word, from the one before the first on, and class
  std::vector<double> pairs_;               // of relations: by both words; NaN: not asked yet
};

// One thread's door to a model. What it will be worth to go back to the first gap is charged as soon as it is left, if
// the model says so; the total of a complete translation is the same.
class SourceOrderFeature final : public StateFeature {
 public:
  SourceOrderFeature(std::shared_ptr<const SourceOrderModel> model, FeatureId feature)
      : model_(std::move(model)), feature_(feature) {}

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override { return intern({{}, -1}); }
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId, Fire&) override {}
  [[nodiscard]] bool is_slow() const override { return false; }
  [[nodiscard]] std::string label() const override {
    return jumps() ? "the model of jumps" : "the model of order by grammatical relation";
  }
  [[nodiscard]] std::string remedy() const override {
    return std::string("train without it: ") + (jumps() ? "distortion_model" : "relation_order") + "=false" +
           (model_->future() ? ", or with future_order=false, so that it looks at the last word alone" : "");
  }

 private:
  struct State {
    Coverage coverage;  // empty unless the future asks for it
    std::int32_t last;  // source word
    friend bool operator==(const State&, const State&) = default;
  };
  [[nodiscard]] bool jumps() const noexcept { return model_->kind() == SourceOrderModel::Kind::kJumps; }
  [[nodiscard]] double to_come(const State& state);
  StateId intern(const State& state) {
    return states_.intern(state, combine(state.coverage.hash(), static_cast<std::uint64_t>(state.last + 1)));
  }

  std::shared_ptr<const SourceOrderModel> model_;
  FeatureId feature_;
  SourceOrderAnswers answers_;
  Interned<State> states_;
};

}  // namespace dragoman::features
