#include "features/target_context.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/hash.hpp"
#include "features/feature_name.hpp"

namespace dragoman::features {
namespace {

constexpr std::size_t kMostSteps = 1u << 18;  // remembered per thread

[[nodiscard]] std::uint64_t hash_of(const std::vector<std::uint32_t>& numbers) noexcept {
  return hash_bytes(numbers.data(), numbers.size() * sizeof(std::uint32_t));
}

}  // namespace

TargetContextTemplates::TargetContextTemplates(std::vector<TargetNgrams> templates,
                                               std::shared_ptr<FeatureNames> feature_names, VocabularyView target_words)
    : ngrams(std::move(templates)), names(std::move(feature_names)), known_words(target_words.size()) {
  for (std::uint32_t index = 0; index < ngrams.size(); ++index) {
    const TargetNgrams& made = ngrams[index];
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.classes == made.classes; });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), Group{made.classes, {}, {}, 0});
      if (made.classes)
        for (std::size_t word = 0; word < known_words; ++word)
          group->units.push_back(made.classes->of(target_words.word(static_cast<WordId>(word))));
    }
    group->members.push_back(index);
    group->context = std::max<std::size_t>(group->context, made.order - 1);
    context = std::max(context, group->context);
  }
}

TargetContextFeature::TargetContextFeature(std::shared_ptr<TargetContextTemplates> shared)
    : shared_(std::move(shared)),
      rules_(Rule{std::numeric_limits<double>::quiet_NaN(), 0, kNoState}),
      known_(shared_->groups.size()),
      named_(shared_->groups.size()),
      named_rules_(Slice{0, kUnnamed}) {
  states_.reset(shared_->groups.size());
}

void TargetContextFeature::forget() {
  rules_.forget();
  named_rules_.forget();
  contexts_known_.clear();
  openings_.clear();
  states_.reset(shared_->groups.size());
  for (Memo& steps : known_) steps.clear();
  for (Memo& steps : named_) steps.clear();
  slices_.clear();
  ids_.clear();
}

void TargetContextFeature::begin(const SentenceView& sentence, std::span<const OptionView>) {
  std::size_t steps = 0;
  for (const Memo& some : known_) steps += some.size();
  if (steps > kMostSteps || ids_.size() > kMostIds) forget();
  extensions_.clear();
  named_extensions_.clear();
  outer_slices_.clear();
  outer_ids_.clear();
  sentence_ = &sentence;
  rules_.begin(sentence);
  named_rules_.begin(sentence);
}

TargetContextTemplates::Unit TargetContextTemplates::unit(const SentenceView& sentence, const Group& group,
                                                          WordId word) const {
  const bool known = word < known_words;
  if (group.classes) return known ? group.units[word] : group.classes->of(sentence.spell_target(word));
  return known ? word : kUnknown;
}

// Marks are written as they are: a word that looks like one is not, since its `>` is coded.
void TargetContextTemplates::append_unit(const SentenceView& sentence, std::string& name, const Classes& classes,
                                         Unit unit) {
  if (unit == kStart)
    name += "<s>";
  else if (unit == kEnd)
    name += "</s>";
  else if (classes)
    append_token(name, classes->name(unit));
  else if (unit == kUnknown)
    name += "<unk>";
  else
    append_token(name, sentence.spell_target(unit));
}

FeatureId TargetContextTemplates::ngram_id(const SentenceView& sentence, std::uint32_t index,
                                           std::span<const Unit> ngram) {
  std::uint32_t chain = index;  // templates, then their beginnings, one unit at a time
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < ngram.size(); ++i) {
    key = std::uint64_t{chain} << 32 | ngram[i];
    if (i + 1 < ngram.size())
      chain = chains.get(key, [&] { return next_chain.fetch_add(1) + static_cast<std::uint32_t>(ngrams.size()); });
  }
  return ids.get(key, [&] {
    const TargetNgrams& made = ngrams[index];
    std::string name = made.prefix + ":";
    for (std::size_t i = 0; i < ngram.size(); ++i) {
      if (i != 0) name += '_';
      append_unit(sentence, name, made.classes, ngram[i]);
    }
    return names->intern(name);
  });
}

