#pragma once
// One sentence on its way through the decoder: its words, the options that match it, and what features may see of them.
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "search/extender.hpp"
#include "search/option.hpp"
#include "search/phrase_model.hpp"

namespace dragoman::search {

// The best rules of a source phrase under the current weights, whatever the sentence: computed once, used often.
struct RankedRule {
  grammar::RuleId rule;
  double score, estimate;
};

class Sentence final : public features::SentenceView {
 public:
  explicit Sentence(const PhraseModel& model, std::span<const double> weights) : model_(model), weights_(weights) {}

  // Reads the words, finds and weighs the options, and tells the state features about them.
  void prepare(std::size_t number, const Request& request, Extender& extender,
               std::span<const std::unique_ptr<features::RuleFeature>> rule_features);

  [[nodiscard]] const OptionChart& chart() const noexcept { return chart_; }
  // Values of an option's rule features; the weighted sum is its score.
  void option_values(const Option& option, features::FeatureVector& values) const;
  [[nodiscard]] std::span<const WordId> target(const Option& option) const noexcept {
    const auto [begin, end] = phrase_spans_[option.phrase];
    return {phrase_words_.data() + begin, end - begin};
  }
  [[nodiscard]] std::span<const grammar::Link> links(const Option& option) const noexcept;
  [[nodiscard]] bool is_unknown(const Option& option) const noexcept { return option.rule >= kUnknownRule; }

  [[nodiscard]] std::span<const WordId> source() const override { return source_; }
  [[nodiscard]] std::span<const std::string_view> words() const override { return words_; }
  [[nodiscard]] std::string_view spell_target(WordId word) const override;
  [[nodiscard]] std::size_t number() const override { return number_; }
  [[nodiscard]] const features::SentenceMarks& marks() const override { return *marks_; }
  [[nodiscard]] std::span<const double> weights() const override { return weights_; }

 private:
  // Rule numbers beyond those of any table: extra options, counted down from the end; below them unknown words.
  static constexpr std::uint32_t kUnknownRule = 0xf0000000u;
  static constexpr std::uint32_t kExtraRule = 0xf8000000u;

  const std::vector<RankedRule>& ranked(grammar::RuleRange rules);
  void read(std::string_view line);
  void add_matches(Span span, grammar::RuleRange rules, std::vector<Option>& found);
  void add_unknown(std::uint32_t position, std::vector<Option>& found);
  void add_extra(std::uint32_t index, std::vector<Option>& found);
  std::uint32_t phrase_of(std::uint64_t key, std::span<const WordId> words);
  WordId local_target(std::string_view word);
  [[nodiscard]] double weight(FeatureId id) const noexcept { return id < weights_.size() ? weights_[id] : 0; }
  [[nodiscard]] double isolated(std::span<const WordId> target) const;
  void apply(std::span<const std::unique_ptr<features::RuleFeature>> rule_features);

  const PhraseModel& model_;
  std::span<const double> weights_;
  Extender* extender_ = nullptr;
  std::size_t number_ = 0;
  std::vector<std::string_view> words_;
  std::vector<WordId> source_;
  std::span<const ExtraOption> extra_;
  const features::SentenceMarks* marks_ = nullptr;
  OptionChart chart_;
  std::deque<std::string> local_words_;  // target words that the table does not know; ids follow the table's
  std::unordered_map<std::string_view, WordId> local_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> phrase_ids_;
  std::vector<WordId> phrase_words_;
  std::vector<std::pair<std::size_t, std::size_t>> phrase_spans_;
  std::vector<features::OptionView> views_;
  std::vector<features::FeatureVector> fired_;                           // by rule features, per option
  std::unordered_map<grammar::RuleId, std::vector<RankedRule>> ranked_;  // by first rule of the source
  std::vector<float> row_;
};

}  // namespace dragoman::search
