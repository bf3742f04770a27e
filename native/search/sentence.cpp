#include "search/sentence.hpp"

#include <algorithm>

#include "common/error.hpp"
#include "common/hash.hpp"

namespace dragoman::search {
namespace {

constexpr std::size_t kLongestSentence = 10'000;
constexpr std::size_t kMostRanked = 100'000;  // source phrases remembered per thread

}  // namespace

std::string_view Sentence::spell_target(WordId word) const {
  const std::size_t known = model_.table->target_words().size();
  return word < known ? model_.table->target_words().word(word) : std::string_view(local_words_[word - known]);
}

WordId Sentence::local_target(std::string_view word) {
  const VocabularyView known = model_.table->target_words();
  if (const auto found = known.find(word); found && *found != kUnknown) return *found;
  if (const auto found = local_ids_.find(word); found != local_ids_.end()) return found->second;
  const auto id = static_cast<WordId>(known.size() + local_words_.size());
  local_words_.emplace_back(word);
  local_ids_.emplace(local_words_.back(), id);
  return id;
}

std::span<const grammar::Link> Sentence::links(const Option& option) const noexcept {
  static constexpr grammar::Link kDiagonal[1] = {{0, 0}};
  if (option.rule < kUnknownRule) return model_.table->links(option.rule);
  if (option.rule < kExtraRule && !target(option).empty()) return kDiagonal;
  return {};
}

void Sentence::read(std::string_view line) {
  words_.clear();
  source_.clear();
  const VocabularyView known = model_.table->source_words();
  for_each_token(line, [&](std::string_view token) {
    words_.push_back(token);
    source_.push_back(known.id(token));
  });
  if (words_.size() > kLongestSentence)
    throw InputError("a sentence of " + std::to_string(words_.size()) + " tokens; at most " +
                         std::to_string(kLongestSentence) + " can be translated",
                     "sentence " + std::to_string(number_ + 1), "split it");
  if (model_.distortion.limit < 0 && words_.size() > Coverage::kWindow)
    throw InputError("unlimited reordering of " + std::to_string(words_.size()) + " words",
                     "sentence " + std::to_string(number_ + 1),
                     "set a distortion limit, or split it into pieces of at most 64 words");
}

double Sentence::isolated(std::span<const WordId> target) const {
  double score = 0;
  for (const auto& use : model_.language_models)
    score += weight(use->feature) * use->isolated(target, [this](WordId word) { return spell_target(word); });
  return score;
}

const std::vector<RankedRule>& Sentence::ranked(grammar::RuleRange rules) {
  if (const auto found = ranked_.find(rules.first); found != ranked_.end()) return found->second;
  if (ranked_.size() >= kMostRanked) ranked_.clear();
  std::vector<RankedRule> best;
  best.reserve(rules.size());
  std::vector<float> values(model_.table->columns().size());
  for (grammar::RuleId rule = rules.first; rule < rules.last; ++rule) {
    model_.table->values(rule, values);
    double score = 0;
    for (std::size_t column = 0; column < values.size(); ++column)
      if (model_.column_features[column] != kNoFeature)
        score += weight(model_.column_features[column]) * values[column];
    const auto target = model_.table->target(rule);
    score += weight(model_.phrase_penalty) - weight(model_.word_penalty) * static_cast<double>(target.size());
    best.push_back({rule, score, score + isolated(target)});
  }
  const auto better = [](const RankedRule& a, const RankedRule& b) {
    return a.estimate != b.estimate ? a.estimate > b.estimate : a.rule < b.rule;
  };
  const std::size_t keep = std::min<std::size_t>(best.size(), model_.option_limit);
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(keep), best.end(), better);
  best.resize(keep);
  best.shrink_to_fit();
  return ranked_.emplace(rules.first, std::move(best)).first->second;
}

std::uint32_t Sentence::phrase_of(std::uint64_t key, std::span<const WordId> words) {
  const auto [found, fresh] = phrase_ids_.try_emplace(key, static_cast<std::uint32_t>(phrase_spans_.size()));
  if (fresh) {
    const std::size_t begin = phrase_words_.size();
    phrase_words_.insert(phrase_words_.end(), words.begin(), words.end());
    phrase_spans_.emplace_back(begin, phrase_words_.size());
    for (auto& model : extender_->language_models)
      model.add_phrase(words, [this](WordId word) { return spell_target(word); });
  }
  return found->second;
}

void Sentence::add_matches(Span span, grammar::RuleRange rules, std::vector<Option>& found) {
  for (const RankedRule& best : ranked(rules)) {
    std::uint32_t row = features::OrientationFeature::kNoRow;
    if (extender_->orientation) {
      row_.clear();
      for (const std::uint32_t column : model_.orientation_columns)
        row_.push_back(model_.table->value(best.rule, column));
      row = extender_->orientation->add_row(row_);
    }
    const std::uint32_t phrase = phrase_of(model_.table->target_id(best.rule), model_.table->target(best.rule));
    found.push_back({0, span, best.rule, phrase, row, best.score, best.estimate});
  }
}

void Sentence::add_unknown(std::uint32_t position, std::vector<Option>& found) {
  std::vector<WordId> target;
  if (model_.unknown_policy == UnknownPolicy::kCopy) target.push_back(local_target(words_[position]));
  if (model_.unknown_policy == UnknownPolicy::kMark)
    target.push_back(local_target("<unk:" + std::string(words_[position]) + ">"));
  const std::uint64_t key = std::uint64_t{1} << 32 | (target.empty() ? ~WordId{0} : target[0]);
  const double score = weight(model_.phrase_penalty) - weight(model_.unknown) -
                       weight(model_.word_penalty) * static_cast<double>(target.size());
  const Span span{static_cast<std::uint16_t>(position), static_cast<std::uint16_t>(position + 1)};
  found.push_back({0, span, kUnknownRule + position, phrase_of(key, target), features::OrientationFeature::kNoRow,
                   score, score + isolated(target)});
}

