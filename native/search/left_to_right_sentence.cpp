#include "search/left_to_right_sentence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.hpp"
#include "common/parallel.hpp"
#include "features/rule_distortion.hpp"

namespace dragoman::search {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

using grammar::RuleRange;

RuleEnd end_of_rule(std::span<const WordId> source, std::span<const WordId> target) noexcept {
  if (!grammar::is_nonterminal(target.back())) return RuleEnd::kLexical;
  if (!grammar::is_nonterminal(source.back())) return RuleEnd::kWord;
  return grammar::index_of(source.back()) == grammar::index_of(target.back()) ? RuleEnd::kSame : RuleEnd::kOther;
}

const char* left_to_right_problem(std::span<const WordId> source, std::span<const WordId> target) noexcept {
  std::size_t words = 0;
  while (words < target.size() && !grammar::is_nonterminal(target[words])) ++words;
  if (words == 0) return "a target that does not begin with a word";
  for (std::size_t i = words; i < target.size(); ++i)
    if (!grammar::is_nonterminal(target[i])) return "a target with a word behind a nonterminal";
  std::size_t slots = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!grammar::is_nonterminal(source[i])) continue;
    if (i > 0 && grammar::is_nonterminal(source[i - 1])) return "neighbouring nonterminals on the source side";
    const auto pairs = std::count(target.begin(), target.end(), source[i]);
    if (pairs != 1 || grammar::index_of(source[i]) != slots) return "nonterminals that are not paired";
    ++slots;
  }
  return slots == target.size() - words ? nullptr : "nonterminals that are not paired";
}

void LeftToRightSentence::prepare(const LeftToRightSettings& settings, std::size_t number,
                                  std::span<const std::string_view> words, const Request& request,
                                  const std::shared_ptr<const grammar::LayeredView>& table,
                                  std::span<const std::unique_ptr<features::RuleFeature>> rule_features, bool make_up) {
  settings_ = &settings;
  forced_ = !request.constraints.references.empty();
  if (table != sound_table_) sound_.clear();
  sound_table_ = table;
  const bool places_alone = !keeper_.has_others() && std::ranges::all_of(rule_features, [](const auto& feature) {
    return feature->judges_places();
  });
  place_features_ = places_alone ? rule_features : RuleCache::RuleFeatures();
  const RuleCache::RuleFeatures others = places_alone ? RuleCache::RuleFeatures() : rule_features;
  begin(number, words, request.extra, request.marks, table, settings.unknown, settings.hard_syntax,
        settings.option_limit, others);
  for (const auto& feature : place_features_) feature->begin(*this);
  longest_ = settings.max_span == 0 ? length() : std::min(settings.max_span, length());
  shared_options_ = !has_features(others);
  prefix_.begin(local_targets(request.constraints.prefix));
  find_matches();
  cache_.end_of_rules();
  read_references(request.constraints.references);
  make_matches(make_up);
  judge_places();
  make_option_views();
  compute_future();
  known_spans_.assign(std::size_t{length()} * (length() + 1), {0, 0});
  applications_.clear();
  parts_.clear();
}

// All matches, span by span; what their rules bring along is known before the sentence adds its own.
void LeftToRightSentence::find_matches() {
  matched_words_ = source_;
  for (const ExtraOption& option : extra_)
    // No rule may touch the words of an exclusive option; a nonterminal may cover it.
    if (option.policy != OptionPolicy::kInclusive)
      std::fill(matched_words_.begin() + option.start, matched_words_.begin() + option.end, kUnknown);
  all_found_.clear();
  slots_.clear();
  grammar::match_everywhere(
      cache_.table(), matched_words_, longest_,
      [&](std::uint32_t start, std::uint32_t end, grammar::NodeId node, std::span<const grammar::CoveredSpan> covered) {
        if (all_found_.size() % 256 == 0) stop_if_interrupted();
        if (!admits(start, end)) return;
        symbols_.clear();  // what features look at that rank rules
        if (!shared_options_ && !covered.empty()) cache_.table().source(node, symbols_);
        cache_.table().rules_of(node, [&](RuleRange rules) {
          (void)cache_.best({span_of(start, end), rules, symbols_});
          for_each_fitting(rules, [&](grammar::RuleId rule) { (void)cache_.single(rule); });
        });
        all_found_.push_back({span_of(start, end), node, static_cast<std::uint32_t>(slots_.size()),
                              static_cast<std::uint16_t>(covered.size())});
        for (const grammar::CoveredSpan& slot : covered) slots_.push_back(span_of(slot.start, slot.end));
      });
}

