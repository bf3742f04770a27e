#pragma once
// A sentence on its way through the phrase-based decoder: the options that match it, by span.
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "search/extender.hpp"
#include "search/phrase_model.hpp"
#include "search/sentence_options.hpp"

namespace dragoman::search {

class Sentence final : public SentenceOptions {
 public:
  Sentence(const PhraseModel& model, std::span<const double> weights, Extender& extender)
      : SentenceOptions(model, weights, extender), extender_(extender) {}

  // Finds and weighs the options for these words, and tells the state features about them. Settings, words, extra
  // options and marks must outlive the sentence, and so must the features.
  void prepare(const SearchSettings& settings, std::size_t number, std::span<const std::string_view> words,
               std::span<const ExtraOption> extra, const features::SentenceMarks& marks,
               const std::shared_ptr<const grammar::LayeredView>& table,
               std::span<const std::unique_ptr<features::RuleFeature>> rule_features);

  [[nodiscard]] const OptionChart& chart() const noexcept { return chart_; }
  void option_values(const Option& option, features::FeatureVector& values) const {
    SentenceOptions::option_values(option, model_.rule_penalty, values);
  }

 private:
  void find_matches(std::uint32_t longest);
  void fill_chart(std::uint32_t longest);
  void add_matches(const Match& match);

  Extender& extender_;
  const SearchSettings* settings_ = nullptr;
  std::vector<Match> matches_;
  OptionChart chart_;
};

}  // namespace dragoman::search
