#pragma once
// A sentence on its way through the decoder of phrases with gaps: options that cover some words of a span, and write
// one run of words after the other.
#include <bit>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "forest/forest.hpp"
#include "search/extender.hpp"
#include "search/future_cost.hpp"
#include "search/gappy_model.hpp"
#include "search/gappy_settings.hpp"
#include "search/sentence_options.hpp"

namespace dragoman::search {

// Options that cover the same words and write equally many at first; one that goes on later stands alone.
struct GappyGroup {
  Span span;
  std::uint64_t some;  // its words: bit k is position span.start + k
  std::uint32_t first_option, options;
  std::uint16_t covered, written;  // how many words, and how many are written at first
  std::uint16_t first_end;         // behind its first run of words
  std::uint16_t later;             // runs that are written later
  std::uint32_t first_later;       // the first of them, as an option
};

class GappySentence final : public SentenceOptions {
 public:
  GappySentence(const GappyModel& model, std::span<const double> weights, Extender& extender)
      : SentenceOptions(model, weights, extender), gappy_(model), extender_(extender) {}

  // Finds and weighs the options, and tells the state features about them. All that is given must outlive the sentence.
  void prepare(const GappySettings& settings, std::size_t number, std::span<const std::string_view> words,
               const Request& request, const std::shared_ptr<const grammar::LayeredView>& table,
               std::span<const std::unique_ptr<features::RuleFeature>> rule_features);

  [[nodiscard]] std::uint32_t length() const noexcept { return static_cast<std::uint32_t>(words_.size()); }
  // By the first word that they cover.
  [[nodiscard]] std::span<const GappyGroup> groups_at(std::uint32_t start) const noexcept {
    return std::span(groups_).subspan(begins_[start], begins_[start + 1] - begins_[start]);
  }
  [[nodiscard]] const GappyGroup& group_of(std::uint32_t option) const noexcept { return groups_[group_of_[option]]; }
  // Options, and behind them what is written later.
  [[nodiscard]] std::uint32_t options() const noexcept { return static_cast<std::uint32_t>(ranked_.size()); }
  [[nodiscard]] const Option& option(std::uint32_t number) const noexcept { return ranked_[number]; }
  [[nodiscard]] bool is_later(std::uint32_t number) const noexcept { return number >= first_later_; }
  // Words from one that is written later to the end of its phrase.
  [[nodiscard]] std::uint32_t words_left(std::uint32_t later) const noexcept { return left_[later - first_later_]; }
  // Most runs that one phrase writes later.
  [[nodiscard]] std::uint32_t most_later() const noexcept { return most_later_; }
  // The logarithm of how probable a gap of so many words is before a run that is written later.
  [[nodiscard]] double target_size(std::uint32_t later, std::uint32_t words) const noexcept;
  [[nodiscard]] double future(const Coverage& coverage) const noexcept { return future_.of(coverage); }

  [[nodiscard]] bool has_gaps() const override { return true; }
  [[nodiscard]] std::span<const Span> gaps(const features::OptionView& option) const override {
    const std::uint32_t group = group_of_[option.id];
    return std::span(gaps_).subspan(gap_begins_[group], gap_begins_[group + 1] - gap_begins_[group]);
  }

  void option_values(std::uint32_t number, FeatureVector& values) const;
  // Source positions from the start of the span, target positions within what is written at once.
  void links_of(std::uint32_t number, std::vector<forest::Link>& links) const;
  void own_positions(std::uint32_t number, std::vector<std::uint32_t>& positions) const;

 private:
  void find(const GappySettings& settings);
  void add_rules(Span span, std::uint64_t some, grammar::RuleRange rules);
  // Features of words that leave two gaps or more between them.
  template <typename Use>
  void for_each_many(std::uint64_t some, const Use& use) const {
    if (!many_) return;
    const auto runs = static_cast<std::size_t>(std::popcount(some & ~(some << 1)));
    for (std::size_t i = 0; i < gappy_.many_source_gaps.size() && i + 2 < runs; ++i) use(gappy_.many_source_gaps[i]);
  }
  // The same of all gaps between the source words of a rule.
  [[nodiscard]] double source_sizes(grammar::RuleId rule, std::uint64_t some) const noexcept;
  void add_groups(Span span, std::uint64_t some);
  void add_later();
  void make_option_views();
  void compute_future(std::uint32_t longest);
  [[nodiscard]] std::span<const WordId> symbols_of(const Option& option) const noexcept;

  struct Found {
    Span span;
    std::uint64_t some;
    std::uint32_t first, last;  // in `all_found_`
  };
  const GappyModel& gappy_;
  Extender& extender_;
  bool many_ = false;
  std::vector<Found> spans_;
  std::vector<Option> all_found_;
  std::vector<GappyGroup> groups_;  // by start
  std::vector<std::uint32_t> begins_;
  OptionGroups options_;
  std::vector<Option> ranked_;
  std::vector<std::uint32_t> group_of_, left_;
  std::uint32_t first_later_ = 0, most_later_ = 0;
  std::vector<std::vector<WordId>> sources_;  // of options, for features
  std::vector<Span> gaps_;                    // of groups, for features
  std::vector<std::uint32_t> gap_begins_;
  FutureCost future_;
};

}  // namespace dragoman::search
