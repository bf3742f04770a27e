#pragma once
// A sentence on its way through the phrase-based decoder: the options that match it, by span.
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "search/extender.hpp"
#include "search/phrase_limits.hpp"
#include "search/phrase_model.hpp"
#include "search/required_terms.hpp"
#include "search/sentence_options.hpp"

namespace dragoman::search {

class Sentence final : public SentenceOptions {
 public:
  Sentence(const PhraseModel& model, std::span<const double> weights, Extender& extender)
      : SentenceOptions(model, weights, extender), extender_(extender) {}

  // Finds and weighs the options for these words, and tells the state features about them. Settings, words, request and
  // features must outlive the sentence. With `make_up` there are options for a prefix that rules do not write.
  void prepare(const SearchSettings& settings, std::size_t number, std::span<const std::string_view> words,
               const Request& request, const std::shared_ptr<const grammar::LayeredView>& table,
               std::span<const std::unique_ptr<features::RuleFeature>> rule_features, bool make_up);

  [[nodiscard]] const OptionChart& chart() const noexcept { return chart_; }
  // What the request restricts; nullptr if nothing.
  [[nodiscard]] const PhraseLimits* limits() const noexcept { return restricted_ ? &limits_ : nullptr; }
  void option_values(const Option& option, features::FeatureVector& values) const {
    SentenceOptions::option_values(option, model_.rule_penalty, values);
  }

 private:
  struct Found {
    Span span;
    grammar::RuleRange rules;
    std::uint32_t first, last;  // those of them that a restricted sentence takes, in `chosen_`
    std::uint32_t path = 0;     // of a lattice
  };

  void begin_limits(const Request& request);
  void find_matches(std::uint32_t longest);
  void find_paths(std::uint32_t longest);
  void add_found(Span span, grammar::RuleRange rules, std::uint32_t path);
  [[nodiscard]] Match match_of(const Found& found) const noexcept {
    return {found.span, found.rules, found.path == 0 ? std::span<const WordId>() : paths_[found.path - 1].words};
  }
  void choose_rules(Found& found);
  [[nodiscard]] bool allows(Span span, grammar::RuleId rule) const;
  void fill_chart(std::uint32_t longest);
  void fill_lattice_chart();
  void add_matches(const Found& found);
  void add_made_up_options();

  Extender& extender_;
  const SearchSettings* settings_ = nullptr;
  std::vector<Found> matches_;
  OptionChart chart_;
  bool restricted_ = false, no_drop_ = false;
  PhraseLimits limits_;
  RequiredTerms terms_;
  std::vector<RankedRule> chosen_;
  LatticePaths lattice_paths_;
};

}  // namespace dragoman::search
