#include "search/gappy_sentence.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace dragoman::search {
namespace {

constexpr std::uint64_t all_of(Span span) noexcept {
  const int size = span.end - span.start;
  return size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
}

}  // namespace

void GappySentence::prepare(const GappySettings& settings, std::size_t number, std::span<const std::string_view> words,
                            const Request& request, const std::shared_ptr<const grammar::LayeredView>& table,
                            std::span<const std::unique_ptr<features::RuleFeature>> rule_features) {
  begin(number, words, request.extra, request.marks, table, settings.unknown, settings.hard_syntax,
        settings.option_limit, rule_features);
  find(settings);
  options_.clear();
  groups_.clear();
  begins_.assign(length() + std::size_t{1}, 0);
  for (const Found& found : spans_) {
    found_.assign(all_found_.begin() + found.first, all_found_.begin() + found.last);
    add_groups(found.span, found.some);
    begins_[found.span.start + std::size_t{1}] = static_cast<std::uint32_t>(groups_.size());
  }
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] = std::max(begins_[i], begins_[i - 1]);
  add_later();
  if (has_features(rule_features)) make_option_views();
  keeper_.begin(weights_, *this, views());
  std::uint32_t longest = 1;
  for (const GappyGroup& group : groups_)
    longest = std::max<std::uint32_t>(longest, static_cast<std::uint32_t>(group.span.end - group.span.start));
  compute_future(longest);
}

// All options, by start, then by end, those without gaps first.
void GappySentence::find(const GappySettings& settings) {
  struct Match {
    Span span;
    std::uint64_t some;
    grammar::RuleRange rules;
  };
  std::vector<Match> matches;
  cache_.table().match(source_, static_cast<int>(std::min(length(), settings.max_phrase_length)),
                       [&](int start, int end, grammar::RuleRange rules) {
                         const Span span = span_of(static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end));
                         if (!blocked(span.start, span.end) && admits(span.start, span.end))
                           matches.push_back({span, all_of(span), rules});
                       });
  cache_.table().match_gappy(
      source_, static_cast<int>(settings.max_source_span),
      [&](std::span<const int> positions, grammar::RuleRange rules) {
        if (!admits(static_cast<std::uint32_t>(positions.front()), static_cast<std::uint32_t>(positions.back() + 1)))
          return;
        std::uint64_t some = 0;
        for (const int position : positions) {
          const auto at = static_cast<std::uint32_t>(position);
          if (blocked(at, at + 1)) return;
          some |= std::uint64_t{1} << (position - positions.front());
        }
        matches.push_back(
            {span_of(static_cast<std::uint32_t>(positions.front()), static_cast<std::uint32_t>(positions.back() + 1)),
             some, rules});
      });
  for (const Match& match : matches) {
    std::vector<WordId> source;
    if (match.some != all_of(match.span))
      cache_.table().base().source(cache_.table().base().node_of(match.rules.first), source);
    (void)cache_.best({match.span, match.rules, source});
  }
  cache_.end_of_rules();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> extra;
  for (const ExtraOption& option : extra_)
    if (usable(option)) extra.emplace_back(option.start, option.end);
  std::vector<bool> known(length());
  for (const Match& match : matches)
    if (match.span.end == match.span.start + 1) known[match.span.start] = true;
  for (const auto& [start, end] : extra) {
    if (end == start + 1) known[start] = true;
    matches.push_back({span_of(start, end), all_of(span_of(start, end)), {0, 0}});
  }
  for (std::uint32_t at = 0; at < length(); ++at)
    if (!known[at] && !blocked(at, at + 1)) matches.push_back({span_of(at, at + 1), 1, {0, 0}});
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    if (a.span.start != b.span.start) return a.span.start < b.span.start;
    return a.span.end != b.span.end ? a.span.end < b.span.end : a.some > b.some;
  });
  many_ = settings.order_features;
  spans_.clear();
  all_found_.clear();
  for (auto match = matches.begin(); match != matches.end();) {
    const auto same = std::find_if(match, matches.end(), [&](const Match& each) {
      return !(each.span == match->span) || each.some != match->some;
    });
    const auto first = static_cast<std::uint32_t>(all_found_.size());
    const Span span = match->span;
    const std::uint64_t some = match->some;
    found_.clear();
    for (; match != same; ++match)
      if (!match->rules.empty()) add_rules(span, some, match->rules);
    if (some == all_of(span)) {
      add_extra(span.start, span.end);
      if (found_.empty()) add_unknown(span.start);
    }
    all_found_.insert(all_found_.end(), found_.begin(), found_.end());
    spans_.push_back({span, some, first, static_cast<std::uint32_t>(all_found_.size())});
  }
}