void Sentence::add_extra(std::uint32_t index, std::vector<Option>& found) {
  const ExtraOption& extra = extra_[index];
  std::vector<WordId> target;
  for_each_token(extra.target, [&](std::string_view token) { target.push_back(local_target(token)); });
  double score = weight(model_.phrase_penalty) - weight(model_.word_penalty) * static_cast<double>(target.size());
  for (const auto& [feature, value] : extra.values) score += weight(feature) * value;
  const Span span{static_cast<std::uint16_t>(extra.start), static_cast<std::uint16_t>(extra.end)};
  found.push_back({0, span, kExtraRule + index, phrase_of(std::uint64_t{2} << 32 | index, target),
                   features::OrientationFeature::kNoRow, score, score + isolated(target)});
}

void Sentence::prepare(std::size_t number, const Request& request, Extender& extender,
                       std::span<const std::unique_ptr<features::RuleFeature>> rule_features) {
  const std::span<const ExtraOption> extra = request.extra;
  number_ = number;
  extra_ = extra;
  marks_ = &request.marks;
  extender_ = &extender;
  local_words_.clear();
  local_ids_.clear();
  phrase_ids_.clear();
  phrase_words_.clear();
  phrase_spans_.clear();
  for (auto& model : extender.language_models) model.reset();
  if (extender.orientation) extender.orientation->reset();
  read(request.line);

  const auto length = static_cast<std::uint32_t>(words_.size());
  std::uint32_t longest = std::min(length, std::max(1u, model_.max_phrase_length));
  for (const ExtraOption& option : extra) {
    if (option.start >= option.end || option.end > length)
      throw InputError("an extra option for words " + std::to_string(option.start) + " to " +
                           std::to_string(option.end) + " of " + std::to_string(length),
                       "sentence " + std::to_string(number_ + 1));
    longest = std::max(longest, option.end - option.start);
  }
  chart_.reset(length, longest);
  const auto blocked = [&](std::uint32_t start, std::uint32_t end) {
    return std::any_of(extra.begin(), extra.end(), [&](const ExtraOption& option) {
      return option.exclusive && option.start < end && start < option.end;
    });
  };
  std::vector<Option> found;
  std::uint32_t at = 0, stop = 1;  // the span being filled; spans come by start, then end
  const auto close_until = [&](std::uint32_t start, std::uint32_t end) {
    while (at < length && (at < start || (at == start && stop < end))) {
      for (std::uint32_t i = 0; i < extra.size(); ++i)
        if (extra[i].start == at && extra[i].end == stop) add_extra(i, found);
      if (stop == at + 1 && found.empty() && !blocked(at, stop)) add_unknown(at, found);
      if (!found.empty())
        chart_.add_span({static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(stop)}, found,
                        model_.option_limit + extra.size());
      found.clear();
      if (++stop > std::min(length, at + longest)) stop = ++at + 1;
    }
  };
  model_.table->match(
      source_, static_cast<int>(model_.max_phrase_length), [&](int start, int end, grammar::RuleRange rules) {
        const auto from = static_cast<std::uint32_t>(start), to = static_cast<std::uint32_t>(end);
        close_until(from, to);
        if (!blocked(from, to))
          add_matches({static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end)}, rules, found);
      });
  close_until(length, length + 1);
  chart_.finish();
  apply(rule_features);
  extender.begin(weights_, *this, views_);
  if (!extender.others.empty()) {
    chart_.add_estimates([&](const Option& option) {
      double sum = 0;
      for (const auto& feature : extender.others) sum += feature->isolated(views_[option.id]);
      return sum;
    });
  }
}

void Sentence::apply(std::span<const std::unique_ptr<features::RuleFeature>> rule_features) {
  views_.clear();
  fired_.clear();
  if (rule_features.empty() && extender_->others.empty()) return;
  for (const Option& option : chart_.all()) {
    const auto source =
        std::span<const WordId>(source_).subspan(option.span.start, option.span.end - option.span.start);
    const std::uint32_t rule = is_unknown(option) ? features::kNoRule : option.rule;
    views_.push_back({option.id, rule, option.span, source, target(option), links(option)});
  }
  if (!rule_features.empty()) {
    fired_.resize(views_.size());
    std::vector<Fire> fires;
    fires.reserve(views_.size());
    for (auto& values : fired_) fires.emplace_back(weights_, &values);
    for (const auto& feature : rule_features) feature->fire(*this, views_, fires);
    chart_.add_scores([&](const Option& option) { return fires[option.id].score(); });
  }
}

void Sentence::option_values(const Option& option, features::FeatureVector& values) const {
  const auto add = [&](FeatureId feature, double value) {
    if (feature != kNoFeature && value != 0) values.emplace_back(feature, value);
  };
  if (option.rule < kUnknownRule) {
    std::vector<float> row(model_.table->columns().size());
    model_.table->values(option.rule, row);
    for (std::size_t column = 0; column < row.size(); ++column) add(model_.column_features[column], row[column]);
  } else if (option.rule < kExtraRule) {
    add(model_.unknown, -1);
  } else {
    for (const auto& [feature, value] : extra_[option.rule - kExtraRule].values) add(feature, value);
  }
  add(model_.phrase_penalty, 1);
  add(model_.word_penalty, -static_cast<double>(target(option).size()));
  if (!fired_.empty()) values.insert(values.end(), fired_[option.id].begin(), fired_[option.id].end());
}

}  // namespace dragoman::search
