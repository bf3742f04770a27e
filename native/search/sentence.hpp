#pragma once
// One sentence on its way through the decoder: its words, the options that match it, and what features may see of them.
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "search/extender.hpp"
#include "search/option.hpp"
#include "search/phrase_model.hpp"
#include "search/rule_cache.hpp"
#include "search/search_settings.hpp"

namespace dragoman::search {

class Sentence final : public features::SentenceView {
 public:
  Sentence(const PhraseModel& model, std::span<const double> weights, Extender& extender)
      : model_(model), weights_(weights), extender_(extender), cache_(model, weights, extender) {}

  // Finds and weighs the options for these words, and tells the state features about them. Settings, words, extra
  // options and marks must outlive the sentence, and so must the features.
  void prepare(const SearchSettings& settings, std::size_t number, std::span<const std::string_view> words,
               std::span<const ExtraOption> extra, const features::SentenceMarks& marks,
               const std::shared_ptr<const grammar::LayeredView>& table,
               std::span<const std::unique_ptr<features::RuleFeature>> rule_features);

  [[nodiscard]] const OptionChart& chart() const noexcept { return chart_; }
  // Values of an option's rule features; the weighted sum is its score.
  void option_values(const Option& option, features::FeatureVector& values) const;
  [[nodiscard]] std::span<const WordId> target(const Option& option) const noexcept {
    return cache_.phrase(option.phrase);
  }
  [[nodiscard]] std::span<const grammar::Link> links(const Option& option) const noexcept {
    return links(option.rule, target(option));
  }
  [[nodiscard]] bool is_unknown(const Option& option) const noexcept { return is_unknown(option.rule); }
  [[nodiscard]] std::span<const features::OptionView> views() const noexcept { return views_; }

  [[nodiscard]] std::span<const WordId> source() const override { return source_; }
  [[nodiscard]] std::span<const std::string_view> words() const override { return words_; }
  [[nodiscard]] std::string_view spell_target(WordId word) const override;
  [[nodiscard]] std::size_t number() const override { return number_; }
  [[nodiscard]] const features::SentenceMarks& marks() const override { return *marks_; }
  [[nodiscard]] std::span<const double> weights() const override { return weights_; }
  [[nodiscard]] features::RememberedRules remembered() const override { return cache_.remembered(); }
  [[nodiscard]] std::span<const grammar::Link> links(const features::OptionView& option) const override {
    return links(option.rule != features::kNoRule ? option.rule : rules_[option.id], option.target);
  }

 private:
  // Rule numbers beyond those of any table: extra options, counted down from the end; below them unknown words.
  static constexpr std::uint32_t kUnknownRule = 0xf0000000u;
  static constexpr std::uint32_t kExtraRule = 0xf8000000u;

  [[nodiscard]] static bool is_unknown(std::uint32_t rule) noexcept {
    return rule >= kUnknownRule && rule < kExtraRule;
  }
  [[nodiscard]] std::span<const grammar::Link> links(std::uint32_t rule, std::span<const WordId> target) const noexcept;
  [[nodiscard]] bool blocked(std::uint32_t start, std::uint32_t end) const noexcept;
  void find_matches(std::uint32_t longest);
  void fill_chart(std::uint32_t longest);
  void add_matches(const Match& match);
  void add_unknown(std::uint32_t position);
  void add_extra(std::uint32_t index);
  void add(Span span, std::uint32_t rule, std::span<const WordId> target, double score);
  WordId local_target(std::string_view word);
  [[nodiscard]] double weight(FeatureId id) const noexcept { return id < weights_.size() ? weights_[id] : 0; }
  void apply_rule_features();

  const PhraseModel& model_;
  std::span<const double> weights_;
  Extender& extender_;
  RuleCache cache_;
  const SearchSettings* settings_ = nullptr;
  std::size_t number_ = 0;
  std::span<const std::string_view> words_;
  std::vector<WordId> source_;
  std::span<const ExtraOption> extra_;
  const features::SentenceMarks* marks_ = nullptr;
  std::vector<Match> matches_;
  std::vector<Option> found_;  // of the span being filled
  OptionChart chart_;
  std::deque<std::string> local_words_;  // target words that the table does not know; ids follow the table's
  std::unordered_map<std::string_view, WordId> local_ids_;
  std::vector<features::OptionView> views_;
  std::vector<std::uint32_t> rules_;  // per view, as the chart numbers them
  std::span<const std::unique_ptr<features::RuleFeature>> rule_features_;
  std::vector<features::FeatureVector> fired_;  // per option, by rule features that do not defer values
};

}  // namespace dragoman::search