void LeftToRightSentence::read_references(std::span<const std::string_view> references) {
  references_.clear();
  for (const std::string_view line : references) references_.add(local_targets(line));
}

void LeftToRightSentence::make_matches(bool make_up_options) {
  matches_.clear();
  groups_.clear();
  orders_.clear();
  known_groups_.clear();
  options_.clear();
  group_of_view_.clear();
  begins_.assign(std::size_t{length()} * longest_ + 1, 0);
  std::vector<Match> lexical;
  const auto add = [&](const Found& found, std::vector<Match>& to) {
    std::uint32_t terminals = found.span.end - found.span.start;
    for (std::uint32_t i = found.first_slot; i < found.first_slot + found.arity; ++i)
      terminals -= slots_[i].end - slots_[i].start;
    const Range groups = groups_of(found);
    for (std::uint32_t group = groups.first; group < groups.last; ++group)
      to.push_back({found.span, group, found.first_slot, found.arity, static_cast<std::uint16_t>(terminals)});
  };
  for (const Found& found : all_found_) {
    if (found.arity == 0) {
      add(found, lexical);
      continue;
    }
    add(found, matches_);
    begins_[std::size_t{found.span.start} * longest_ + (found.span.end - found.span.start - 1u) + 1] =
        static_cast<std::uint32_t>(matches_.size());
  }
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] = std::max(begins_[i], begins_[i - 1]);

  std::vector<bool> known(length());
  for (const Match& match : lexical)
    if (match.terminals == 1) known[match.span.start] = true;
  const auto add_own = [&](std::uint32_t start, std::uint32_t end, bool made_up = false) {
    if (found_.empty()) return;
    add_group({}, RuleEnd::kLexical, grammar::kNoNode, made_up);
    lexical.push_back({span_of(start, end), static_cast<std::uint32_t>(groups_.size() - 1), 0, 0,
                       static_cast<std::uint16_t>(end - start)});
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> extra;
  for (const ExtraOption& option : extra_)
    if (usable(option)) extra.emplace_back(option.start, option.end);
  std::sort(extra.begin(), extra.end());
  extra.erase(std::unique(extra.begin(), extra.end()), extra.end());
  for (const auto& [start, end] : extra) {
    if (end == start + 1) known[start] = true;
    found_.clear();
    add_extra(start, end);
    add_own(start, end);
  }
  for (std::uint32_t at = 0; at < length(); ++at) {
    if (known[at] || blocked(at, at + 1)) continue;
    found_.clear();
    add_unknown(at);
    add_own(at, at + 1);
  }
  if (make_up_options) make_up(prefix_, [&](std::uint32_t start, std::uint32_t end) { add_own(start, end, true); });
  std::stable_sort(lexical.begin(), lexical.end(), [](const Match& a, const Match& b) {
    return a.span.start != b.span.start ? a.span.start < b.span.start : a.span.end < b.span.end;
  });
  lexical_.clear();
  for (const Match& match : lexical) {
    lexical_.push_back(static_cast<std::uint32_t>(matches_.size()));
    matches_.push_back(match);
  }
}

std::string LeftToRightSentence::spell_rule(grammar::NodeId node, grammar::RuleId rule) const {
  std::vector<WordId> symbols;
  cache_.table().source(node, symbols);
  std::vector<std::string_view> words;
  spell_source({0, rule, 0, {0, 0}, symbols, {}}, words);
  std::string text;
  for (const std::string_view word : words) text.append(word).push_back(' ');
  text += "|||";
  for (const WordId word : cache_.table().target(rule)) text.append(" ").append(spell_target(word));
  return text;
}

// A damaged table, or one that lies about its kind, must not lead search astray; each source side is looked at once.
void LeftToRightSentence::require_sound(grammar::NodeId node, std::span<const WordId> source) {
  if (!sound_.insert(node).second) return;
  cache_.table().rules_of(node, [&](RuleRange rules) {
    for (grammar::RuleId rule = rules.first; rule < rules.last; ++rule) {
      const char* problem = left_to_right_problem(source, cache_.table().target(rule));
      if (problem == nullptr) continue;
      sound_.erase(node);
      throw InputError("a rule that cannot be used from left to right, with " + std::string(problem),
                       "'" + spell_rule(node, rule) + "'", "write words first, then nonterminals");
    }
  });
}

