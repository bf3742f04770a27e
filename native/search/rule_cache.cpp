#include "search/rule_cache.hpp"

#include <algorithm>

namespace dragoman::search {
namespace {

constexpr std::size_t kMostRanked = 200'000;  // rules remembered per thread

}  // namespace

RuleCache::RuleCache(const RuleModel& model, std::span<const double> weights, OptionKeeper& keeper)
    : model_(model), weights_(weights), keeper_(keeper) {
  const auto weight = [&](FeatureId id) { return id < weights.size() ? weights[id] : 0; };
  for (std::uint32_t column = 0; column < model.column_features.size(); ++column)
    if (const FeatureId id = model.column_features[column]; id != kNoFeature && weight(id) != 0)
      columns_.emplace_back(column, weight(id));
  rule_weight_ = weight(model.rule_penalty);
  word_weight_ = weight(model.word_penalty);
  for (const auto& use : model.ranking().language_models) estimates_only_lower_ &= weight(use->feature) >= 0;
  std::vector<bool> own(weights.size());
  const auto mark = [&](FeatureId id) {
    if (id < own.size()) own[id] = true;
  };
  for (const FeatureId id : model.column_features) mark(id);
  for (const FeatureId id : model.own_features()) mark(id);
  for (const auto& use : model.ranking().language_models) mark(use->feature);
  if (model.orientation)
    for (const FeatureId id : model.orientation->features) mark(id);
  for (std::size_t id = 0; id < own.size(); ++id) further_weights_ |= !own[id] && weights[id] != 0;
}

void RuleCache::begin(const std::shared_ptr<const grammar::LayeredView>& view, std::uint32_t option_limit,
                      const features::SentenceView& sentence, RuleFeatures features) {
  if (view != view_ || option_limit != option_limit_ || ranked_.size() + singles_.size() > kMostRanked) clear();
  view_ = view;
  option_limit_ = option_limit;
  sentence_ = &sentence;
  features_ = further_weights_ ? features : RuleFeatures{};
  domain_ = 0;
  for (const auto& feature : features_) domain_ = std::max<std::uint64_t>(domain_, feature->ranking_domain());
  phrases_.keep(permanent_);
  keeper_.keep_phrases(permanent_);
}

void RuleCache::clear() {
  permanent_ = 0;
  ++generation_;
  ranked_.clear();
  slices_.clear();
  singles_.clear();
  label_slices_.clear();
  labels_.clear();
  keeper_.clear_rows();
}

double RuleCache::score(grammar::RuleId rule) const {
  double score = rule_weight_ - word_weight_ * static_cast<double>(grammar::words_of(view_->target(rule)));
  for (const auto& [column, weight] : columns_) score += weight * static_cast<double>(view_->value(rule, column));
  return score;
}

double RuleCache::isolated(grammar::RuleId rule) const {
  double score = 0;
  const RuleModel& ranking = model_.ranking();
  for (std::size_t i = 0; i < ranking.language_models.size(); ++i) {
    const features::LanguageModelUse& use = *ranking.language_models[i];
    if (use.feature < weights_.size())
      score += weights_[use.feature] * static_cast<double>(ranking.isolated->of(*view_, rule, i, use));
  }
  return score;
}

double RuleCache::rank(const Match& match, grammar::RuleId rule) const {
  if (view_->is_added(rule)) return 0;
  const auto words = sentence_->source().subspan(match.span.start, match.span.end - match.span.start);
  const features::OptionView option{
      0, rule, 0, match.span, match.source.empty() ? words : match.source, view_->target(rule)};
  double score = 0;
  for (const auto& feature : features_) score += feature->rank(*sentence_, option);
  return score;
}

// The best rules by estimate. Rules are looked at from the best score down; where language models can only lower it,
// the rest need not be asked about once enough estimates are better than the next score.
void RuleCache::draft(const Match& match, WordId label) {
  drafts_.clear();
  const bool cuts = match.rules.size() > option_limit_;
  for (grammar::RuleId rule = match.rules.first; rule < match.rules.last; ++rule)
    if (label == kAnyLabel || view_->left_hand_side(rule) == label)
      drafts_.push_back({rule, score(rule), cuts && !features_.empty() ? rank(match, rule) : 0, 0});
  const std::size_t keep = std::min<std::size_t>(drafts_.size(), option_limit_);
  if (keep < drafts_.size())
    std::sort(drafts_.begin(), drafts_.end(), [](const Draft& a, const Draft& b) {
      return a.most() != b.most() ? a.most() > b.most() : a.rule < b.rule;
    });
  const auto better = [](const Draft& a, const Draft& b) {
    return a.estimate != b.estimate ? a.estimate > b.estimate : a.rule < b.rule;
  };
  const auto begin = drafts_.begin();
  for (std::size_t i = 0; i < drafts_.size(); ++i) {  // the first ones are a heap, the worst of the kept on top
    Draft next = drafts_[i];
    if (i >= keep && estimates_only_lower_ && next.most() < begin->estimate) break;
    next.estimate = next.most() + isolated(next.rule);
    if (i < keep) {
      drafts_[i] = next;
      std::push_heap(begin, begin + static_cast<std::ptrdiff_t>(i) + 1, better);
    } else if (better(next, *begin)) {
      std::pop_heap(begin, begin + static_cast<std::ptrdiff_t>(keep), better);
      drafts_[keep - 1] = next;
      std::push_heap(begin, begin + static_cast<std::ptrdiff_t>(keep), better);
    }
  }
  drafts_.resize(keep);
  std::sort_heap(drafts_.begin(), drafts_.end(), better);
}

std::span<const RankedRule> RuleCache::best(const Match& match, WordId label) {
  const std::uint64_t kind = domain_ << 24 | (label & 0xffffffu);
  const auto [found, fresh] = slices_.try_emplace(kind << 32 | match.rules.first);
  Slice& slice = found->second;
  if (fresh) {
    slice.begin = static_cast<std::uint32_t>(ranked_.size());
    draft(match, label);
    for (const Draft& draft : drafts_) {
      const std::uint32_t row = keeper_.add_row(*view_, draft.rule);
      ranked_.push_back({draft.rule, add_rule(draft.rule), row, draft.score, draft.estimate - draft.more});
    }
    slice.end = static_cast<std::uint32_t>(ranked_.size());
  }
  return std::span(ranked_).subspan(slice.begin, slice.end - slice.begin);
}

RankedRule RuleCache::single(grammar::RuleId rule) {
  const auto [found, fresh] = singles_.try_emplace(rule);
  if (fresh) {
    const double own = score(rule);
    const std::uint32_t row = keeper_.add_row(*view_, rule);
    found->second = {rule, add_rule(rule), row, own, own + isolated(rule)};
  }
  return found->second;
}

// The phrase of a rule.
std::uint32_t RuleCache::add_rule(grammar::RuleId rule) {
  return add_phrase(keeper_.phrase_of(view_->target(rule)), [this](WordId word) { return view_->target_word(word); });
}

std::span<const WordId> RuleCache::labels(grammar::RuleRange rules) {
  const auto [found, fresh] = label_slices_.try_emplace(rules.first);
  Slice& slice = found->second;
  if (fresh) {
    slice.begin = static_cast<std::uint32_t>(labels_.size());
    for (grammar::RuleId rule = rules.first; rule < rules.last; ++rule) {
      const WordId label = view_->left_hand_side(rule);
      if (std::find(labels_.begin() + slice.begin, labels_.end(), label) == labels_.end()) labels_.push_back(label);
    }
    slice.end = static_cast<std::uint32_t>(labels_.size());
  }
  return std::span(labels_).subspan(slice.begin, slice.end - slice.begin);
}

}  // namespace dragoman::search
