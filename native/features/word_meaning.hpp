#pragma once
// What words mean, as dense features of a rule: how alike the vectors of its two sides are (Zou et al. 2013), and how
// well the translations of its words go with the words around them in the sentence (Aziz and Specia 2010).
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "features/feature.hpp"
#include "features/per_rule.hpp"
#include "semantics/mutual_information.hpp"
#include "semantics/phrase_vectors.hpp"

namespace dragoman::features {

inline constexpr FeatureId kNotWanted = ~FeatureId{0};

// Cosine, best and unknown of `semantics::PhraseSimilarity`, each a feature or not wanted.
struct PhraseVectorsUse {
  std::shared_ptr<const semantics::PhraseVectors> vectors;
  std::array<FeatureId, 3> features{kNotWanted, kNotWanted, kNotWanted};
};

class PhraseVectorsFeature final : public RuleFeature {
 public:
  explicit PhraseVectorsFeature(std::shared_ptr<const PhraseVectorsUse> use)
      : use_(std::move(use)), known_(kFresh, 3) {}

  void begin(const SentenceView&) override {}
  [[nodiscard]] double rank(const SentenceView& sentence, const OptionView& option) override;
  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override;

 private:
  static constexpr double kFresh = 2;  // greater than any value
  [[nodiscard]] std::array<double, 3> values(const SentenceView& sentence, const OptionView& option);

  std::shared_ptr<const PhraseVectorsUse> use_;
  PerRule<double> known_;
  std::vector<std::string_view> spelt_;
  std::vector<const float*> source_, target_;
};

// Own, all and others of `semantics::ContextScores`, summed over the linked content words of a rule.
struct WordContextUse {
  WordContextUse(std::shared_ptr<const semantics::MutualInformation> given, std::size_t wide,
                 std::array<FeatureId, 3> ids, VocabularyView target_words);

  std::shared_ptr<const semantics::MutualInformation> information;
  std::size_t window;
  std::array<FeatureId, 3> features;
  std::vector<WordId> ids;            // by target word of the table
  std::vector<std::uint8_t> content;  // likewise
};

class WordContextFeature final : public RuleFeature {
 public:
  explicit WordContextFeature(std::shared_ptr<const WordContextUse> use) : use_(std::move(use)) {}

  void begin(const SentenceView& sentence) override;
  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override;

 private:
  [[nodiscard]] const semantics::ContextScores& scores(std::size_t position, WordId target);

  std::shared_ptr<const WordContextUse> use_;
  std::vector<WordId> words_;
  std::vector<std::uint8_t> content_;
  std::unordered_map<std::uint64_t, semantics::ContextScores> known_;
};

}  // namespace dragoman::features