// The same groups for another match of their source side: features may judge its place differently.
LeftToRightSentence::Range LeftToRightSentence::copies_of(Range known, const Found& match) {
  const auto made = static_cast<std::uint32_t>(groups_.size());
  for (std::uint32_t number = known.first; number < known.last; ++number) {
    const Group group = groups_[number];
    const auto options = options_.all().subspan(group.first_option, group.options);
    found_.assign(options.begin(), options.end());
    for (Option& option : found_) option.span = match.span;
    const std::vector<std::uint8_t> order(orders_.begin() + group.first_order,
                                          orders_.begin() + group.first_order + group.arity);
    add_group(order, group.end, group.node, false, match.first_slot);
  }
  return {made, static_cast<std::uint32_t>(groups_.size())};
}

// The rules of a source side, those that put its nonterminals into the same order together.
LeftToRightSentence::Range LeftToRightSentence::groups_of(const Found& match) {
  if (const auto known = known_groups_.find(match.node); known != known_groups_.end())
    return shared_options_ ? known->second : copies_of(known->second, match);
  Range made{static_cast<std::uint32_t>(groups_.size()), 0};
  std::vector<WordId> source;
  if (match.arity > 0) cache_.table().source(match.node, source);
  require_sound(match.node, source);
  ranked_.clear();
  cache_.table().rules_of(match.node, [&](RuleRange rules) {
    const auto best = cache_.best({match.span, rules, source});
    ranked_.insert(ranked_.end(), best.begin(), best.end());
  });
  std::size_t limit = settings_->option_limit;
  if (!prefix_.empty()) {
    const std::size_t before = ranked_.size();
    cache_.table().rules_of(match.node, [&](RuleRange rules) {
      for_each_fitting(rules, [&](grammar::RuleId rule) {
        const auto same = [&](const RankedRule& each) { return each.rule == rule; };
        if (std::none_of(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(before), same))
          ranked_.push_back(cache_.single(rule));
      });
    });
    limit = ranked_.size();
  }
  if (forced_)
    std::erase_if(ranked_, [&](const RankedRule& rule) { return !references_.has(cache_.phrase(rule.phrase)); });
  const auto better = [](const RankedRule& a, const RankedRule& b) { return a.estimate > b.estimate; };
  if (!std::is_sorted(ranked_.begin(), ranked_.end(), better)) std::stable_sort(ranked_.begin(), ranked_.end(), better);
  if (ranked_.size() > limit) ranked_.resize(limit);
  std::vector<std::uint8_t> order(match.arity);
  for (std::size_t done = 0; done < ranked_.size();) {
    const auto target = cache_.table().target(ranked_[done].rule);
    const auto slots_of = [&](grammar::RuleId rule) { return cache_.table().target(rule).last(match.arity); };
    const auto first = slots_of(ranked_[done].rule);
    for (std::size_t i = 0; i < match.arity; ++i) order[i] = static_cast<std::uint8_t>(grammar::index_of(first[i]));
    // Those with the same order come first, then the others, both as they stand.
    const auto rest =
        std::stable_partition(ranked_.begin() + static_cast<std::ptrdiff_t>(done), ranked_.end(),
                              [&](const RankedRule& rule) { return std::ranges::equal(slots_of(rule.rule), first); });
    found_.clear();
    for (auto rule = ranked_.begin() + static_cast<std::ptrdiff_t>(done); rule != rest; ++rule)
      found_.push_back({0, match.span, rule->rule, rule->phrase, 0, 0, rule->score, rule->estimate});
    add_group(order, match.arity == 0 ? RuleEnd::kLexical : end_of_rule(source, target), match.node, false,
              match.first_slot);
    done = static_cast<std::size_t>(rest - ranked_.begin());
  }
  made.last = static_cast<std::uint32_t>(groups_.size());
  known_groups_.emplace(match.node, made);
  return made;
}