void GappySentence::add_rules(Span span, std::uint64_t some, grammar::RuleRange rules) {
  const auto covered = std::popcount(some);
  const int between = span.end - span.start - covered;
  double gaps = 0;
  if (between > 0) gaps += weight(gappy_.source_gaps) - weight(gappy_.source_gap_words) * between;
  for_each_many(some, [&](FeatureId feature) { gaps += weight(feature); });
  for (const RankedRule& rule : cache_.best({span, rules, {}})) {
    const auto target = cache_.table().target(rule.rule);
    double more = gaps + (grammar::words_of(target) < target.size() ? weight(gappy_.target_gaps) : 0);
    if (between > 0) more += weight(gappy_.source_sizes) * source_sizes(rule.rule, some);
    const std::uint32_t orientation =
        extender_.orientation ? extender_.orientation->add_option(span, rule.row, static_cast<std::uint32_t>(covered))
                              : 0;
    found_.push_back({0, span, rule.rule, rule.phrase, orientation, 0, rule.score + more, rule.estimate + more});
  }
}

double GappySentence::source_sizes(grammar::RuleId rule, std::uint64_t some) const noexcept {
  if (gappy_.source_size_columns.empty()) return 0;
  double sum = 0;
  for (some >>= std::countr_one(some); some != 0; some >>= std::countr_one(some)) {
    const auto words = static_cast<std::uint32_t>(std::countr_zero(some));
    sum += static_cast<double>(cache_.table().value(rule, gappy_.source_size_columns[grammar::size_of_gap(words)]));
    some >>= words;
  }
  return sum;
}

double GappySentence::target_size(std::uint32_t later, std::uint32_t words) const noexcept {
  if (gappy_.target_size_columns.empty()) return 0;
  const Option& unit = ranked_[group_of(later).first_option];
  return static_cast<double>(cache_.table().value(unit.rule, gappy_.target_size_columns[grammar::size_of_gap(words)]));
}

std::span<const WordId> GappySentence::symbols_of(const Option& option) const noexcept {
  return option.rule < kUnknownRule ? std::span<const WordId>(cache_.table().target(option.rule)) : target(option);
}

// `found_` as groups: by the number of words that are written at first, and one for each option that goes on later.
void GappySentence::add_groups(Span span, std::uint64_t some) {
  const auto later_of = [&](const Option& option) {
    const auto symbols = symbols_of(option);
    return symbols.size() - grammar::words_of(symbols);
  };
  std::stable_sort(found_.begin(), found_.end(), [&](const Option& a, const Option& b) {
    const auto later_a = later_of(a), later_b = later_of(b);
    return later_a != later_b ? later_a < later_b : target(a).size() < target(b).size();
  });
  std::vector<Option> rest = found_;
  for (std::size_t done = 0; done < rest.size();) {
    const auto later = later_of(rest[done]);
    std::size_t next = done + 1;
    while (later == 0 && next < rest.size() && later_of(rest[next]) == 0 &&
           target(rest[next]).size() == target(rest[done]).size())
      ++next;
    found_.assign(rest.begin() + static_cast<std::ptrdiff_t>(done), rest.begin() + static_cast<std::ptrdiff_t>(next));
    const auto [first, last] = options_.add_group(found_);
    groups_.push_back({span, some, first, last - first, static_cast<std::uint16_t>(std::popcount(some)),
                       static_cast<std::uint16_t>(target(rest[done]).size()),
                       static_cast<std::uint16_t>(span.start + std::countr_one(some)),
                       static_cast<std::uint16_t>(later), 0});
    done = next;
  }
}

// Runs of words that are written later are options of their own, which cost nothing but what they are to state
// features.
void GappySentence::add_later() {
  const auto all = options_.all();
  ranked_.assign(all.begin(), all.end());
  first_later_ = static_cast<std::uint32_t>(ranked_.size());
  most_later_ = 0;
  left_.clear();
  group_of_.assign(ranked_.size(), 0);
  const auto spelling = [this](WordId word) { return spell_target(word); };
  for (std::uint32_t number = 0; number < groups_.size(); ++number) {
    GappyGroup& group = groups_[number];
    for (std::uint32_t i = 0; i < group.options; ++i) group_of_[group.first_option + i] = number;
    if (group.later == 0) continue;
    most_later_ = std::max<std::uint32_t>(most_later_, group.later);
    group.first_later = static_cast<std::uint32_t>(ranked_.size());
    const Option unit = ranked_[group.first_option];
    std::span<const WordId> rest = symbols_of(unit).subspan(group.written);
    while (!rest.empty()) {
      rest = rest.subspan(1);  // the gap
      const auto words = grammar::leading_words(rest);
      double estimate = 0;
      for (const auto& use : model_.language_models) estimate += weight(use->feature) * use->isolated(words, spelling);
      left_.push_back(static_cast<std::uint32_t>(grammar::words_of(rest)));
      group_of_.push_back(number);
      ranked_.push_back({static_cast<std::uint32_t>(ranked_.size()), unit.span, unit.rule,
                         cache_.add_phrase(words, spelling), features::OrientationFeature::kNoOption, 0, 0, estimate});
      rest = rest.subspan(words.size());
    }
  }
}

