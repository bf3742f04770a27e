#pragma once
// A sentence on its way through the left-to-right decoder: the rules that match it, and what may be done to a span.
//
// A span is expanded by a rule that covers exactly it: a rule of the table; a rule without nonterminals as glue, with
// one before it, one behind it, or both, in either order (Watanabe, Tsukada and Isozaki 2006); or a rule that covers
// the beginning of the span and is followed, on both sides, by one nonterminal more for the rest (Siahbani and Sarkar
// 2014). Glue and what follows may be of any length; what is a rule of the table is as long as the span limit says.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "forest/forest.hpp"
#include "grammar/dotted.hpp"
#include "search/extender.hpp"
#include "search/future_cost.hpp"
#include "search/left_to_right_model.hpp"
#include "search/left_to_right_settings.hpp"
#include "search/reference_prefixes.hpp"
#include "search/sentence_options.hpp"

namespace dragoman::search {

// How a rule ends: without nonterminals there is nothing to tell; with a source word; with the same nonterminal on both
// sides; with different ones. These are the types (a), (b) and (c) of Siahbani and Sarkar (2014).
enum class RuleEnd : std::uint8_t { kLexical, kWord, kSame, kOther };
[[nodiscard]] RuleEnd end_of_rule(std::span<const WordId> source, std::span<const WordId> target) noexcept;

// What is wrong with a rule, or nullptr: its target must be words and then the nonterminals of its source.
[[nodiscard]] const char* left_to_right_problem(std::span<const WordId> source,
                                                std::span<const WordId> target) noexcept;

// Rules of one source side and one order of nonterminals, put to a span: what may be done, but for the choice of a
// rule.
struct Application {
  enum class Kind : std::uint8_t { kRule, kGlue, kBoundary };

  std::uint32_t first_option, options;
  std::uint32_t first_part;        // spans that are left, in target order
  std::uint16_t arity, terminals;  // how many of them; own source words
  Kind kind;
  bool reordered;
  bool made_up;  // for a prefix only
  std::int32_t distortion, width;
  Span span;
  std::uint32_t match;   // of the rules
  double score, future;  // of the place, and what the parts will cost at best
};

class LeftToRightSentence final : public SentenceOptions {
 public:
  LeftToRightSentence(const LeftToRightModel& model, std::span<const double> weights, Extender& extender)
      : SentenceOptions(model, weights, extender), left_to_right_(model) {}

  // Matches rules, weighs options, and tells features about them. All that is given must outlive the sentence. Where
  // there are references, only rules are matched whose words one of them has.
  // With `make_up` there are options for a prefix that rules do not write.
  void prepare(const LeftToRightSettings& settings, std::size_t number, std::span<const std::string_view> words,
               const Request& request, const std::shared_ptr<const grammar::LayeredView>& table,
               std::span<const std::unique_ptr<features::RuleFeature>> rule_features, bool make_up);

  [[nodiscard]] std::uint32_t length() const noexcept { return static_cast<std::uint32_t>(words_.size()); }
  [[nodiscard]] const OptionGroups& options() const noexcept { return options_; }
  // Rules that matched, each as often as it did.
  [[nodiscard]] std::uint64_t matched() const noexcept {
    std::uint64_t sum = 0;
    for (const Match& match : matches_) sum += groups_[match.group].options;
    return sum;
  }
  [[nodiscard]] double future(Span span) const noexcept { return forced_ ? 0 : future_.span(span.start, span.end); }
  [[nodiscard]] const ReferencePrefixes& references() const noexcept { return references_; }
  [[nodiscard]] const TargetPrefix& prefix() const noexcept { return prefix_; }

  // Numbers of all that may be done to a span: [first, last). Worked out when it is first asked for.
  std::pair<std::uint32_t, std::uint32_t> applications(Span span);
  // So that those of all spans need not be kept at once; the span must be the only one that is known.
  void forget_applications(Span span);
  [[nodiscard]] const Application& application(std::uint32_t number) const noexcept { return applications_[number]; }
  [[nodiscard]] std::span<const Span> parts(const Application& application) const noexcept {
    return std::span(parts_).subspan(application.first_part, application.arity);
  }

