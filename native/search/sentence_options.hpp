#pragma once
// A sentence on its way through a decoder: its words, and its options as far as they do not depend on the kind of
// search. What options a table has, and how they are ordered, is for those who derive from it to say.
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "search/option.hpp"
#include "search/option_keeper.hpp"
#include "search/rule_cache.hpp"
#include "search/rule_model.hpp"
#include "search/search_settings.hpp"
#include "search/syntax_limits.hpp"
#include "search/synthetic_rules.hpp"
#include "search/target_prefix.hpp"

namespace dragoman::search {

class SentenceOptions : public features::SentenceView {
 public:
  SentenceOptions(const RuleModel& model, std::span<const double> weights, OptionKeeper& keeper)
      : model_(model), weights_(weights), keeper_(keeper), cache_(model, weights, keeper) {}

  // Values of an option's rule features and of the penalty that counts it; the weighted sum is its score if that is the
  // rule penalty.
  void option_values(const Option& option, FeatureId penalty, features::FeatureVector& values) const;
  [[nodiscard]] std::span<const WordId> target(const Option& option) const noexcept {
    return cache_.phrase(option.phrase);
  }
  [[nodiscard]] std::span<const grammar::Link> links(const Option& option) const noexcept {
    return links(option.rule, target(option));
  }
  [[nodiscard]] bool is_unknown(const Option& option) const noexcept { return is_unknown(option.rule); }
  [[nodiscard]] std::span<const features::OptionView> views() const noexcept { return views_; }
  // Of a lattice: the words that options may translate, by the numbers that they have there, from 1.
  [[nodiscard]] std::span<const LatticePath> paths() const noexcept { return paths_; }

  [[nodiscard]] std::span<const WordId> source() const override { return source_; }
  [[nodiscard]] std::span<const std::string_view> words() const override { return words_; }
  [[nodiscard]] std::string_view spell_target(WordId word) const override;
  void spell_source(const features::OptionView& option, std::vector<std::string_view>& words) const override;
  [[nodiscard]] std::size_t number() const override { return number_; }
  [[nodiscard]] const features::SentenceMarks& marks() const override { return *marks_; }
  [[nodiscard]] std::span<const double> weights() const override { return weights_; }
  [[nodiscard]] features::RememberedRules remembered() const override { return cache_.remembered(); }
  [[nodiscard]] std::span<const grammar::Link> links(const features::OptionView& option) const override {
    return links(option.rule != features::kNoRule ? option.rule : rules_[option.id], option.target);
  }

 protected:
  // Rule numbers beyond those of any table: unknown words by position, extra options by number, and options that were
  // made up for a prefix by the number of words that no rule gave; those that alignment gave by number.
  static constexpr std::uint32_t kUnknownRule = 0xf0000000u;
  static constexpr std::uint32_t kExtraRule = 0xf8000000u;
  static constexpr std::uint32_t kMadeUpRule = 0xfc000000u;
  static constexpr std::uint32_t kSyntheticRule = 0xfe000000u;

  // A new sentence. All that is given must outlive it.
  void begin(std::size_t number, std::span<const std::string_view> words, std::span<const ExtraOption> extra,
             const features::SentenceMarks& marks, const std::shared_ptr<const grammar::LayeredView>& table,
             UnknownPolicy unknown, HardSyntax hard_syntax, std::uint32_t option_limit,
             RuleCache::RuleFeatures rule_features);

  [[nodiscard]] static Span span_of(std::uint32_t start, std::uint32_t end) noexcept {
    return {static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end)};
  }
  [[nodiscard]] static bool is_unknown(std::uint32_t rule) noexcept {
    return rule >= kUnknownRule && rule < kExtraRule;
  }
  [[nodiscard]] bool is_stored(std::uint32_t rule) const noexcept {
    return rule < kUnknownRule && !cache_.table().is_added(rule);
  }
  // Whether some of the words have an option of this policy, or one that leaves less to others.
  [[nodiscard]] bool blocked(std::uint32_t start, std::uint32_t end,
                             OptionPolicy policy = OptionPolicy::kConstraint) const noexcept;
  // Whether a rule of the table may cover the span; options of a user may cover any.
  [[nodiscard]] bool admits(std::uint32_t start, std::uint32_t end) const noexcept {
    return syntax_.admits(start, end);
  }
  // Whether an extra option may be used: one that leaves room for others does not where another one does not.
  [[nodiscard]] bool usable(const ExtraOption& option) const noexcept {
    return option.policy != OptionPolicy::kInclusive || !blocked(option.start, option.end);
  }
  // Options into `found_`: of an unknown word, of a user; all extra options of a span.
  void add_unknown(std::uint32_t position);
  void add_unknown_arc(std::uint32_t arc);
  void add_extra(std::uint32_t start, std::uint32_t end);
  // Options for a prefix that rules do not write, into `found_`, and use(start, end) for all of the same words: pairs
  // of words that translate each other one by one, with lexical weights for the scores of the table; and in the last
  // resort a word for the next one of the prefix, or for all that are left; where the words of an option of a user
  // stand, it comes behind what is missing, if it is not in it. Those fire the feature of unknown words, once per word.
  template <typename Use>
  void make_up(const TargetPrefix& prefix, const Use& use) {
    align_prefix(prefix);
    for (std::uint32_t number = 0; number < synthetic_.size(); ++number) {
      const SyntheticRule& rule = synthetic_[number];
      if (blocked(rule.start, rule.end) || !admits(rule.start, rule.end)) continue;
      found_.clear();
      add_synthetic(number, prefix);
      use(rule.start, rule.end);
    }
    const auto length = static_cast<std::uint32_t>(words_.size());
    for (std::uint32_t start = 0; start < length; ++start) {
      if (blocked(start, start + 1)) continue;
      found_.clear();
      for (std::uint32_t at = 0; at < prefix.length(); ++at) {
        add_made_up(start, start + 1, prefix.words().subspan(at, 1), 1);
        const auto rest = prefix.words().subspan(at);
        if (rest.size() > 1) add_made_up(start, start + 1, rest, rest.size());
      }
      use(start, start + 1);
    }
    for (std::size_t number = 0; number < extra_.size(); ++number) {
      if (extra_[number].policy == OptionPolicy::kInclusive) continue;
      found_.clear();
      for (std::uint32_t at = 0; at < prefix.length(); ++at) add_with_term(extra_[number], prefix.words().subspan(at));
      use(extra_[number].start, extra_[number].end);
    }
  }

