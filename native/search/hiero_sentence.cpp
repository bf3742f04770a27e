#include "search/hiero_sentence.hpp"

#include <algorithm>

#include "common/error.hpp"
#include "common/parallel.hpp"

namespace dragoman::search {

using grammar::DottedMatcher;
using grammar::RuleRange;

void HieroSentence::prepare(const HieroSettings& settings, std::size_t number, std::span<const std::string_view> words,
                            std::span<const ExtraOption> extra, const features::SentenceMarks& marks,
                            const std::shared_ptr<const grammar::LayeredView>& table,
                            std::span<const std::unique_ptr<features::RuleFeature>> rule_features,
                            std::span<const std::string_view> references) {
  settings_ = &settings;
  begin(number, words, extra, marks, table, settings.unknown, settings.hard_syntax, settings.option_limit,
        rule_features);
  ranked_by_features_ = !rule_features.empty();
  const std::uint32_t limit = settings.max_span != 0 ? settings.max_span : hiero_.max_span;
  find_matches(limit);
  cache_.end_of_rules();
  add_options();
  add_references(references);
  show_options(rule_features);
}

// All rules, span by span; nothing is scored yet but the rules themselves.
void HieroSentence::find_matches(std::uint32_t max_span) {
  const auto length = static_cast<std::uint32_t>(words_.size());
  longest_ = max_span == 0 ? length : std::min(max_span, length);
  const std::uint32_t matched = longest_;
  matched_words_ = source_;
  for (const ExtraOption& option : extra_) {
    longest_ = std::max(longest_, option.end - option.start);
    // No rule may touch the words of an exclusive option; a nonterminal may cover it.
    if (option.policy != OptionPolicy::kInclusive)
      std::fill(matched_words_.begin() + option.start, matched_words_.begin() + option.end, kUnknown);
  }
  chart_.clear();
  sources_.clear();
  span_cells_.assign(std::size_t{length} * longest_, {0, 0});
  span_nonterminals_.assign(std::size_t{length} * longest_, {0, 0});
  nonterminals_.clear();
  read_nodes();
  tops_.assign(length + 1, kNoCell);
  matcher_.begin(cache_.table(), matched_words_, matched);
  for (std::uint32_t start = length; start-- > 0;) {
    matcher_.start(start);
    for (std::uint32_t end = start + 1; end <= length; ++end) {
      stop_if_interrupted();
      if (end - start <= longest_) fill_span(start, end, end <= matcher_.last_end(start));
      if (start == 0)
        fill_top(end);
      else if (end - start >= longest_)
        break;
    }
  }
}

// What syntax calls the spans of the sentence, as far as rules know the names.
void HieroSentence::read_nodes() {
  nodes_.clear();
  node_labels_.clear();
  if (!hiero_.labels.has_names()) return;
  for (const features::LabelledSpan& node : marks().nodes) {
    if (node.start >= node.end || node.end > words_.size() || node.end - node.start > longest_) continue;
    for (const WordId label : hiero_.labels.named(node.label)) nodes_.push_back({place(node.start, node.end), label});
  }
  std::sort(nodes_.begin(), nodes_.end(), [](const NodeLabel& a, const NodeLabel& b) {
    return a.place != b.place ? a.place < b.place : a.label < b.label;
  });
  const auto same = [](const NodeLabel& a, const NodeLabel& b) { return a.place == b.place && a.label == b.label; };
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end(), same), nodes_.end());
  for (const NodeLabel& node : nodes_) node_labels_.push_back(node.label);
}

std::span<const WordId> HieroSentence::names(std::uint32_t start, std::uint32_t end) const noexcept {
  const auto [first, last] = std::equal_range(nodes_.begin(), nodes_.end(), NodeLabel{place(start, end), 0},
                                              [](const NodeLabel& a, const NodeLabel& b) { return a.place < b.place; });
  return std::span(node_labels_)
      .subspan(static_cast<std::size_t>(first - nodes_.begin()), static_cast<std::size_t>(last - first));
}

// A cell of the span is there: these nonterminals may cover it from now on.
void HieroSentence::open_nonterminals(std::uint32_t cell, std::uint32_t start, std::uint32_t end) {
  const auto free = hiero_.labels.free(cell);
  nonterminals_.insert(nonterminals_.end(), free.begin(), free.end());
  for (const WordId label : names(start, end))
    if (hiero_.labels.cell(label) == cell) nonterminals_.push_back(label);
  span_nonterminals_[place(start, end)].second = static_cast<std::uint32_t>(nonterminals_.size());
}

