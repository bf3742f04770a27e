#include "search/rule_cache.hpp"

#include <algorithm>

namespace dragoman::search {
namespace {

constexpr std::size_t kMostRanked = 200'000;  // rules remembered per thread

}  // namespace

RuleCache::RuleCache(const PhraseModel& model, std::span<const double> weights, Extender& extender)
    : model_(model), weights_(weights), extender_(extender) {
  const auto weight = [&](FeatureId id) { return id < weights.size() ? weights[id] : 0; };
  for (std::uint32_t column = 0; column < model.column_features.size(); ++column)
    if (const FeatureId id = model.column_features[column]; id != kNoFeature && weight(id) != 0)
      columns_.emplace_back(column, weight(id));
  phrase_weight_ = weight(model.phrase_penalty);
  word_weight_ = weight(model.word_penalty);
  for (const auto& use : model.language_models) estimates_only_lower_ &= weight(use->feature) >= 0;
  std::vector<bool> own(weights.size());
  const auto mark = [&](FeatureId id) {
    if (id < own.size()) own[id] = true;
  };
  for (const FeatureId id : model.column_features) mark(id);
  for (const FeatureId id : {model.phrase_penalty, model.word_penalty, model.unknown, model.distortion}) mark(id);
  for (const auto& use : model.language_models) mark(use->feature);
  if (model.orientation)
    for (const FeatureId id : model.orientation->features) mark(id);
  for (std::size_t id = 0; id < own.size(); ++id) further_weights_ |= !own[id] && weights[id] != 0;
}

void RuleCache::begin(const std::shared_ptr<const grammar::LayeredView>& view, std::uint32_t option_limit,
                      const features::SentenceView& sentence, RuleFeatures features) {
  if (view != view_ || option_limit != option_limit_ || ranked_.size() > kMostRanked) clear();
  view_ = view;
  option_limit_ = option_limit;
  sentence_ = &sentence;
  features_ = further_weights_ ? features : RuleFeatures{};
  domain_ = 0;
  for (const auto& feature : features_) domain_ = std::max<std::uint64_t>(domain_, feature->ranking_domain());
  phrases_.keep(permanent_);
  for (auto& model : extender_.language_models) model.keep_phrases(permanent_);
}

void RuleCache::clear() {
  permanent_ = 0;
  ++generation_;
  ranked_.clear();
  slices_.clear();
  if (extender_.orientation) extender_.orientation->clear_rows();
}

double RuleCache::score(grammar::RuleId rule) const {
  double score = phrase_weight_ - word_weight_ * static_cast<double>(view_->target(rule).size());
  for (const auto& [column, weight] : columns_) score += weight * static_cast<double>(view_->value(rule, column));
  return score;
}

double RuleCache::isolated(grammar::RuleId rule) const {
  double score = 0;
  for (std::size_t i = 0; i < model_.language_models.size(); ++i) {
    const features::LanguageModelUse& use = *model_.language_models[i];
    if (use.feature < weights_.size())
      score += weights_[use.feature] * static_cast<double>(model_.isolated->of(*view_, rule, i, use));
  }
  return score;
}

double RuleCache::rank(const Match& match, grammar::RuleId rule) const {
  if (view_->is_added(rule)) return 0;
  const auto source = sentence_->source().subspan(match.span.start, match.span.end - match.span.start);
  const features::OptionView option{0, rule, 0, match.span, source, view_->target(rule)};
  double score = 0;
  for (const auto& feature : features_) score += feature->rank(*sentence_, option);
  return score;
}

// The best rules by estimate. Rules are looked at from the best score down; where language models can only lower it,
// the rest need not be asked about once enough estimates are better than the next score.
void RuleCache::draft(const Match& match) {
  const grammar::RuleRange rules = match.rules;
  drafts_.clear();
  const bool cuts = rules.size() > option_limit_;
  for (grammar::RuleId rule = rules.first; rule < rules.last; ++rule)
    drafts_.push_back({rule, score(rule), cuts && !features_.empty() ? rank(match, rule) : 0, 0});
  const std::size_t keep = std::min<std::size_t>(rules.size(), option_limit_);
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

std::span<const RankedRule> RuleCache::best(const Match& match) {
  const auto [found, fresh] = slices_.try_emplace(domain_ << 32 | match.rules.first);
  Slice& slice = found->second;
  if (fresh) {
    slice.begin = static_cast<std::uint32_t>(ranked_.size());
    draft(match);
    for (const Draft& draft : drafts_) {
      std::uint32_t row = features::OrientationFeature::kNoRow;
      if (extender_.orientation) {
        row_.clear();
        for (const std::uint32_t column : model_.orientation_columns) row_.push_back(view_->value(draft.rule, column));
        row = extender_.orientation->add_row(row_);
      }
      const std::uint32_t phrase =
          add_phrase(view_->target(draft.rule), [this](WordId word) { return view_->target_word(word); });
      ranked_.push_back({draft.rule, phrase, row, draft.score, draft.estimate - draft.more});
    }
    slice.end = static_cast<std::uint32_t>(ranked_.size());
  }
  return std::span(ranked_).subspan(slice.begin, slice.end - slice.begin);
}

}  // namespace dragoman::search