// Rule features see whole phrases, and state features what is written at once, with what follows behind a gap.
void GappySentence::make_option_views() {
  gaps_.clear();
  gap_begins_.assign(1, 0);
  for (const GappyGroup& group : groups_) {
    for (std::uint32_t at = group.first_end; at < group.span.end;) {
      const auto left = group.some >> (at - group.span.start);
      const std::uint32_t end = at + static_cast<std::uint32_t>(std::countr_zero(left));
      gaps_.push_back(span_of(at, end));
      at = end + static_cast<std::uint32_t>(std::countr_one(group.some >> (end - group.span.start)));
    }
    gap_begins_.push_back(static_cast<std::uint32_t>(gaps_.size()));
  }
  sources_.assign(ranked_.size(), {});
  for (std::uint32_t number = 0; number < first_later_; ++number) {
    const Option& option = ranked_[number];
    const GappyGroup& group = group_of(number);
    const auto& base = cache_.table().base();
    if (group.some != all_of(group.span)) {
      base.source(base.node_of(option.rule), sources_[number]);
    } else {
      sources_[number].assign(source_.begin() + option.span.start, source_.begin() + option.span.end);
    }
  }
  make_views(
      options_.all(), [this](const Option& option) { return std::span<const WordId>(sources_[option.id]); },
      [this](const Option& option) { return symbols_of(option); });
  fire_rule_features(options_);
  const auto all = options_.all();
  std::copy(all.begin(), all.end(), ranked_.begin());
  std::vector<Option> every = ranked_;
  append_views(
      std::span(every).subspan(first_later_), [](const Option&) { return std::span<const WordId>(); },
      [this](const Option& option) {
        const GappyGroup& group = group_of(option.id);
        const auto symbols = symbols_of(ranked_[group.first_option]);
        std::size_t words = words_left(option.id), size = 0;
        while (words > 0 || size == 0) words -= !grammar::is_nonterminal(symbols[symbols.size() - ++size]) ? 1 : 0;
        return symbols.last(size);
      });
}

void GappySentence::compute_future(std::uint32_t longest) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::vector<double> best(std::size_t{length()} * (length() + 1), kNever);
  for (const GappyGroup& group : groups_) {
    if (group.some != all_of(group.span)) continue;
    double& known = best[std::size_t{group.span.start} * (length() + 1) + group.span.end];
    for (std::uint32_t i = 0; i < group.options; ++i) known = std::max(known, ranked_[group.first_option + i].estimate);
  }
  future_.compute(length(), longest, [&](std::uint32_t start, std::uint32_t end) {
    return best[std::size_t{start} * (length() + 1) + end];
  });
}

void GappySentence::option_values(std::uint32_t number, FeatureVector& values) const {
  if (is_later(number)) return;
  const Option& option = ranked_[number];
  SentenceOptions::option_values(option, model_.rule_penalty, values);
  const auto add = [&](FeatureId feature, double value) {
    if (feature != kNoFeature && value != 0) values.emplace_back(feature, value);
  };
  const GappyGroup& group = group_of(number);
  const int between = group.span.end - group.span.start - group.covered;
  add(gappy_.source_gaps, between > 0 ? 1 : 0);
  add(gappy_.source_gap_words, -between);
  if (between > 0) add(gappy_.source_sizes, source_sizes(option.rule, group.some));
  add(gappy_.target_gaps, group.later > 0 ? 1 : 0);
  for_each_many(group.some, [&](FeatureId feature) { add(feature, 1); });
  add(model_.word_penalty, -static_cast<double>(grammar::words_of(symbols_of(option)) - group.written));
}

void GappySentence::own_positions(std::uint32_t number, std::vector<std::uint32_t>& positions) const {
  positions.clear();
  if (is_later(number)) return;
  const GappyGroup& group = group_of(number);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(group.span.end - group.span.start); ++i)
    if ((group.some >> i & 1) != 0) positions.push_back(group.span.start + i);
}

void GappySentence::links_of(std::uint32_t number, std::vector<forest::Link>& links) const {
  links.clear();
  const GappyGroup& group = group_of(number);
  const Option& unit = ranked_[is_later(number) ? group.first_option : number];
  // Places of the symbols of the source side, which has a symbol for each gap.
  std::vector<std::uint16_t> places;
  bool inside = false;
  for (std::uint16_t i = 0; i < group.span.end - group.span.start; ++i) {
    const bool own = (group.some >> i & 1) != 0;
    if (own || !inside) places.push_back(i);
    inside = !own;
  }
  // The run in question, among the symbols of the target side.
  const auto symbols = symbols_of(unit);
  std::size_t first = 0;
  if (is_later(number)) {
    std::size_t words = words_left(number);
    for (first = symbols.size(); words > 0; --first) words -= grammar::is_nonterminal(symbols[first - 1]) ? 0 : 1;
  }
  const std::size_t last = first + grammar::leading_words(symbols.subspan(first)).size();
  for (const grammar::Link link : SentenceOptions::links(unit))
    if (link.source < places.size() && first <= link.target && link.target < last)
      links.push_back({places[link.source], static_cast<std::uint16_t>(link.target - first)});
}

}  // namespace dragoman::search