// `found_` as a group of options.
void LeftToRightSentence::add_group(std::span<const std::uint8_t> order, RuleEnd end, grammar::NodeId node,
                                    bool made_up, std::uint32_t first_slot) {
  if (forced_) std::erase_if(found_, [&](const Option& option) { return !references_.has(target(option)); });
  const auto [first, last] = options_.add_group(found_);
  if (!shared_options_)
    group_of_view_.insert(group_of_view_.end(), last - first, static_cast<std::uint32_t>(groups_.size()));
  groups_.push_back({first, last - first, static_cast<std::uint32_t>(orders_.size()), end, node, made_up, first_slot,
                     static_cast<std::uint32_t>(order.size())});
  orders_.insert(orders_.end(), order.begin(), order.end());
}

void LeftToRightSentence::judge_places() {
  if (place_features_.empty()) return;
  std::vector<features::OptionView> places;
  for (std::uint32_t match = 0; match < matches_.size(); ++match) places.push_back(place_of(match));
  std::vector<features::Fire> sums(places.size(), features::Fire(weights_));
  for (const auto& feature : place_features_) feature->fire(*this, places, sums);
  for (std::size_t match = 0; match < matches_.size(); ++match) matches_[match].place = sums[match].score();
}

void LeftToRightSentence::make_option_views() {
  symbols_.clear();
  symbol_begins_.assign(1, 0);
  if (!shared_options_) {
    std::vector<WordId> source;
    for (const Group& group : groups_) {
      source.clear();
      if (group.node != grammar::kNoNode) {
        cache_.table().source(group.node, source);
      } else if (group.options > 0) {
        const Span span = options_[group.first_option].span;
        source.assign(source_.begin() + span.start, source_.begin() + span.end);
      }
      symbols_.insert(symbols_.end(), source.begin(), source.end());
      symbol_begins_.push_back(static_cast<std::uint32_t>(symbols_.size()));
    }
  }
  make_views(
      shared_options_ ? std::span<const Option>() : options_.all(),
      [this](const Option& option) {
        const std::uint32_t group = group_of_view_[option.id];
        return std::span<const WordId>(symbols_).subspan(symbol_begins_[group],
                                                         symbol_begins_[group + 1] - symbol_begins_[group]);
      },
      [this](const Option& option) {
        return option.rule < kUnknownRule ? std::span<const WordId>(cache_.table().target(option.rule))
                                          : target(option);
      });
  apply_features(options_);
}

void LeftToRightSentence::compute_future() {
  if (forced_) return;  // all that may be written is looked at, whatever it costs
  std::uint32_t longest = 0;
  std::vector<double> best(std::size_t{length()} * (length() + 1), kNever);
  for (const std::uint32_t number : lexical_) {
    const Match& match = matches_[number];
    const Group& group = groups_[match.group];
    if (group.options == 0 || group.made_up) continue;
    double& known = best[std::size_t{match.span.start} * (length() + 1) + match.span.end];
    known = std::max(known, options_[group.first_option].estimate + match.place);
    longest = std::max<std::uint32_t>(longest, match.terminals);
  }
  const bool hierarchical = settings_->future_rules == LeftToRightSettings::FutureRules::kHierarchical;
  if (hierarchical) longest = std::max(longest, longest_);
  future_.compute(
      length(), longest,
      [&](std::uint32_t start, std::uint32_t end) {
        double found = best[std::size_t{start} * (length() + 1) + end];
        if (!hierarchical || end - start > longest_) return found;
        const Range range = matches_of(start, end);
        for (std::uint32_t number = range.first; number < range.last; ++number) {
          const Match& match = matches_[number];
          if (groups_[match.group].options == 0) continue;
          double sum = options_[groups_[match.group].first_option].estimate + match.place;
          for (const Span slot : slots(match)) sum += future_.span(slot.start, slot.end);
          found = std::max(found, sum);
        }
        return found;
      },
      length());
}

std::pair<std::uint32_t, std::uint32_t> LeftToRightSentence::applications(Span span) {
  Range& known = known_spans_[std::size_t{span.start} * (length() + 1) + span.end];
  if (known.last == 0) {
    const auto first = static_cast<std::uint32_t>(applications_.size());
    add_rules(span);
    add_glue(span, {first, static_cast<std::uint32_t>(applications_.size())});
    add_boundary(span);
    known = {first + 1, static_cast<std::uint32_t>(applications_.size()) + 1};  // 0 stands for what is not known
  }
  return {known.first - 1, known.last - 1};
}

void LeftToRightSentence::forget_applications(Span span) {
  applications_.clear();
  parts_.clear();
  known_spans_[std::size_t{span.start} * (length() + 1) + span.end] = {0, 0};
}