CellId HieroSentence::find(std::uint32_t label, std::uint32_t start, std::uint32_t end) const noexcept {
  if (end - start > longest_) return kNoCell;
  const auto [first, last] = span_cells_[place(start, end)];
  for (CellId cell = first; cell < last; ++cell)
    if (chart_[cell].label == label) return cell;
  return kNoCell;
}

void HieroSentence::add_pending(Span span, std::span<const DottedMatcher::Match> matches) {
  if (!admits(span.start, span.end)) return;
  for (const DottedMatcher::Match& match : matches) {
    matcher_.nonterminals(match, spans_);
    tail_cells_.clear();
    for (const grammar::CoveredSpan& part : spans_)
      tail_cells_.push_back(find(hiero_.labels.cell(part.label), part.start, part.end));
    symbols_.clear();  // what features look at that rank rules
    if (ranked_by_features_) cache_.table().source(match.node, symbols_);
    const std::uint32_t first_tail = chart_.add_tails(tail_cells_);
    const auto arity = static_cast<std::uint32_t>(tail_cells_.size());
    // A word alone must stay translatable whatever it is called.
    const bool checked = settings_->check_left_hand_sides && span.end - span.start > 1;
    const bool alike = hiero_.labels.one_cell() && !checked;
    const WordId any[] = {RuleCache::kAnyLabel};
    cache_.table().rules_of(match.node, [&](RuleRange rules) {
      for (const WordId label : alike ? std::span<const WordId>(any) : cache_.labels(rules)) {
        const WordId derives = alike || label == 0 ? hiero_.default_label : hiero_.labels.cell(label);
        if (checked && !hiero_.labels.is_free(label) && !std::ranges::binary_search(names(span.start, span.end), label))
          continue;
        const std::uint32_t rank = derives < hiero_.label_ranks.size() ? hiero_.label_ranks[derives] : 0;
        // All that rules bring along is known before the sentence adds its own.
        (void)cache_.best({span, rules, symbols_}, label);
        pending_.push_back({derives, rank, {Origin::kRules, label, match.node, rules}, first_tail, arity});
      }
    });
  }
}

void HieroSentence::fill_span(std::uint32_t start, std::uint32_t end, bool match) {
  pending_.clear();
  if (match)
    add_pending(span_of(start, end), matcher_.extend([this](std::uint32_t from, std::uint32_t to) {
      if (to - from > longest_) return std::span<const WordId>{};
      const auto [first, last] = span_nonterminals_[place(from, to)];
      return std::span<const WordId>(nonterminals_).subspan(first, last - first);
    }));
  const WordId label = hiero_.default_label;
  const std::uint32_t rank = label < hiero_.label_ranks.size() ? hiero_.label_ranks[label] : 0;
  const bool known = !pending_.empty();
  const bool extra = std::any_of(extra_.begin(), extra_.end(), [&](const ExtraOption& option) {
    return option.start == start && option.end == end && usable(option);
  });
  if (extra) pending_.push_back({label, rank, {Origin::kExtra, 0, grammar::kNoNode, {start, end}}, 0, 0});
  if (end == start + 1 && !known && !extra && !blocked(start, end))
    pending_.push_back({label, rank, {Origin::kUnknown, 0, grammar::kNoNode, {start, end}}, 0, 0});

  auto& cells = span_cells_[place(start, end)];
  cells = {static_cast<CellId>(chart_.size()), static_cast<CellId>(chart_.size())};
  const auto opened = static_cast<std::uint32_t>(nonterminals_.size());
  span_nonterminals_[place(start, end)] = {opened, opened};
  std::uint32_t done = 0;  // ranks below this are filled
  while (true) {
    const Pending* next = nullptr;
    for (const Pending& each : pending_)
      if (each.rank >= done && (next == nullptr || each.rank < next->rank)) next = &each;
    if (next == nullptr) break;
    done = next->rank + 1;
    const std::uint32_t filled = next->label;
    chart_.add_cell(filled, start, end, false);
    for (const Pending& each : pending_)
      if (each.label == filled) add_bundle(each.source, each.first_tail, each.arity);
    cells.second = static_cast<CellId>(chart_.size());
    std::size_t next_nonterminal = nonterminals_.size();
    open_nonterminals(filled, start, end);
    for (; match && next_nonterminal < nonterminals_.size(); ++next_nonterminal)
      add_pending(span_of(start, end), matcher_.cover(nonterminals_[next_nonterminal]));
  }
  if (match) matcher_.close();
}

