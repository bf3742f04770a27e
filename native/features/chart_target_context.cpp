#include "features/chart_target_context.hpp"

#include <algorithm>

#include "common/hash.hpp"

namespace dragoman::features {

void ChartTargetContextFeature::begin(const SentenceView& sentence, std::span<const OptionView>) {
  sentence_ = &sentence;
  states_.clear();
}

ChartTargetContextFeature::Ends ChartTargetContextFeature::ends(StateId state, std::size_t group) const {
  const std::span<const Unit> key(states_[state]);
  std::size_t at = 0;
  for (std::size_t before = 0;; ++before) {
    const std::size_t count = key[at] >> 1;
    const bool is_long = (key[at] & 1u) != 0;
    const std::span<const Unit> first = key.subspan(at + 1, count);
    at += 1 + count;
    const std::span<const Unit> last = is_long ? key.subspan(at, count) : first;
    if (before == group) return {first, last, is_long};
    if (is_long) at += count;
  }
}

void ChartTargetContextFeature::append(const Group& group, Unit unit, std::size_t inside, bool meets, Fire& fire) {
  window_.assign(piece_.recent.begin(), piece_.recent.end());
  window_.push_back(unit);
  for (const std::uint32_t index : group.members) {
    const TargetNgrams& ngrams = shared_->ngrams[index];
    const std::size_t before = ngrams.order - 1;
    if (inside != kOwn && inside >= before) continue;  // it fired in its part
    if (piece_.length < before || (ngrams.boundary_only && !meets)) continue;
    if (unit == TargetContextTemplates::kEnd && ngrams.order == 1) continue;
    fire(shared_->ngram_id(*sentence_, index, std::span<const Unit>(window_).last(ngrams.order)), 1);
  }
  if (piece_.first.size() < group.context) piece_.first.push_back(unit);
  piece_.recent.push_back(unit);
  if (piece_.recent.size() > group.context) piece_.recent.erase(piece_.recent.begin());
  ++piece_.length;
}

StateId ChartTargetContextFeature::combine(const OptionView& option, std::span<const StateId> tails, Fire& fire) {
  key_.clear();
  for (std::size_t number = 0; number < shared_->groups.size(); ++number) {
    const Group& group = shared_->groups[number];
    piece_.clear();
    bool after_part = false;
    for (const WordId symbol : option.target) {
      if (!grammar::is_nonterminal(symbol)) {
        append(group, shared_->unit(*sentence_, group, symbol), kOwn, after_part, fire);
        after_part = false;
        continue;
      }
      const Ends part = ends(tails[grammar::index_of(symbol)], number);
      for (std::size_t i = 0; i < part.first.size(); ++i) append(group, part.first[i], i, i == 0, fire);
      if (part.is_long) {
        piece_.recent.assign(part.last.begin(), part.last.end());
        piece_.length += group.context + 1;  // how many more does not matter
      }
      after_part |= !part.first.empty() || part.is_long;
    }
    const bool is_long = piece_.length > group.context;
    key_.push_back(static_cast<Unit>(piece_.first.size() << 1 | (is_long ? 1u : 0u)));
    key_.insert(key_.end(), piece_.first.begin(), piece_.first.end());
    if (is_long) key_.insert(key_.end(), piece_.recent.begin(), piece_.recent.end());
  }
  return states_.intern(key_, hash_bytes(key_.data(), key_.size() * sizeof(Unit)));
}

void ChartTargetContextFeature::finish(StateId state, Fire& fire) {
  for (std::size_t number = 0; number < shared_->groups.size(); ++number) {
    const Group& group = shared_->groups[number];
    const Ends whole = ends(state, number);
    piece_.clear();
    piece_.recent.assign(group.context, TargetContextTemplates::kStart);
    piece_.length = group.context;
    for (std::size_t i = 0; i < whole.first.size(); ++i) append(group, whole.first[i], i, i == 0, fire);
    if (whole.is_long) piece_.recent.assign(whole.last.begin(), whole.last.end());
    append(group, TargetContextTemplates::kEnd, kOwn, true, fire);
  }
}

}  // namespace dragoman::features