void LeftToRightSentence::add_rules(Span span) {
  const auto first = std::partition_point(lexical_.begin(), lexical_.end(), [&](std::uint32_t number) {
    const Span other = matches_[number].span;
    return other.start != span.start ? other.start < span.start : other.end < span.end;
  });
  for (auto number = first; number != lexical_.end() && matches_[*number].span == span; ++number)
    add_application(span, *number, static_cast<std::uint32_t>(parts_.size()), Application::Kind::kRule);
  if (static_cast<std::uint32_t>(span.end - span.start) > longest_) return;
  const Range range = matches_of(span.start, span.end);
  for (std::uint32_t number = range.first; number < range.last; ++number) {
    const auto first_part = static_cast<std::uint32_t>(parts_.size());
    push_parts(matches_[number], slots(matches_[number]).back());
    add_application(span, number, first_part, Application::Kind::kRule);
  }
}

// The nonterminals of a match in target order; the last on the source side may be changed.
void LeftToRightSentence::push_parts(const Match& match, Span last_slot) {
  const auto of_match = slots(match);
  const Group& group = groups_[match.group];
  for (std::uint32_t i = 0; i < match.arity; ++i) {
    const std::uint8_t number = orders_[group.first_order + i];
    parts_.push_back(number + 1 == match.arity ? last_slot : of_match[number]);
  }
}

void LeftToRightSentence::add_glue(Span span, Range regular) {
  const bool only_where_needed = settings_->glue_when == LeftToRightSettings::GlueWhen::kNoRegular;
  // Whether a rule of the table leaves the same parts, in either order: then its source side is the same.
  const auto replaced = [&](std::span<const Span> left) {
    for (std::uint32_t number = regular.first; number < regular.last && only_where_needed; ++number) {
      const auto others = parts(applications_[number]);
      if (others.size() == left.size() && std::ranges::is_permutation(others, left)) return true;
    }
    return false;
  };
  const auto first = std::partition_point(
      lexical_.begin(), lexical_.end(), [&](std::uint32_t number) { return matches_[number].span.start < span.start; });
  for (auto number = first; number != lexical_.end() && matches_[*number].span.start < span.end; ++number) {
    const Span own = matches_[*number].span;
    if (own.end > span.end || own == span) continue;
    const Span before{span.start, own.start}, behind{own.end, span.end};
    const bool has_before = before.start < before.end, has_behind = behind.start < behind.end;
    Span left[2] = {has_before ? before : behind, behind};
    const std::size_t arity = has_before && has_behind ? 2 : 1;
    const bool made_up = groups_[matches_[*number].group].made_up;
    if (!made_up && replaced(std::span(left).first(arity))) continue;
    // What is to be written is looked for in all options, unless there is no glue at all.
    const bool all = made_up || (!prefix_.empty() && settings_->glue_option_limit > 0);
    const std::uint32_t most = all ? ~0u : settings_->glue_option_limit;
    for (std::size_t order = 0; order < arity; ++order) {
      const auto first_part = static_cast<std::uint32_t>(parts_.size());
      parts_.push_back(left[order]);
      if (arity == 2) parts_.push_back(left[1 - order]);
      add_application(span, *number, first_part, Application::Kind::kGlue, most);
    }
  }
}

void LeftToRightSentence::add_boundary(Span span) {
  using Boundary = LeftToRightSettings::RightBoundary;
  const Boundary wanted = settings_->right_boundary;
  if (wanted == Boundary::kNone) return;
  const auto width = static_cast<std::uint32_t>(span.end - span.start);
  for (std::uint32_t size = 1; size <= std::min(width - 1, longest_); ++size) {
    const Range range = matches_of(span.start, span.start + size);
    for (std::uint32_t number = range.first; number < range.last; ++number) {
      const Match& match = matches_[number];
      const RuleEnd end = groups_[match.group].end;
      const bool same = end == RuleEnd::kSame && wanted >= Boundary::kSame;
      // A nonterminal that is last on both sides may just as well cover what follows, too: the rule is then of any
      // length. Of its matches, which differ in how far that nonterminal goes, the longest stands for all.
      if (same && !settings_->split_boundary && (size != longest_ || width <= longest_)) continue;
      if (!same && end != RuleEnd::kWord && !(end == RuleEnd::kOther && wanted == Boundary::kAny)) continue;
      const auto first_part = static_cast<std::uint32_t>(parts_.size());
      if (same && !settings_->split_boundary) {
        push_parts(match, {slots(match).back().start, span.end});
      } else {
        push_parts(match, slots(match).back());
        parts_.push_back({match.span.end, span.end});
      }
      add_application(span, number, first_part, Application::Kind::kBoundary);
    }
  }
}

