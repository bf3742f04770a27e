#include "search/sentence.hpp"

#include <algorithm>
#include <tuple>

#include "common/error.hpp"

namespace dragoman::search {

void Sentence::prepare(const SearchSettings& settings, std::size_t number, std::span<const std::string_view> words,
                       const Request& request, const std::shared_ptr<const grammar::LayeredView>& table,
                       std::span<const std::unique_ptr<features::RuleFeature>> rule_features, bool make_up) {
  settings_ = &settings;
  begin(number, words, request.extra, request.marks, table, settings.unknown, settings.hard_syntax,
        settings.option_limit, rule_features);
  const auto length = static_cast<std::uint32_t>(words.size());
  std::uint32_t longest = std::min(length, std::max(1u, settings.max_phrase_length));
  for (const ExtraOption& option : request.extra) longest = std::max(longest, option.end - option.start);
  begin_limits(request);
  if (!request.lattice.empty()) {
    lattice_ = &request.lattice;
    find_paths(std::max(1u, settings.max_phrase_length));
    fill_lattice_chart();
  } else {
    find_matches(longest);
    fill_chart(longest);
  }
  if (make_up) add_made_up_options();
  make_views(
      has_features(rule_features) ? chart_.all() : std::span<const Option>(),
      [this](const Option& option) {
        if (option.path != 0) return std::span<const WordId>(paths_[option.path - 1].words);
        return std::span<const WordId>(source_).subspan(option.span.start, option.span.end - option.span.start);
      },
      [this](const Option& option) { return target(option); });
  fire_rule_features(chart_);
  if (!restricted_) chart_.keep_best(settings.option_limit + request.extra.size());
  begin_state_features(chart_);
  limits_.fitting.assign(limits_.prefix.length(), {});
  if (limits_.prefix.empty()) return;
  for (std::uint32_t id = 0; id < chart_.of_spans(); ++id)
    for (std::uint32_t at = 0; at < limits_.prefix.length(); ++at)
      if (limits_.prefix.fits(at, target(chart_[id]))) limits_.fitting[at].push_back(id);
}

void Sentence::begin_limits(const Request& request) {
  const Constraints& constraints = request.constraints;
  const auto where = [this] { return "sentence " + std::to_string(number_ + 1); };
  const auto length = static_cast<std::uint32_t>(words_.size());
  terms_.clear();
  for (const ExtraOption& option : request.extra)
    if (option.policy == OptionPolicy::kConstraint) terms_.add(option.start, option.end, local_targets(option.target));
  no_drop_ = constraints.no_drop;
  limits_.references.clear();
  for (const std::string_view reference : constraints.references) limits_.references.add(local_targets(reference));
  limits_.prefix.begin(local_targets(constraints.prefix));
  limits_.made_up.assign(limits_.prefix.length(), {});
  limits_.order.begin(constraints, length, settings_->distortion.limit);
  for (const ExtraOption& option : request.extra)
    if (option.policy != OptionPolicy::kInclusive && !limits_.order.admits(option.start, option.end))
      throw InputError("the only translation of words " + std::to_string(option.start) + " to " +
                           std::to_string(option.end) + " crosses a wall or the edge of a zone",
                       where(), "move one of them");
  restricted_ =
      !terms_.empty() || no_drop_ || !limits_.references.empty() || !limits_.prefix.empty() || limits_.order.any();
}

// Rules of the table by span. A layer above it reports its own after those of the table.
void Sentence::find_matches(std::uint32_t longest) {
  matches_.clear();
  chosen_.clear();
  const int limit = static_cast<int>(std::min(longest, settings_->max_phrase_length));
  cache_.table().match(source_, limit, [&](int start, int end, grammar::RuleRange rules) {
    const auto from = static_cast<std::uint32_t>(start), to = static_cast<std::uint32_t>(end);
    if (!blocked(from, to, OptionPolicy::kExclusive) && admits(from, to)) add_found(span_of(from, to), rules, 0);
  });
  cache_.end_of_rules();
  if (cache_.table().added() != 0)
    std::stable_sort(matches_.begin(), matches_.end(), [](const Found& a, const Found& b) {
      return a.span.start != b.span.start ? a.span.start < b.span.start : a.span.end < b.span.end;
    });
}

// All that rules bring along is known before the sentence adds its own.
void Sentence::add_found(Span span, grammar::RuleRange rules, std::uint32_t path) {
  matches_.push_back({span, rules, 0, 0, path});
  if (restricted_)
    choose_rules(matches_.back());
  else
    (void)cache_.best(match_of(matches_.back()));
}

// The same of a lattice: the words of its paths, by the nodes between which they lie.
void Sentence::find_paths(std::uint32_t longest) {
  matches_.clear();
  chosen_.clear();
  lattice_paths_.find(*lattice_, cache_.table(), longest);
  for (const LatticePaths::Found& found : lattice_paths_.found()) {
    paths_.push_back(found.path);
    const auto path = static_cast<std::uint32_t>(paths_.size());
    cache_.table().rules_of(found.node,
                            [&](grammar::RuleRange rules) { add_found(span_of(found.from, found.to), rules, path); });
  }
  cache_.end_of_rules();
}

// The best rules that are allowed, and all that fit the prefix. Where few are as good as the best, all are looked at.
void Sentence::choose_rules(Found& found) {
  found.first = found.last = static_cast<std::uint32_t>(chosen_.size());
  const Span span = found.span;
  if (!limits_.order.admits(span.start, span.end) || terms_.cuts(span.start, span.end)) return;
  const bool forced = !limits_.references.empty();
  const bool particular = forced || terms_.touches(span.start, span.end);
  if (!particular)
    for (const RankedRule& rule : cache_.best(match_of(found)))
      if (allows(span, rule.rule)) chosen_.push_back(rule);
  const auto by_rank = static_cast<std::ptrdiff_t>(chosen_.size());
  const bool all = particular || by_rank == static_cast<std::ptrdiff_t>(found.first);
  if (all || !limits_.prefix.empty()) {
    for (grammar::RuleId rule = found.rules.first; rule < found.rules.last; ++rule) {
      if (!all && !limits_.prefix.fits_somewhere(cache_.table().target(rule))) continue;
      const auto known = std::find_if(chosen_.begin() + found.first, chosen_.begin() + by_rank,
                                      [&](const RankedRule& each) { return each.rule == rule; });
      if (known == chosen_.begin() + by_rank && allows(span, rule)) chosen_.push_back(cache_.single(rule));
    }
  }
  found.last = static_cast<std::uint32_t>(chosen_.size());
}

bool Sentence::allows(Span span, grammar::RuleId rule) const {
  const auto target = cache_.table().target(rule);
  if (!limits_.references.empty() && !limits_.references.has(target)) return false;
  if (!terms_.empty() && !terms_.inside(span.start, span.end, target)) return false;
  if (!no_drop_) return true;
  if (target.empty()) return false;
  const auto links = cache_.table().links(rule);
  if (links.empty()) return true;  // a table without links says nothing about them
  for (std::uint32_t word = 0; word < static_cast<std::uint32_t>(span.end - span.start); ++word)
    if (std::ranges::none_of(links, [&](const grammar::Link link) { return link.source == word; })) return false;
  return true;
}

void Sentence::fill_chart(std::uint32_t longest) {
  const auto length = static_cast<std::uint32_t>(words_.size());
  chart_.reset(length, longest);
  auto match = matches_.begin();
  for (std::uint32_t start = 0; start < length; ++start) {
    for (std::uint32_t end = start + 1; end <= std::min(length, start + longest); ++end) {
      found_.clear();
      const auto first = match;
      for (; match != matches_.end() && match->span == span_of(start, end); ++match) add_matches(*match);
      if (limits_.order.admits(start, end)) add_extra(start, end);
      // A word that rules translate is not unknown because references want none of them.
      const bool known = !limits_.references.empty() && match != first;
      if (end == start + 1 && found_.empty() && !known && !blocked(start, end)) add_unknown(start);
      if (!found_.empty()) chart_.add_span(span_of(start, end), found_);
    }
  }
  chart_.finish();
}

// Words of arcs that no rule translates by themselves are unknown.
void Sentence::fill_lattice_chart() {
  std::uint32_t longest = 1;
  for (const Found& found : matches_) longest = std::max<std::uint32_t>(longest, found.span.end - found.span.start);
  std::vector<std::uint32_t> unknown;
  for (std::uint32_t arc = 0; arc < lattice_->arcs.size(); ++arc) {
    const Lattice::Arc& of = lattice_->arcs[arc];
    const WordId word = cache_.table().source_id(of.word);
    bool known = false;
    if (word != kUnknown) cache_.table().for_source(std::span(&word, 1), [&](grammar::RuleRange) { known = true; });
    if (known) continue;
    unknown.push_back(arc);
    longest = std::max(longest, of.to - of.from);
  }
  std::ranges::stable_sort(unknown, [&](std::uint32_t a, std::uint32_t b) {
    const auto &one = lattice_->arcs[a], &other = lattice_->arcs[b];
    return std::tie(one.from, one.to) < std::tie(other.from, other.to);
  });
  const auto length = static_cast<std::uint32_t>(words_.size());
  chart_.reset(length, longest);
  auto match = matches_.begin();
  auto arc = unknown.begin();
  for (std::uint32_t start = 0; start < length; ++start)
    for (std::uint32_t end = start + 1; end <= std::min(length, start + longest); ++end) {
      found_.clear();
      for (; match != matches_.end() && match->span == span_of(start, end); ++match) add_matches(*match);
      for (; arc != unknown.end() && lattice_->arcs[*arc].from == start && lattice_->arcs[*arc].to == end; ++arc)
        add_unknown_arc(*arc);
      if (!found_.empty()) chart_.add_span(span_of(start, end), found_);
    }
  chart_.finish();
}

void Sentence::add_matches(const Found& found) {
  const auto best = restricted_ ? std::span<const RankedRule>(chosen_).subspan(found.first, found.last - found.first)
                                : cache_.best(match_of(found));
  for (const RankedRule& rule : best) {
    const std::uint32_t orientation =
        extender_.orientation ? extender_.orientation->add_option(found.span, rule.row) : 0;
    const double more = found.path == 0 ? 0 : weight(lattice_->score) * paths_[found.path - 1].score;
    found_.push_back(
        {0, found.span, rule.rule, rule.phrase, orientation, found.path, rule.score + more, rule.estimate + more});
  }
}

void Sentence::add_made_up_options() {
  make_up(limits_.prefix, [this](std::uint32_t start, std::uint32_t end) {
    if (!limits_.order.admits(start, end)) return;
    const auto [first, last] = chart_.add_apart(found_);
    for (std::uint32_t id = first; id < last; ++id)
      for (std::uint32_t at = 0; at < limits_.prefix.length(); ++at)
        if (limits_.prefix.fits(at, target(chart_[id]))) limits_.made_up[at].push_back(id);
  });
}

}  // namespace dragoman::search