// Contexts of all groups share one numbering: the group stands before the units.
TargetContextFeature::ContextId TargetContextFeature::context_of(std::size_t group, std::span<const Unit> units) {
  std::vector<Unit> key{static_cast<Unit>(group)};
  key.insert(key.end(), units.begin(), units.end());
  return contexts_known_.intern(key, hash_of(key));
}

// Calls use(feature) for the n-grams that end with a step; `window_` are then the units that they were taken from.
template <typename Use>
void TargetContextFeature::for_each_ngram(const Step& step, const Use& use) {
  window_.assign(contexts_known_[step.from].begin() + 1, contexts_known_[step.from].end());
  window_.push_back(step.unit);
  for (const std::uint32_t index : shared_->groups[step.group].members) {
    const TargetNgrams& ngrams = shared_->ngrams[index];
    if ((ngrams.boundary_only && !step.first) || (step.unit == kEnd && ngrams.order == 1)) continue;
    use(shared_->ngram_id(*sentence_, index, std::span<const Unit>(window_).last(ngrams.order)));
  }
}

const TargetContextFeature::Known& TargetContextFeature::known(const Step& step) {
  const StateId from = step.from << 1 | (step.first ? 1u : 0u);
  return known_[step.group].get(from, step.unit, [&](double& score, ContextId& next) {
    Fire fire(sentence_->weights());
    for_each_ngram(step, [&](FeatureId id) { fire(id, 1); });
    score = fire.score();
    next = context_of(step.group, std::span<const Unit>(window_).last(shared_->groups[step.group].context));
  });
}

TargetContextFeature::Slice TargetContextFeature::ids(const Step& step) {
  const StateId from = step.from << 1 | (step.first ? 1u : 0u);
  const Known& found = named_[step.group].get(from, step.unit, [&](double&, std::uint32_t& number) {
    number = static_cast<std::uint32_t>(slices_.size());
    const auto begin = static_cast<std::uint32_t>(ids_.size());
    for_each_ngram(step, [&](FeatureId id) { ids_.push_back(id); });
    slices_.push_back({begin, static_cast<std::uint32_t>(ids_.size())});
  });
  return slices_[found.next];
}

std::span<const FeatureId> TargetContextFeature::outer_ids(StateId from, const Rule& rule) {
  const Known& found = named_extensions_.get(from, rule.opening, [&](double&, std::uint32_t& number) {
    number = static_cast<std::uint32_t>(outer_slices_.size());
    const auto begin = static_cast<std::uint32_t>(outer_ids_.size());
    open(from, rule, [&](const Step& step, const Known&) {
      const Slice slice = ids(step);
      outer_ids_.insert(outer_ids_.end(), ids_.begin() + slice.begin, ids_.begin() + slice.end);
    });
    outer_slices_.push_back({begin, static_cast<std::uint32_t>(outer_ids_.size())});
  });
  const Slice slice = outer_slices_[found.next];
  return std::span(outer_ids_).subspan(slice.begin, slice.end - slice.begin);
}

std::span<const FeatureId> TargetContextFeature::inner_ids(const OptionView& option) {
  Slice& known = named_rules_[option];
  if (known.end == kUnnamed) {
    std::vector<FeatureId> found;
    go_on(option, [&](const Step& step, const Known&) {
      const Slice slice = ids(step);
      found.insert(found.end(), ids_.begin() + slice.begin, ids_.begin() + slice.end);
    });
    known.begin = static_cast<std::uint32_t>(ids_.size());
    ids_.insert(ids_.end(), found.begin(), found.end());
    known.end = static_cast<std::uint32_t>(ids_.size());
  }
  return std::span(ids_).subspan(known.begin, known.end - known.begin);
}

StateId TargetContextFeature::start() {
  contexts_.clear();
  for (std::size_t group = 0; group < shared_->groups.size(); ++group) {
    units_.assign(shared_->groups[group].context, kStart);
    contexts_.push_back(context_of(group, units_));
  }
  return states_.intern(contexts_);
}