void LeftToRightSentence::add_application(Span span, std::uint32_t match, std::uint32_t first_part,
                                          Application::Kind kind, std::uint32_t most_options) {
  const Match& of = matches_[match];
  const Group& group = groups_[of.group];
  const auto arity = static_cast<std::uint16_t>(parts_.size() - first_part);
  const std::uint32_t options = std::min(group.options, most_options);
  Application made{group.first_option, options, first_part, arity, of.terminals, kind, false,
                   group.made_up,      0,       0,          span,  match,        0,    0};
  const auto left = std::span<const Span>(parts_).subspan(first_part, arity);
  for (const Span part : left) made.future += future(part);
  if (options == 0 || made.future == kNever) {  // a part that nothing can translate
    parts_.resize(first_part);
    return;
  }
  made.score = of.place;
  if (kind != Application::Kind::kRule) made.score += weight(left_to_right_.glue) - weight(model_.rule_penalty);
  if (kind == Application::Kind::kBoundary && settings_->boundary_feature)
    made.score += weight(left_to_right_.boundary);
  if (settings_->reordering_features) {
    made.reordered = !std::ranges::is_sorted(left, {}, &Span::start);
    made.distortion = features::distortion_of(span, left);
    for (std::size_t i = 0; i + 1 < left.size(); ++i) made.width += left[i].end - left[i].start;
    made.score -= made.distortion * weight(kind == Application::Kind::kRule ? left_to_right_.rule_distortion
                                                                            : left_to_right_.glue_distortion);
    made.score += made.width * weight(left_to_right_.width);
    if (made.reordered) made.score += weight(left_to_right_.reordered);
  }
  applications_.push_back(made);
}

void LeftToRightSentence::application_values(const Application& application, FeatureVector& values) const {
  const auto add = [&](FeatureId feature, double value) {
    if (feature != kNoFeature && value != 0) values.emplace_back(feature, value);
  };
  features::Fire fire(weights_, &values);
  for (const auto& feature : place_features_) feature->fire_values(*this, place_of(application.match), fire);
  if (application.kind == Application::Kind::kBoundary && settings_->boundary_feature) add(left_to_right_.boundary, 1);
  if (!settings_->reordering_features) return;
  add(application.kind == Application::Kind::kRule ? left_to_right_.rule_distortion : left_to_right_.glue_distortion,
      -application.distortion);
  add(left_to_right_.reordered, application.reordered ? 1 : 0);
  add(left_to_right_.width, application.width);
}

void LeftToRightSentence::links_of(const Application& application, const Option& option,
                                   std::vector<forest::Link>& links) const {
  links.clear();
  const auto stored = SentenceOptions::links(option);
  if (stored.empty()) return;
  const Match& match = matches_[application.match];
  const auto shift = static_cast<std::uint16_t>(match.span.start - application.span.start);
  std::vector<std::uint16_t> places;  // of the symbols of the source side
  std::uint16_t at = 0;
  const auto words_to = [&](std::uint16_t end) {
    for (; at < end; ++at) places.push_back(static_cast<std::uint16_t>(at + shift));
  };
  for (const Span slot : slots(match)) {
    words_to(static_cast<std::uint16_t>(slot.start - match.span.start));
    places.push_back(static_cast<std::uint16_t>(at + shift));
    at = static_cast<std::uint16_t>(slot.end - match.span.start);
  }
  words_to(static_cast<std::uint16_t>(match.span.end - match.span.start));
  const std::size_t written = target(option).size();
  for (const grammar::Link link : stored)
    if (link.source < places.size() && link.target < written) links.push_back({places[link.source], link.target});
}

void LeftToRightSentence::own_positions(const Application& application, std::vector<std::uint32_t>& positions) const {
  positions.clear();
  const auto left = parts(application);
  for (std::uint32_t at = application.span.start; at < application.span.end; ++at)
    if (std::none_of(left.begin(), left.end(), [&](Span part) { return part.start <= at && at < part.end; }))
      positions.push_back(at);
}

}  // namespace dragoman::search
