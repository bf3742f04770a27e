#include "search/sentence.hpp"

#include <algorithm>

namespace dragoman::search {

void Sentence::prepare(const SearchSettings& settings, std::size_t number, std::span<const std::string_view> words,
                       std::span<const ExtraOption> extra, const features::SentenceMarks& marks,
                       const std::shared_ptr<const grammar::LayeredView>& table,
                       std::span<const std::unique_ptr<features::RuleFeature>> rule_features) {
  settings_ = &settings;
  begin(number, words, extra, marks, table, settings.unknown, settings.option_limit, rule_features);
  const auto length = static_cast<std::uint32_t>(words.size());
  std::uint32_t longest = std::min(length, std::max(1u, settings.max_phrase_length));
  for (const ExtraOption& option : extra) longest = std::max(longest, option.end - option.start);
  find_matches(longest);
  fill_chart(longest);
  make_views(
      has_features(rule_features) ? chart_.all() : std::span<const Option>(),
      [this](const Option& option) {
        return std::span<const WordId>(source_).subspan(option.span.start, option.span.end - option.span.start);
      },
      [this](const Option& option) { return target(option); });
  fire_rule_features(chart_);
  chart_.keep_best(settings.option_limit + extra.size());
  begin_state_features(chart_);
}

// Rules of the table by span. A layer above it reports its own after those of the table.
void Sentence::find_matches(std::uint32_t longest) {
  matches_.clear();
  const int limit = static_cast<int>(std::min(longest, settings_->max_phrase_length));
  cache_.table().match(source_, limit, [&](int start, int end, grammar::RuleRange rules) {
    const auto from = static_cast<std::uint32_t>(start), to = static_cast<std::uint32_t>(end);
    if (blocked(from, to)) return;
    matches_.push_back({span_of(from, to), rules, {}});
    (void)cache_.best(matches_.back());  // all that rules bring along is known before the sentence adds its own
  });
  cache_.end_of_rules();
  if (cache_.table().added() != 0)
    std::stable_sort(matches_.begin(), matches_.end(), [](const Match& a, const Match& b) {
      return a.span.start != b.span.start ? a.span.start < b.span.start : a.span.end < b.span.end;
    });
}

void Sentence::fill_chart(std::uint32_t longest) {
  const auto length = static_cast<std::uint32_t>(words_.size());
  chart_.reset(length, longest);
  auto match = matches_.begin();
  for (std::uint32_t start = 0; start < length; ++start) {
    for (std::uint32_t end = start + 1; end <= std::min(length, start + longest); ++end) {
      found_.clear();
      for (; match != matches_.end() && match->span == span_of(start, end); ++match) add_matches(*match);
      add_extra(start, end);
      if (end == start + 1 && found_.empty() && !blocked(start, end)) add_unknown(start);
      if (!found_.empty()) chart_.add_span(span_of(start, end), found_);
    }
  }
  chart_.finish();
}

void Sentence::add_matches(const Match& match) {
  for (const RankedRule& best : cache_.best(match)) {
    const std::uint32_t orientation =
        extender_.orientation ? extender_.orientation->add_option(match.span, best.row) : 0;
    found_.push_back({0, match.span, best.rule, best.phrase, orientation, best.score, best.estimate});
  }
}

}  // namespace dragoman::search
