#include "features/previous_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/hash.hpp"
#include "features/feature_name.hpp"
#include "features/rule_templates.hpp"

namespace dragoman::features {
namespace {

constexpr std::array<std::string_view, 4> kClassNames = {"monotone", "swap", "discontinuous", "nonmonotone"};
constexpr int kNonmonotone = 3;
constexpr std::string_view kStart = "<s>", kEnd = "</s>";
constexpr double kUnknownScore = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<double, 3> kUnknownScores = {kUnknownScore, kUnknownScore, kUnknownScore};
constexpr std::size_t kMostSpellings = 1u << 18;  // remembered per thread
constexpr std::string_view kGap = "[X]";          // among tags

// From the first to the last own word of an option; all of it if it has none.
Span own_words(Span span, std::span<const Span> gaps) {
  Span own = span;
  for (const Span gap : gaps)
    if (gap.start == own.start) own.start = gap.end;
  for (std::size_t i = gaps.size(); i-- > 0;)
    if (gaps[i].end == own.end) own.end = gaps[i].start;
  return own.start < own.end ? own : span;
}

}  // namespace

PreviousRuleFeature::Memory::Memory() : rules(Rule{kUnknownScores, kUnspelt}), named(Slice{0, kUnnamed}, 2 * kOrders) {}

PreviousRuleFeature::PreviousRuleFeature(std::shared_ptr<PreviousRuleTemplates> shared) : shared_(std::move(shared)) {
  for (const SparseOrientation& made : shared_->settings.orientations) {
    credits_next_ = credits_next_ || made.next;
    per_domain_ = per_domain_ || made.per_domain;
  }
}

void PreviousRuleFeature::begin(const SentenceView& sentence, std::span<const OptionView> options) {
  const PreviousRuleSettings& settings = shared_->settings;
  sentence_ = &sentence;
  options_ = options;
  domain_ = shared_->domains->of(sentence);
  tagged_ = !settings.tag_prefix.empty() && sentence.marks().tags.size() == sentence.words().size();
  states_.clear();
  tag_rows_.clear();
  after_.assign(options.size(), kNoState);
  in_domain_.assign(options.size(), 0);
  places_.clear();
  if (sentence.has_gaps())
    for (const OptionView& option : options) places_.push_back(own_words(option.span, sentence.gaps(option)));
  const std::size_t jumps = 2 * sentence.words().size() + 1;
  if (jump_scores_.size() < jumps) jump_scores_.assign(jumps, kUnknownScore);

  const std::size_t place = per_domain_ ? domain_ : 0;
  if (memories_.size() <= place) memories_.resize(place + 1);
  if (!memories_[place]) memories_[place] = std::make_unique<Memory>();
  memory_ = memories_[place].get();
  if (memory_->spellings.size() > kMostSpellings || memory_->ids.size() > kMostIds) *memory_ = Memory();
  memory_->rules.begin(sentence);
  memory_->named.begin(sentence);

  if (!settings.adjacent_prefix.empty() && domain_ != 0) {
    std::string name = settings.adjacent_prefix + ":rules";
    adjacent_ids_[0] = shared_->names->intern(name);
    name += '@';
    append_token(name, shared_->domains->name(domain_));
    adjacent_ids_[1] = shared_->names->intern(name);
    for (const OptionView& option : options)
      in_domain_[option.id] = shared_->domains->marks(domain_, option.rule, *shared_->table) ? 1 : 0;
  }
}

StateId PreviousRuleFeature::intern(const State& state) {
  const std::uint64_t span = std::uint64_t{state.last.start} << 16 | state.last.end;
  return states_.intern(state, combine(combine(combine(span, state.spelling), state.in_domain), state.tags));
}

// The spelling of a rule where some template credits it with what follows: rules that no template tells apart have one.
std::uint32_t PreviousRuleFeature::spelling_of(const OptionView& option) {
  if (!credits_next_) return kNoSpelling;
  std::uint32_t& known = memory_->rules[option].spelling;
  if (known != kUnspelt) return known;
  std::vector<FeatureId> spelling;
  bool credited = false;
  for (std::size_t i = 0; i < shared_->settings.orientations.size(); ++i) {
    if (!shared_->settings.orientations[i].next) continue;
    spelling.push_back(orientation_id(i, option, true, 0, false));
    credited = credited || spelling.back() != 0;
  }
  if (!credited) return known = kNoSpelling;
  known = memory_->spellings.intern(spelling, hash_bytes(spelling.data(), spelling.size() * sizeof(FeatureId)),
                                    [&](std::uint32_t) { memory_->scores.push_back(kUnknownScores); });
  return known;
}

StateId PreviousRuleFeature::after(const OptionView& option) {
  StateId& known = after_[option.id];
  if (known != kNoState) return known;
  // Search compares where the last rule ended in any case; where it began matters to orientations and tags alone.
  const bool needs_start = !shared_->settings.orientations.empty() || tagged_;
  const Span at = place(option);
  const Span last{needs_start ? at.start : std::uint16_t{0}, at.end};
  const std::uint32_t tags = tagged_ && !sentence_->gaps(option).empty() ? tags_of(option) : 0;
  return known = intern({last, spelling_of(option), in_domain_[option.id], tags, option.id});
}

PreviousRuleFeature::Order PreviousRuleFeature::order_of(Span previous, Span span) noexcept {
  if (span.start == previous.end) return Order::kMonotone;
  return previous.end != 0 && span.end == previous.start ? Order::kSwap : Order::kDiscontinuous;
}

FeatureId PreviousRuleFeature::orientation_id(std::size_t index, const OptionView& option, bool next, int order_class,
                                              bool of_domain) {
  const SparseOrientation& made = shared_->settings.orientations[index];
  const bool from_table = option.rule != kNoRule;
  // Most rules are too rare for a template that asks for their count; they need not be looked up.
  const bool counts = made.words.min_count > 0 && from_table;
  if (!made.words.admits(from_table, counts ? static_cast<double>(shared_->table->joint_count(option.rule)) : 0))
    return 0;
  const auto spelt = [&]() -> FeatureId {
    const RuleText text = spell(option, *sentence_, *shared_->table);
    std::string name = made.prefix + (next ? ":next." : ":previous.");
    name += kClassNames[static_cast<std::size_t>(order_class)];
    name += ':';
    name += spell_rule(text, made.words);
    if (of_domain) {
      name += '@';
      append_token(name, shared_->domains->name(domain_));
    }
    return shared_->names->intern(name);
  };
  if (!from_table) return spelt();
  const std::uint64_t slot =
      ((index * 2 + (next ? 1 : 0)) * 4 + static_cast<std::size_t>(order_class)) << 8 | (of_domain ? domain_ : 0);
  return shared_->orientation_ids.get(slot << 32 | option.rule, spelt);
}

std::span<const FeatureId> PreviousRuleFeature::order_ids(const OptionView& option, Order order, bool next) {
  std::vector<FeatureId>& ids = memory_->ids;
  Slice& known = memory_->named.row(option)[(next ? kOrders : 0) + static_cast<std::size_t>(order)];
  if (known.end == kUnnamed) {
    known.begin = static_cast<std::uint32_t>(ids.size());
    const auto& orientations = shared_->settings.orientations;
    for (std::size_t i = 0; i < orientations.size(); ++i) {
      const SparseOrientation& made = orientations[i];
      if (!(next ? made.next : made.previous)) continue;
      const auto add_class = [&](int order_class) {
        const FeatureId id = orientation_id(i, option, next, order_class, false);
        if (id == 0) return;
        ids.push_back(id);
        if (made.per_domain && domain_ != 0) ids.push_back(orientation_id(i, option, next, order_class, true));
      };
      if (order == Order::kMonotone || !made.coarse) add_class(static_cast<int>(order));
      if (order != Order::kMonotone) add_class(kNonmonotone);
    }
    known.end = static_cast<std::uint32_t>(ids.size());
  }
  return std::span(ids).subspan(known.begin, known.end - known.begin);
}

double PreviousRuleFeature::order_score(const OptionView& option, Order order, bool next) {
  Fire fire(sentence_->weights());
  for (const FeatureId id : order_ids(option, order, next)) fire(id, 1);
  return fire.score();
}

void PreviousRuleFeature::fire_jump(int jump, Fire& fire) {
  const std::string& prefix = shared_->settings.jump_prefix;
  const auto key = static_cast<std::uint64_t>(jump + 0x100000);
  fire(shared_->jump_ids.get(key, [&] { return shared_->names->intern(prefix + ":" + std::to_string(jump)); }), 1);
  if (jump == 0) return;
  const bool positive = jump > 0;
  fire(shared_->jump_ids.get(positive ? 1 : 0,
                             [&] { return shared_->names->intern(prefix + (positive ? ":positive" : ":negative")); }),
       1);
}

double PreviousRuleFeature::jump_score(int jump) {
  double& known = jump_scores_[static_cast<std::size_t>(jump + static_cast<int>(jump_scores_.size() / 2))];
  if (std::isnan(known)) {
    Fire fire(sentence_->weights());
    fire_jump(jump, fire);
    known = fire.score();
  }
  return known;
}

// Tags of its own words; what stands in its gaps is one sign.
std::uint32_t PreviousRuleFeature::tags_of(const OptionView& option) {
  const auto gaps = sentence_->gaps(option);
  const Span span = place(option);
  const std::uint32_t key = gaps.empty() ? std::uint32_t{span.start} << 16 | span.end : ~option.id;
  const auto [found, fresh] = tag_rows_.try_emplace(key);
  if (!fresh) return found->second;
  std::string text;
  for (std::size_t position = span.start; position < span.end; ++position) {
    if (position != span.start) text += '_';
    const auto gap = std::ranges::find_if(gaps, [&](Span each) { return each.start == position; });
    if (gap != gaps.end()) {
      text += kGap;
      position = gap->end - 1u;
    } else {
      append_token(text, sentence_->marks().tags[position]);
    }
  }
  return found->second = shared_->tag_sequences.intern(text);
}

FeatureId PreviousRuleFeature::tag_id(bool next, std::uint32_t first, std::uint32_t second) {
  return shared_->tag_ids.get(std::uint64_t{first} << 32 | std::uint64_t{second} << 1 | (next ? 1u : 0u), [&] {
    return shared_->names->intern(shared_->settings.tag_prefix + (next ? ":next." : ":previous.") +
                                  shared_->tag_sequences.name(first) + ">" + shared_->tag_sequences.name(second));
  });
}

// All but the orientations, whose sums are known.
void PreviousRuleFeature::fire_others(const State& state, const OptionView& option, Fire& fire) {
  const PreviousRuleSettings& settings = shared_->settings;
  const bool first = state.last.end == 0;
  if (!settings.jump_prefix.empty()) {
    const int start = place(option).start;
    const int jump = first ? start : static_cast<int>(state.last.end) - start;
    if (fire.wants_values())
      fire_jump(jump, fire);
    else
      fire.add_sum(jump_score(jump));
  }
  if (tagged_) {
    const std::uint32_t before = first ? shared_->tag_sequences.intern(kStart) : tags_of(options_[state.option]);
    const std::uint32_t after = tags_of(option);
    if (settings.tag_previous) fire(tag_id(false, before, after), 1);
    if (settings.tag_next && !first) fire(tag_id(true, before, after), 1);
  }
  if (state.in_domain != 0 && in_domain_[option.id] != 0)
    for (const FeatureId id : adjacent_ids_) fire(id, 1);
}

StateId PreviousRuleFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  const State& state = states_[from];
  if (!shared_->settings.orientations.empty()) {
    const Order order = order_of(state.last, place(option));
    const auto add = [&](const OptionView& credited, bool next, Scores& known) {
      if (fire.wants_values()) {
        for (const FeatureId id : order_ids(credited, order, next)) fire(id, 1);
        return;
      }
      double& score = known[static_cast<std::size_t>(order)];
      if (std::isnan(score)) [[unlikely]]
        score = order_score(credited, order, next);
      fire.add_sum(score);
    };
    add(option, false, memory_->rules[option].scores);
    if (state.spelling != kNoSpelling) add(options_[state.option], true, memory_->scores[state.spelling]);
  }
  fire_others(state, option, fire);
  return after(option);
}

void PreviousRuleFeature::finish(StateId from, Fire& fire) {
  const State state = states_[from];
  if (tagged_ && shared_->settings.tag_next && state.last.end != 0)
    fire(tag_id(true, tags_of(options_[state.option]), shared_->tag_sequences.intern(kEnd)), 1);
}

}  // namespace dragoman::features