  WordId local_target(std::string_view word);
  [[nodiscard]] std::vector<WordId> local_targets(std::string_view text) {
    std::vector<WordId> ids;
    for_each_token(text, [&](std::string_view token) { ids.push_back(local_target(token)); });
    return ids;
  }

  // Features look at all options, of which `source` and `target` give the symbols.
  template <typename Source, typename Target>
  void make_views(std::span<const Option> options, const Source& source, const Target& target) {
    views_.clear();
    rules_.clear();
    view_paths_.clear();
    append_views(options, source, target);
  }
  // More of them, which rule features are not asked about any more.
  template <typename Source, typename Target>
  void append_views(std::span<const Option> options, const Source& source, const Target& target) {
    for (const Option& option : options) {
      views_.push_back({option.id, is_stored(option.rule) ? option.rule : features::kNoRule, option.phrase, option.span,
                        source(option), target(option)});
      rules_.push_back(option.rule);
      view_paths_.push_back(option.path);
    }
  }
  // Rule features fire for all views, and state features begin; both may put the options of a group into another order.
  void apply_features(OptionGroups& options) {
    fire_rule_features(options);
    begin_state_features(options);
  }
  void fire_rule_features(OptionGroups& options);
  void begin_state_features(OptionGroups& options);
  [[nodiscard]] bool has_features(std::span<const std::unique_ptr<features::RuleFeature>> rule_features) const {
    return !rule_features.empty() || keeper_.has_others();
  }
  // Those of rule features alone.
  void fired_values(const Option& option, features::FeatureVector& values) const;
  [[nodiscard]] double weight(FeatureId id) const noexcept { return id < weights_.size() ? weights_[id] : 0; }

  const RuleModel& model_;
  std::span<const double> weights_;
  OptionKeeper& keeper_;
  RuleCache cache_;
  std::size_t number_ = 0;
  std::span<const std::string_view> words_;
  std::vector<WordId> source_;
  std::span<const ExtraOption> extra_;
  const Lattice* lattice_ = nullptr;
  std::vector<LatticePath> paths_;
  std::vector<Option> found_;  // of the group being filled

 private:
  [[nodiscard]] std::span<const grammar::Link> links(std::uint32_t rule, std::span<const WordId> target) const noexcept;
  void add(Span span, std::uint32_t rule, std::span<const WordId> target, double score, std::uint32_t path = 0);
  [[nodiscard]] std::vector<WordId> copied(std::string_view word);
  void add_made_up(std::uint32_t start, std::uint32_t end, std::span<const WordId> target, std::size_t missing);
  void add_with_term(const ExtraOption& term, std::span<const WordId> rest);
  // Numbers beyond those of synthetic rules are for others to use: glue has one.
  [[nodiscard]] bool is_synthetic(std::uint32_t rule) const noexcept {
    return rule >= kSyntheticRule && rule - kSyntheticRule < synthetic_.size();
  }
  void align_prefix(const TargetPrefix& prefix);
  void add_synthetic(std::uint32_t number, const TargetPrefix& prefix);
  // Calls use(feature, log probability) for the scores of the table, as such a rule has them.
  template <typename Use>
  void synthetic_values(const SyntheticRule& rule, const Use& use) const {
    const auto& columns = cache_.table().columns();
    for (std::size_t column = 0; column < columns.size(); ++column)
      if (columns[column] == "phrase.st" || columns[column] == "lex.st")
        use(model_.column_features[column], rule.scores.inverse);
      else if (columns[column] == "phrase.ts" || columns[column] == "lex.ts")
        use(model_.column_features[column], rule.scores.direct);
  }
  [[nodiscard]] std::string_view spell_nonterminal(WordId symbol) const;

  const features::SentenceMarks* marks_ = nullptr;
  UnknownPolicy unknown_ = UnknownPolicy::kCopy;
  SyntaxLimits syntax_;
  std::deque<std::string> local_words_;  // target words that the table does not know; ids follow the table's
  std::unordered_map<std::string_view, WordId> local_ids_;
  mutable std::unordered_map<WordId, std::string> nonterminals_;  // those that were spelt
  std::vector<features::OptionView> views_;
  std::vector<std::uint32_t> rules_, view_paths_;        // per view, as options number them
  std::vector<SyntheticRule> synthetic_;                 // of the prefix
  std::vector<std::vector<grammar::Link>> extra_links_;  // of each extra option: all of its words to all of its target
  std::span<const std::unique_ptr<features::RuleFeature>> rule_features_;
  std::vector<features::FeatureVector> fired_;  // per option, by rule features that do not defer values
};

// Positions of the words for which the table has no rule of their own.
[[nodiscard]] std::vector<std::uint32_t> unknown_words(const grammar::LayeredView& table, std::string_view line);

}  // namespace dragoman::search