// The glue: a beginning of the sentence from one cell, or from a shorter beginning and a cell.
void HieroSentence::fill_top(std::uint32_t end) {
  CellId top = kNoCell;
  for (std::uint32_t middle = end - std::min(end, longest_); middle < end; ++middle) {
    if (middle > 0 && tops_[middle] == kNoCell) continue;
    const auto [first, last] = span_cells_[place(middle, end)];
    for (CellId cell = first; cell < last; ++cell) {
      tail_cells_.clear();
      if (middle > 0) tail_cells_.push_back(tops_[middle]);
      tail_cells_.push_back(cell);
      const std::uint32_t first_tail = chart_.add_tails(tail_cells_);
      if (top == kNoCell) top = chart_.add_cell(kTopLabel, 0, end, true);
      add_bundle({Origin::kGlue, 0, grammar::kNoNode, {}}, first_tail, static_cast<std::uint32_t>(tail_cells_.size()));
    }
  }
  tops_[end] = top;
}

void HieroSentence::add_bundle(const Source& source, std::uint32_t first_tail, std::uint32_t arity) {
  chart_.add_bundle({0, 0, first_tail, arity});
  sources_.push_back(source);
}

void HieroSentence::add_options() {
  options_.clear();
  const auto spelling = [this](WordId word) { return spell_target(word); };
  const WordId glued[2] = {grammar::nonterminal(hiero_.default_label, 0),
                           grammar::nonterminal(hiero_.default_label, 1)};
  extender_.next_opens = true;
  const std::uint32_t opening = cache_.add_phrase(std::span(glued).first(1), spelling);
  const std::uint32_t joining = cache_.add_phrase(glued, spelling);
  for (CellId id = 0; id < chart_.size(); ++id) {
    const ChartCell& cell = chart_[id];
    const Span span = span_of(cell.start, cell.end);
    for (std::uint32_t number = cell.first_bundle; number < cell.first_bundle + cell.bundles; ++number) {
      const Bundle& bundle = chart_.bundles()[number];
      const Source& source = sources_[number];
      found_.clear();
      switch (source.origin) {
        case Origin::kRules:
          for (const RankedRule& best : cache_.best({span, source.rules, {}}, source.label))
            add_option({0, span, best.rule, best.phrase, best.row, 0, best.score, best.estimate}, bundle);
          break;
        case Origin::kExtra:
          add_extra(cell.start, cell.end);
          break;
        case Origin::kUnknown:
          add_unknown(cell.start);
          break;
        case Origin::kGlue: {
          const double score = bundle.arity == 2 ? weight(hiero_.glue) : 0;
          found_.push_back({0, span, kGlueRule + bundle.arity - 1, bundle.arity == 2 ? joining : opening,
                            ChartExtender::kNoRow, 0, score, score});
        }
      }
      const auto [first, last] = options_.add_group(found_);
      chart_.set_options(number, first, last - first);
    }
  }
}

// An option of the table, with what depends on the widths of its nonterminals.
void HieroSentence::add_option(const Option& option, const Bundle& bundle) {
  found_.push_back(option);
  if (option.orientation == ChartExtender::kNoRow) return;
  const features::RuleReordering& reordering = extender_.reordering(option.orientation);
  const auto tails = chart_.tails(bundle);
  const auto widths = [&](std::size_t i) { return width(tails[i]); };
  const double more = -weight(hiero_.reordering.distortion) * reordering.distortion(widths) +
                      weight(hiero_.reordering.width) * reordering.before_last(widths) +
                      (reordering.reordered ? weight(hiero_.reordering.reordered) : 0);
  found_.back().score += more;
  found_.back().estimate += more;
}

const Bundle& HieroSentence::bundle_of(std::uint32_t number) const noexcept {
  const auto bundles = chart_.bundles();
  const auto after =
      std::upper_bound(bundles.begin(), bundles.end(), number,
                       [](std::uint32_t wanted, const Bundle& bundle) { return wanted < bundle.first_option; });
  return *(after - 1);
}

