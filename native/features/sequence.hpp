#pragma once
// A bilingual n-gram model inside search (Niehues et al. 2011): a language model whose words are target words together
// with the source words that they are linked to. Context then reaches across phrases on both sides at once.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/interned.hpp"
#include "features/feature.hpp"
#include "lm/model.hpp"

namespace dragoman::features {

// A target word and the source words that it is linked to, in the order of the sentence, as one word.
void write_pair(std::string_view target, std::span<const std::string_view> source, std::string& out);

// A sentence pair as such words, one for each target word; `links` are as Pharaoh has them, `where` is for errors.
[[nodiscard]] std::string paired_words(std::string_view source, std::string_view target, std::string_view links,
                                       const std::string& where);

struct SequenceUse {
  std::shared_ptr<const lm::Model> model;
  FeatureId feature;
};

class SequenceFeature final : public StateFeature {
 public:
  explicit SequenceFeature(SequenceUse use) : use_(std::move(use)) {}

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override { return intern(use_.model->begin_state()); }
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId from, Fire& fire) override;
  double isolated(const OptionView& option) override;
  [[nodiscard]] std::string label() const override { return "the sequence model"; }
  [[nodiscard]] std::string remedy() const override { return "train without it: sequence=false"; }

 private:
  // Words of the model for an option, read once.
  [[nodiscard]] std::span<const WordId> phrase(const OptionView& option);
  StateId intern(const lm::State& state) { return states_.intern(state, state.hash()); }

  SequenceUse use_;
  const SentenceView* sentence_ = nullptr;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> phrases_;  // by option: begin and end in `words_`
  std::vector<WordId> words_;
  Interned<lm::State> states_;
  std::vector<std::string_view> spelt_, linked_;
  std::string pair_;
};

}  // namespace dragoman::features