  // What an application fires besides its option.
  void application_values(const Application& application, FeatureVector& values) const;
  [[nodiscard]] FeatureId penalty(const Application& application) const noexcept {
    return application.kind == Application::Kind::kRule ? model_.rule_penalty : left_to_right_.glue;
  }
  // Word links of an option, with source positions counted from the start of the application's span.
  void links_of(const Application& application, const Option& option, std::vector<forest::Link>& links) const;
  [[nodiscard]] bool has_gaps() const override { return !shared_options_; }
  [[nodiscard]] std::span<const Span> gaps(const OptionView& option) const override {
    const Group& group = groups_[group_of_view_[option.id]];
    return std::span(slots_).subspan(group.first_slot, group.arity);
  }
  // Positions of the own words of an application.
  void own_positions(const Application& application, std::vector<std::uint32_t>& positions) const;

 private:
  struct Match {
    Span span;
    std::uint32_t group;
    std::uint32_t first_slot;  // spans of its nonterminals, in source order
    std::uint16_t arity, terminals;
    double place = 0;  // what features say of the span, whatever the rule
  };
  struct Group {
    std::uint32_t first_option, options;
    std::uint32_t first_order;  // nonterminals in target order, as numbers in source order
    RuleEnd end;
    grammar::NodeId node;
    bool made_up;
    std::uint32_t first_slot, arity;  // of the one match it is for, unless matches share options
  };
  struct Found {
    Span span;
    grammar::NodeId node;
    std::uint32_t first_slot;
    std::uint16_t arity;
  };
  struct Range {
    std::uint32_t first, last;
  };

  void find_matches();
  void make_matches(bool make_up);
  [[nodiscard]] Range groups_of(const Found& found);
  [[nodiscard]] Range copies_of(Range known, const Found& found);
  void require_sound(grammar::NodeId node, std::span<const WordId> source);
  void add_group(std::span<const std::uint8_t> order, RuleEnd end, grammar::NodeId node, bool made_up = false,
                 std::uint32_t first_slot = 0);
  void read_references(std::span<const std::string_view> references);
  // Rules whose words fit somewhere in the prefix.
  template <typename Use>
  void for_each_fitting(grammar::RuleRange rules, const Use& use) const {
    if (prefix_.empty()) return;
    for (grammar::RuleId rule = rules.first; rule < rules.last; ++rule) {
      const auto target = cache_.table().target(rule);
      if (prefix_.fits_somewhere(target.first(grammar::words_of(target)))) use(rule);
    }
  }
  void judge_places();
  [[nodiscard]] features::OptionView place_of(std::uint32_t match) const noexcept {
    return {match, features::kNoRule, 0, matches_[match].span, {}, {}};
  }
  void make_option_views();
  void compute_future();
  [[nodiscard]] std::string spell_rule(grammar::NodeId node, grammar::RuleId rule) const;

  [[nodiscard]] Range matches_of(std::uint32_t start, std::uint32_t end) const noexcept {
    const std::size_t at = std::size_t{start} * longest_ + (end - start - 1);
    return {begins_[at], begins_[at + 1]};
  }
  void add_rules(Span span);
  void add_glue(Span span, Range regular);
  void add_boundary(Span span);
  // Pushes `parts_` first; the rest follows from them.
  void add_application(Span span, std::uint32_t match, std::uint32_t first_part, Application::Kind kind,
                       std::uint32_t most_options = ~0u);
  void push_parts(const Match& match, Span last_slot);
  [[nodiscard]] std::span<const Span> slots(const Match& match) const noexcept {
    return std::span(slots_).subspan(match.first_slot, match.arity);
  }

  const LeftToRightModel& left_to_right_;
  const LeftToRightSettings* settings_ = nullptr;
  bool forced_ = false, shared_options_ = true;
  RuleCache::RuleFeatures place_features_;  // if there are no others
  std::uint32_t longest_ = 0;               // words of a rule of the table
  std::vector<WordId> matched_words_;
  std::vector<Found> all_found_;
  std::vector<Match> matches_;  // with nonterminals, by start and end; then those without
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> lexical_;  // matches without nonterminals, by start and end
  std::vector<Span> slots_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> orders_;
  std::unordered_map<grammar::NodeId, Range> known_groups_;
  OptionGroups options_;
  std::vector<std::uint32_t> group_of_view_;
  std::vector<WordId> symbols_;  // sources of groups, for features
  std::vector<std::uint32_t> symbol_begins_;
  FutureCost future_;
  ReferencePrefixes references_;
  TargetPrefix prefix_;
  std::vector<Range> known_spans_;  // applications by start and end
  std::vector<Application> applications_;
  std::vector<Span> parts_;
  std::vector<RankedRule> ranked_;
  std::shared_ptr<const grammar::LayeredView> sound_table_;
  std::unordered_set<grammar::NodeId> sound_;  // source sides of the table whose rules were looked at
};

}  // namespace dragoman::search