template <typename Use>
void HieroSentence::for_each_symbol(const Bundle& bundle, const Use& use) const {
  const Source& source = source_of(bundle);
  const Span span = options_[bundle.first_option].span;
  std::uint32_t at = span.start;
  if (source.origin != Origin::kRules) {
    for (const CellId tail : chart_.tails(bundle)) {
      use(grammar::nonterminal(chart_[tail].label, 0), at);
      at += width(tail);
    }
    for (; at < span.end; ++at) use(source_[at], at);
    return;
  }
  std::vector<WordId> symbols;
  cache_.table().source(source.node, symbols);
  std::size_t tail = 0;
  for (const WordId symbol : symbols) {
    use(symbol, at);
    at += grammar::is_nonterminal(symbol) ? width(chart_.tails(bundle)[tail++]) : 1;
  }
}

void HieroSentence::show_options(std::span<const std::unique_ptr<features::RuleFeature>> rule_features) {
  symbols_.clear();
  symbol_begins_.clear();
  bundle_of_view_.clear();
  gaps_.clear();
  std::span<const Option> shown;
  if (has_features(rule_features)) {
    shown = options_.all();
    for (std::uint32_t number = 0; number < chart_.bundles().size(); ++number) {
      const Bundle& bundle = chart_.bundles()[number];
      symbol_begins_.push_back(static_cast<std::uint32_t>(symbols_.size()));
      for_each_symbol(bundle, [&](WordId symbol, std::uint32_t) { symbols_.push_back(symbol); });
      bundle_of_view_.insert(bundle_of_view_.end(), bundle.options, number);
    }
    symbol_begins_.push_back(static_cast<std::uint32_t>(symbols_.size()));
    for (const CellId tail : chart_.tails()) gaps_.push_back(span_of(chart_[tail].start, chart_[tail].end));
  }
  make_views(
      shown,
      [this](const Option& option) {
        const std::uint32_t bundle = bundle_of_view_[option.id];
        return std::span<const WordId>(symbols_).subspan(symbol_begins_[bundle],
                                                         symbol_begins_[bundle + 1] - symbol_begins_[bundle]);
      },
      [this](const Option& option) { return target(option); });
  apply_features(options_);
}

void HieroSentence::add_references(std::span<const std::string_view> references) {
  std::vector<std::vector<WordId>> ids;
  for (const std::string_view line : references) {
    ids.emplace_back();
    for_each_token(line, [&](std::string_view token) { ids.back().push_back(local_target(token)); });
  }
  extender_.constraint.begin(std::move(ids));
}

void HieroSentence::option_values(std::uint32_t number, FeatureVector& values) const {
  const Option& option = options_[number];
  if (is_glue(option.rule)) {
    if (option.rule != kGlueRule && hiero_.glue != kNoFeature) values.emplace_back(hiero_.glue, 1);
    fired_values(option, values);
    return;
  }
  SentenceOptions::option_values(option, hiero_.rule_penalty, values);
  if (option.orientation == ChartExtender::kNoRow) return;
  const features::RuleReordering& reordering = extender_.reordering(option.orientation);
  const auto tails = chart_.tails(bundle_of(number));
  const auto widths = [&](std::size_t i) { return width(tails[i]); };
  const auto add = [&](FeatureId feature, double value) {
    if (feature != kNoFeature && value != 0) values.emplace_back(feature, value);
  };
  add(hiero_.reordering.distortion, -reordering.distortion(widths));
  add(hiero_.reordering.width, reordering.before_last(widths));
  add(hiero_.reordering.reordered, reordering.reordered ? 1 : 0);
}

void HieroSentence::option_links(std::uint32_t number, std::vector<forest::Link>& links) const {
  const Option& option = options_[number];
  links.clear();
  const auto stored = SentenceOptions::links(option);
  if (stored.empty()) return;
  std::vector<std::uint16_t> places;
  for_each_symbol(bundle_of(number), [&](WordId, std::uint32_t at) {
    places.push_back(static_cast<std::uint16_t>(at - option.span.start));
  });
  for (const grammar::Link link : stored)
    if (link.source < places.size()) links.push_back({places[link.source], link.target});
}

void HieroSentence::own_positions(std::uint32_t number, std::vector<std::uint32_t>& positions) const {
  positions.clear();
  for_each_symbol(bundle_of(number), [&](WordId symbol, std::uint32_t at) {
    if (!grammar::is_nonterminal(symbol)) positions.push_back(at);
  });
}

}  // namespace dragoman::search