const TargetContextFeature::Rule& TargetContextFeature::known(const OptionView& option) {
  Rule& rule = rules_[option];
  if (!std::isnan(rule.inner)) return rule;
  const std::span<const WordId> written = grammar::leading_words(option.target);
  const std::size_t size = written.size();
  const bool is_short = size < shared_->context;
  std::vector<Unit> opening{is_short ? static_cast<Unit>(size) : 0};
  contexts_.clear();
  for (std::size_t group = 0; group < shared_->groups.size(); ++group) {
    const std::size_t context = shared_->groups[group].context;
    units_.clear();
    for (const WordId word : written) units_.push_back(unit(shared_->groups[group], word));
    const std::span<const Unit> units(units_), first = units.first(is_short ? size : context);
    opening.insert(opening.end(), first.begin(), first.end());
    if (!is_short) contexts_.push_back(context_of(group, units.last(context)));
  }
  rule.opening = openings_.intern(opening, hash_of(opening));
  if (!is_short) rule.after = states_.intern(contexts_);
  rule.inner = 0;
  go_on(option, [&](const Step&, const Known& known) { rule.inner += known.score; });
  return rule;
}

template <typename Use>
void TargetContextFeature::open(StateId from, const Rule& rule, const Use& use) {
  const auto before = states_[from];
  contexts_.assign(before.begin(), before.end());
  const std::vector<Unit>& opening = openings_[rule.opening];
  const bool is_short = opening[0] != 0;
  for (std::size_t group = 0, at = 1; group < contexts_.size(); ++group) {
    const std::size_t context = shared_->groups[group].context;
    if (context != 0) known_[group].prefetch(contexts_[group] << 1 | 1u, opening[at]);
    at += is_short ? opening[0] : context;
  }
  std::size_t at = 1;
  for (std::size_t group = 0; group < contexts_.size(); ++group) {
    const std::size_t context = shared_->groups[group].context, size = is_short ? opening[0] : context;
    for (std::size_t i = 0; i < size; ++i) {
      const Step step{group, contexts_[group], opening[at++], i == 0};
      const Known& found = known(step);
      contexts_[group] = found.next;
      if (i < context) use(step, found);
    }
  }
}

template <typename Use>
void TargetContextFeature::go_on(const OptionView& option, const Use& use) {
  const std::span<const WordId> written = grammar::leading_words(option.target);
  for (std::size_t group = 0; group < shared_->groups.size(); ++group) {
    const std::size_t context = shared_->groups[group].context;
    if (written.size() <= context) continue;
    units_.clear();
    for (const WordId word : written) units_.push_back(unit(shared_->groups[group], word));
    ContextId at = context_of(group, std::span<const Unit>(units_).first(context));
    for (std::size_t i = context; i < units_.size(); ++i) {
      const Step step{group, at, units_[i], i == 0};
      const Known& found = known(step);
      at = found.next;
      use(step, found);
    }
  }
}

StateId TargetContextFeature::extend(StateId from, const OptionView& option, Fire& fire) {
  if (option.target.empty()) return from;
  const Rule& rule = known(option);
  if (fire.wants_values()) {
    for (const FeatureId id : outer_ids(from, rule)) fire(id, 1);
    for (const FeatureId id : inner_ids(option)) fire(id, 1);
  }
  const Known& found = extensions_.get(from, rule.opening, [&](double& score, StateId& next) {
    open(from, rule, [&](const Step&, const Known& known) { score += known.score; });
    next = rule.after != kNoState ? kNoState : states_.intern(contexts_);
  });
  if (!fire.wants_values()) fire.add_sum(found.score + rule.inner);
  return rule.after != kNoState ? rule.after : found.next;
}

void TargetContextFeature::finish(StateId from, Fire& fire) {
  const auto before = states_[from];
  for (std::size_t group = 0; group < before.size(); ++group) {
    const Step end{group, before[group], kEnd, true};
    if (!fire.wants_values())
      fire.add_sum(known(end).score);
    else
      for (const Slice slice = ids(end);
           const FeatureId id : std::span(ids_).subspan(slice.begin, slice.end - slice.begin))
        fire(id, 1);
  }
}

}  // namespace dragoman::features
