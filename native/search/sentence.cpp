#include "search/sentence.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::search {
namespace {

Span span_of(std::uint32_t start, std::uint32_t end) {
  return {static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end)};
}

}  // namespace

std::string_view Sentence::spell_target(WordId word) const {
  const std::size_t known = cache_.table().target_size();
  return word < known ? cache_.table().target_word(word) : std::string_view(local_words_[word - known]);
}

WordId Sentence::local_target(std::string_view word) {
  if (const WordId known = cache_.table().target_id(word); known != kUnknown) return known;
  if (const auto found = local_ids_.find(word); found != local_ids_.end()) return found->second;
  const auto id = static_cast<WordId>(cache_.table().target_size() + local_words_.size());
  local_words_.emplace_back(word);
  local_ids_.emplace(local_words_.back(), id);
  return id;
}

std::span<const grammar::Link> Sentence::links(std::uint32_t rule, std::span<const WordId> target) const noexcept {
  static constexpr grammar::Link kDiagonal[1] = {{0, 0}};
  if (rule < kUnknownRule) return cache_.table().links(rule);
  if (is_unknown(rule) && !target.empty()) return kDiagonal;
  return {};
}

void Sentence::prepare(const SearchSettings& settings, std::size_t number, std::span<const std::string_view> words,
                       std::span<const ExtraOption> extra, const features::SentenceMarks& marks,
                       const std::shared_ptr<const grammar::LayeredView>& table,
                       std::span<const std::unique_ptr<features::RuleFeature>> rule_features) {
  settings_ = &settings;
  number_ = number;
  words_ = words;
  extra_ = extra;
  marks_ = &marks;
  local_words_.clear();
  local_ids_.clear();
  rule_features_ = rule_features;
  for (auto& model : extender_.language_models) model.begin();
  if (extender_.orientation) extender_.orientation->begin();
  source_.clear();
  for (const std::string_view word : words) source_.push_back(table->source_id(word));
  for (const auto& feature : rule_features) feature->begin(*this);
  cache_.begin(table, settings.option_limit, *this, rule_features);

  const auto length = static_cast<std::uint32_t>(words_.size());
  std::uint32_t longest = std::min(length, std::max(1u, settings.max_phrase_length));
  for (const ExtraOption& option : extra) {
    if (option.start >= option.end || option.end > length)
      throw InputError("an extra option for words " + std::to_string(option.start) + " to " +
                           std::to_string(option.end) + " of " + std::to_string(length),
                       "sentence " + std::to_string(number_ + 1));
    longest = std::max(longest, option.end - option.start);
  }
  find_matches(longest);
  fill_chart(longest);
  apply_rule_features();
  chart_.keep_best(settings.option_limit + extra.size());
  extender_.begin(weights_, *this, views_);
  if (!extender_.others.empty()) {
    chart_.add_estimates([&](const Option& option) {
      double sum = 0;
      for (const auto& feature : extender_.others) sum += feature->isolated(views_[option.id]);
      return sum;
    });
  }
}

bool Sentence::blocked(std::uint32_t start, std::uint32_t end) const noexcept {
  return std::any_of(extra_.begin(), extra_.end(), [&](const ExtraOption& option) {
    return option.exclusive && option.start < end && start < option.end;
  });
}

// Rules of the table by span. A layer above it reports its own after those of the table.
void Sentence::find_matches(std::uint32_t longest) {
  matches_.clear();
  const int limit = static_cast<int>(std::min(longest, settings_->max_phrase_length));
  cache_.table().match(source_, limit, [&](int start, int end, grammar::RuleRange rules) {
    const auto from = static_cast<std::uint32_t>(start), to = static_cast<std::uint32_t>(end);
    if (blocked(from, to)) return;
    matches_.push_back({span_of(from, to), rules});
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
      for (std::uint32_t i = 0; i < extra_.size(); ++i)
        if (extra_[i].start == start && extra_[i].end == end) add_extra(i);
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

void Sentence::add(Span span, std::uint32_t rule, std::span<const WordId> target, double score) {
  const auto spelling = [this](WordId word) { return spell_target(word); };
  score += weight(model_.phrase_penalty) - weight(model_.word_penalty) * static_cast<double>(target.size());
  double estimate = score;
  for (const auto& use : model_.language_models) estimate += weight(use->feature) * use->isolated(target, spelling);
  const std::uint32_t orientation =
      extender_.orientation ? extender_.orientation->add_option(span, features::OrientationFeature::kNoRow) : 0;
  found_.push_back({0, span, rule, cache_.add_phrase(target, spelling), orientation, score, estimate});
}

void Sentence::add_unknown(std::uint32_t position) {
  std::vector<WordId> target;
  if (settings_->unknown == UnknownPolicy::kCopy) target.push_back(local_target(words_[position]));
  if (settings_->unknown == UnknownPolicy::kMark)
    target.push_back(local_target("<unk:" + std::string(words_[position]) + ">"));
  add(span_of(position, position + 1), kUnknownRule + position, target, -weight(model_.unknown));
}

void Sentence::add_extra(std::uint32_t index) {
  const ExtraOption& extra = extra_[index];
  std::vector<WordId> target;
  for_each_token(extra.target, [&](std::string_view token) { target.push_back(local_target(token)); });
  double score = 0;
  for (const auto& [feature, value] : extra.values) score += weight(feature) * value;
  add(span_of(extra.start, extra.end), kExtraRule + index, target, score);
}

void Sentence::apply_rule_features() {
  views_.clear();
  rules_.clear();
  fired_.clear();
  if (rule_features_.empty() && extender_.others.empty()) return;
  for (const Option& option : chart_.all()) {
    const auto source =
        std::span<const WordId>(source_).subspan(option.span.start, option.span.end - option.span.start);
    const bool stored = option.rule < kUnknownRule && !cache_.table().is_added(option.rule);
    views_.push_back(
        {option.id, stored ? option.rule : features::kNoRule, option.phrase, option.span, source, target(option)});
    rules_.push_back(option.rule);
  }
  if (rule_features_.empty()) return;
  std::vector<Fire> sums(views_.size(), Fire(weights_)), values;
  for (const auto& feature : rule_features_) {
    if (feature->defers_values()) {
      feature->fire(*this, views_, sums);
      continue;
    }
    if (fired_.empty()) {
      fired_.resize(views_.size());
      for (auto& fired : fired_) values.emplace_back(weights_, &fired);
    }
    feature->fire(*this, views_, values);
  }
  chart_.add_scores(
      [&](const Option& option) { return sums[option.id].score() + (values.empty() ? 0 : values[option.id].score()); });
}

void Sentence::option_values(const Option& option, features::FeatureVector& values) const {
  const auto add = [&](FeatureId feature, double value) {
    if (feature != kNoFeature && value != 0) values.emplace_back(feature, value);
  };
  if (option.rule < kUnknownRule) {
    for (std::size_t column = 0; column < model_.column_features.size(); ++column)
      add(model_.column_features[column], cache_.table().value(option.rule, column));
  } else if (is_unknown(option)) {
    add(model_.unknown, -1);
  } else {
    for (const auto& [feature, value] : extra_[option.rule - kExtraRule].values) add(feature, value);
  }
  add(model_.phrase_penalty, 1);
  add(model_.word_penalty, -static_cast<double>(target(option).size()));
  if (!fired_.empty()) values.insert(values.end(), fired_[option.id].begin(), fired_[option.id].end());
  Fire fire(weights_, &values);
  for (const auto& feature : rule_features_)
    if (feature->defers_values()) feature->fire_values(*this, views_[option.id], fire);
}

}  // namespace dragoman::search
