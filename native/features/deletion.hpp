#pragma once
// Content words that a rule leaves untranslated: words with a tag of interest (or heads of the dependency tree) that
// are linked to nothing, or only to a very frequent target word. Needs tags, and heads, of the sentence; without them
// nothing fires. (Green, Cer et al. 2013.)
#include <memory>
#include <string>
#include <vector>

#include "features/feature.hpp"
#include "features/measures.hpp"
#include "features/names.hpp"

namespace dragoman::features {

struct DeletionSettings {
  std::string prefix;
  std::vector<std::string> tags;  // beginnings of the tags that count
  WordSet frequent;               // target words that translate nothing
  bool heads_only = false;
};

class DeletionFeature final : public RuleFeature {
 public:
  DeletionFeature(std::shared_ptr<const DeletionSettings> settings, std::shared_ptr<FeatureNames> names)
      : settings_(std::move(settings)), names_(std::move(names)) {}
  void fire(const SentenceView& sentence, std::span<const OptionView> options, std::span<Fire> fires) override;

 private:
  [[nodiscard]] bool counts(const SentenceMarks& marks, std::size_t position) const;

  std::shared_ptr<const DeletionSettings> settings_;
  std::shared_ptr<FeatureNames> names_;
};

}  // namespace dragoman::features
