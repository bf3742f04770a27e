#pragma once
// A sentence on its way through the chart decoder: what may derive what (`Chart`), and the options of every match.
//
// Above the cells of the table's own labels stands the glue: what covers the beginning of the sentence is one cell of
// any label, or such a beginning followed by one cell. These cells have a label of their own; they may be of any
// length, all others are as long as the span limit says. Since nothing will stand before them, their language model
// states have one side only.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forest/forest.hpp"
#include "grammar/dotted.hpp"
#include "search/chart.hpp"
#include "search/chart_extender.hpp"
#include "search/hiero_model.hpp"
#include "search/hiero_settings.hpp"
#include "search/sentence_options.hpp"

namespace dragoman::search {

class HieroSentence final : public SentenceOptions {
 public:
  static constexpr std::uint32_t kTopLabel = 0x7fffffu;  // no table has so many
  static constexpr CellId kNoCell = ~CellId{0};

  HieroSentence(const HieroModel& model, std::span<const double> weights, ChartExtender& extender)
      : SentenceOptions(model, weights, extender), hiero_(model), extender_(extender) {}

  // Matches rules, weighs options, and tells features about them. All that is given must outlive the sentence.
  void prepare(const HieroSettings& settings, std::size_t number, std::span<const std::string_view> words,
               std::span<const ExtraOption> extra, const features::SentenceMarks& marks,
               const std::shared_ptr<const grammar::LayeredView>& table,
               std::span<const std::unique_ptr<features::RuleFeature>> rule_features,
               std::span<const std::string_view> references);

  [[nodiscard]] const Chart& chart() const noexcept { return chart_; }
  [[nodiscard]] const OptionGroups& options() const noexcept { return options_; }
  [[nodiscard]] CellId goal() const noexcept { return tops_.back(); }
  [[nodiscard]] std::uint64_t matched() const noexcept { return options_.all().size(); }

  // All that an option fires wherever its parts come from; `number` is its place among the options.
  void option_values(std::uint32_t number, FeatureVector& values) const;
  // Its links, with source positions counted in words from the start of its span.
  void option_links(std::uint32_t number, std::vector<forest::Link>& links) const;
  // Positions of its own words, counted from the start of the sentence.
  void own_positions(std::uint32_t number, std::vector<std::uint32_t>& positions) const;
  [[nodiscard]] const Bundle& bundle_of(std::uint32_t number) const noexcept;
  [[nodiscard]] bool has_gaps() const override { return true; }
  [[nodiscard]] std::span<const Span> gaps(const features::OptionView& option) const override {
    const Bundle& bundle = chart_.bundles()[bundle_of_view_[option.id]];
    return std::span(gaps_).subspan(bundle.first_tail, bundle.arity);
  }

 private:
  static constexpr std::uint32_t kGlueRule = 0xffff0000u;  // and the next one, which joins two
  enum class Origin : std::uint8_t { kRules, kExtra, kUnknown, kGlue };
  struct Source {  // where the options of a bundle come from
    Origin origin;
    WordId label;
    grammar::NodeId node;
    grammar::RuleRange rules;
  };
  struct Pending {
    std::uint32_t label, rank;
    Source source;
    std::uint32_t first_tail, arity;
  };

  void read_nodes();
  void find_matches(std::uint32_t max_span);
  void open_nonterminals(std::uint32_t cell, std::uint32_t start, std::uint32_t end);
  void fill_span(std::uint32_t start, std::uint32_t end, bool match);
  void fill_top(std::uint32_t end);
  void add_pending(Span span, std::span<const grammar::DottedMatcher::Match> matches);
  void add_bundle(const Source& source, std::uint32_t first_tail, std::uint32_t arity);
  void add_options();
  void add_option(const Option& option, const Bundle& bundle);
  void show_options(std::span<const std::unique_ptr<features::RuleFeature>> rule_features);
  void add_references(std::span<const std::string_view> references);
  [[nodiscard]] CellId find(std::uint32_t label, std::uint32_t start, std::uint32_t end) const noexcept;
  [[nodiscard]] std::size_t place(std::uint32_t start, std::uint32_t end) const noexcept {
    return std::size_t{start} * longest_ + (end - start - 1);
  }
  // Labels that syntax gives a span.
  [[nodiscard]] std::span<const WordId> names(std::uint32_t start, std::uint32_t end) const noexcept;
  [[nodiscard]] static bool is_glue(std::uint32_t rule) noexcept { return rule >= kGlueRule; }
  // Calls use(symbol, first word) for the symbols of a bundle's source; positions count from the start of the sentence.
  template <typename Use>
  void for_each_symbol(const Bundle& bundle, const Use& use) const;
  [[nodiscard]] std::uint32_t width(CellId cell) const noexcept { return chart_[cell].end - chart_[cell].start; }
  [[nodiscard]] const Source& source_of(const Bundle& bundle) const noexcept {
    return sources_[static_cast<std::size_t>(&bundle - chart_.bundles().data())];
  }

  const HieroModel& hiero_;
  ChartExtender& extender_;
  const HieroSettings* settings_ = nullptr;
  std::uint32_t longest_ = 0;  // words of a cell below the glue
  bool ranked_by_features_ = false;
  std::vector<WordId> matched_words_;
  grammar::DottedMatcher matcher_;
  Chart chart_;
  OptionGroups options_;
  std::vector<Source> sources_;                        // per bundle
  std::vector<std::pair<CellId, CellId>> span_cells_;  // first and last cell of a span
  struct NodeLabel {
    std::size_t place;  // of its span
    WordId label;
  };
  std::vector<NodeLabel> nodes_;      // what syntax calls spans, by place
  std::vector<WordId> node_labels_;   // the same without places
  std::vector<WordId> nonterminals_;  // that may cover spans, span by span
  std::vector<std::pair<std::uint32_t, std::uint32_t>> span_nonterminals_;
  std::vector<CellId> tops_;  // by end
  std::vector<Pending> pending_;
  std::vector<grammar::CoveredSpan> spans_;
  std::vector<CellId> tail_cells_;
  std::vector<WordId> symbols_;                // sources of bundles with nonterminals, for features
  std::vector<std::uint32_t> bundle_of_view_;  // if features look at options
  std::vector<std::uint32_t> symbol_begins_;
  std::vector<Span> gaps_;  // the spans of all tails, if features look at options
};

}  // namespace dragoman::search
