#pragma once
// Templates over neighbouring target words or classes: the two that meet where rules meet, or all n-grams. The state
// holds the last words, or classes, that some template still needs. (Green, Cer and Manning 2014.)
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/interned.hpp"
#include "features/feature.hpp"
#include "features/lexical.hpp"
#include "features/names.hpp"
#include "features/shared_ids.hpp"
#include "search/memo.hpp"

namespace dragoman::features {

struct TargetNgrams {
  std::string prefix;
  Classes classes;             // none: words, those beyond the table as <unk>
  std::uint32_t order = 2;     // at least 1
  bool boundary_only = false;  // only the n-gram that ends with the first word of a rule
};

// What threads share.
struct TargetContextTemplates {
  std::vector<TargetNgrams> ngrams;
  std::shared_ptr<FeatureNames> names;
  std::vector<std::vector<std::uint32_t>> units;  // per template and table word its class, see `unit`
  std::size_t known_words = 0;
  SharedIds chains, ids;
  std::atomic<std::uint32_t> next_chain{0};

  TargetContextTemplates(std::vector<TargetNgrams> templates, std::shared_ptr<FeatureNames> feature_names,
                         VocabularyView target_words);
};

class TargetContextFeature final : public StateFeature {
 public:
  explicit TargetContextFeature(std::shared_ptr<TargetContextTemplates> shared) : shared_(std::move(shared)) {}

  void begin(const SentenceView& sentence, std::span<const OptionView> options) override;
  StateId start() override;
  StateId extend(StateId from, const OptionView& option, Fire& fire) override;
  void finish(StateId from, Fire& fire) override;

 private:
  using Unit = std::uint32_t;
  static constexpr Unit kStart = ~Unit{0}, kEnd = ~Unit{0} - 1;

  [[nodiscard]] Unit unit(std::size_t index, WordId word) const;
  void append_unit(std::string& name, std::size_t index, Unit unit) const;
  [[nodiscard]] FeatureId ngram_id(std::size_t index, std::span<const Unit> ngram);
  // Its weight, remembered from sentence to sentence, since the weights of a decoder never change.
  [[nodiscard]] double ngram_score(std::size_t index, std::span<const Unit> ngram);
  [[nodiscard]] StateId intern(const std::vector<Unit>& state);

  std::shared_ptr<TargetContextTemplates> shared_;
  const SentenceView* sentence_ = nullptr;
  std::span<const double> weights_;
  search::Memo scores_;           // from a beginning of an n-gram by a unit: the next beginning, or the weight
  std::uint32_t next_chain_ = 0;  // the first numbers are the templates
  std::vector<double> inner_;     // per option: n-grams that lie within it; NaN: not known yet
  Interned<std::vector<Unit>> states_;
  std::vector<Unit> window_, state_;
};

}  // namespace dragoman::features
