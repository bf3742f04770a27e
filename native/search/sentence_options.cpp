#include "search/sentence_options.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::search {

std::string_view SentenceOptions::spell_nonterminal(WordId symbol) const {
  std::string& letters = nonterminals_[symbol];
  if (letters.empty()) {
    const auto labels = cache_.table().base().labels();
    const std::uint32_t label = grammar::label_of(symbol);
    letters.append("[").append(label != 0 && label < labels.size() ? labels.word(label) : "X");
    letters.append(std::to_string(grammar::index_of(symbol) + 1)).append("]");
  }
  return letters;
}

void SentenceOptions::spell_source(const features::OptionView& option, std::vector<std::string_view>& words) const {
  words.clear();
  if (lattice_ != nullptr) {
    // Words of rules are those of the table; what no rule translates is an arc by itself, and has a view.
    for (const WordId word : option.source)
      words.push_back(word != kUnknown ? cache_.table().source_word(word)
                                       : paths_[view_paths_[option.id] - 1].spelt.front());
    return;
  }
  if (grammar::words_of(option.source) == option.source.size()) {
    const auto own = words_.subspan(option.span.start, option.span.end - option.span.start);
    words.assign(own.begin(), own.end());
    return;
  }
  for (const WordId symbol : option.source)
    words.push_back(grammar::is_nonterminal(symbol) ? spell_nonterminal(symbol) : cache_.table().source_word(symbol));
}

std::string_view SentenceOptions::spell_target(WordId word) const {
  if (grammar::is_nonterminal(word)) return spell_nonterminal(word);
  const std::size_t known = cache_.table().target_size();
  return word < known ? cache_.table().target_word(word) : std::string_view(local_words_[word - known]);
}

WordId SentenceOptions::local_target(std::string_view word) {
  if (const WordId known = cache_.table().target_id(word); known != kUnknown) return known;
  if (const auto found = local_ids_.find(word); found != local_ids_.end()) return found->second;
  const auto id = static_cast<WordId>(cache_.table().target_size() + local_words_.size());
  local_words_.emplace_back(word);
  local_ids_.emplace(local_words_.back(), id);
  return id;
}

std::span<const grammar::Link> SentenceOptions::links(std::uint32_t rule,
                                                      std::span<const WordId> target) const noexcept {
  static constexpr grammar::Link kDiagonal[1] = {{0, 0}};
  if (rule < kUnknownRule) return cache_.table().links(rule);
  if (is_unknown(rule) && !target.empty()) return kDiagonal;
  if (is_synthetic(rule)) return synthetic_[rule - kSyntheticRule].links;
  if (rule >= kExtraRule && rule < kMadeUpRule) return extra_links_[rule - kExtraRule];
  return {};
}

void SentenceOptions::begin(std::size_t number, std::span<const std::string_view> words,
                            std::span<const ExtraOption> extra, const features::SentenceMarks& marks,
                            const std::shared_ptr<const grammar::LayeredView>& table, UnknownPolicy unknown,
                            HardSyntax hard_syntax, std::uint32_t option_limit, RuleCache::RuleFeatures rule_features) {
  number_ = number;
  words_ = words;
  extra_ = extra;
  lattice_ = nullptr;
  paths_.clear();
  synthetic_.clear();
  marks_ = &marks;
  unknown_ = unknown;
  syntax_.begin(hard_syntax, marks.constituents, static_cast<std::uint32_t>(words.size()));
  local_words_.clear();
  local_ids_.clear();
  rule_features_ = rule_features;
  keeper_.begin_sentence();
  source_.clear();
  for (const std::string_view word : words) source_.push_back(table->source_id(word));
  for (const auto& feature : rule_features) feature->begin(*this);
  cache_.begin(table, option_limit, *this, rule_features);
  extra_links_.assign(extra.size(), {});
  for (std::size_t index = 0; index < extra.size(); ++index) {
    const ExtraOption& option = extra[index];
    if (option.start >= option.end || option.end > words.size())
      throw InputError("an extra option for words " + std::to_string(option.start) + " to " +
                           std::to_string(option.end) + " of " + std::to_string(words.size()),
                       "sentence " + std::to_string(number_ + 1));
    std::uint32_t target = 0;
    for_each_token(option.target, [&](std::string_view) { ++target; });
    for (std::uint32_t i = 0; i < option.end - option.start; ++i)
      for (std::uint32_t j = 0; j < target; ++j)
        extra_links_[index].push_back(
            {static_cast<decltype(grammar::Link::source)>(i), static_cast<decltype(grammar::Link::target)>(j)});
  }
}

bool SentenceOptions::blocked(std::uint32_t start, std::uint32_t end, OptionPolicy policy) const noexcept {
  return std::any_of(extra_.begin(), extra_.end(), [&](const ExtraOption& option) {
    return option.policy >= policy && option.start < end && start < option.end;
  });
}

void SentenceOptions::add(Span span, std::uint32_t rule, std::span<const WordId> target, double score,
                          std::uint32_t path) {
  const auto spelling = [this](WordId word) { return spell_target(word); };
  score += weight(model_.rule_penalty) - weight(model_.word_penalty) * static_cast<double>(target.size());
  double estimate = score;
  for (const auto& use : model_.ranking().language_models)
    estimate += weight(use->feature) * use->isolated(target, spelling);
  found_.push_back(
      {0, span, rule, cache_.add_phrase(target, spelling), keeper_.add_option(span), path, score, estimate});
}

std::vector<WordId> SentenceOptions::copied(std::string_view word) {
  if (unknown_ == UnknownPolicy::kCopy) return {local_target(word)};
  if (unknown_ == UnknownPolicy::kMark) return {local_target("<unk:" + std::string(word) + ">")};
  return {};
}

void SentenceOptions::add_unknown(std::uint32_t position) {
  add(span_of(position, position + 1), kUnknownRule + position, copied(words_[position]), -weight(model_.unknown));
}

void SentenceOptions::add_unknown_arc(std::uint32_t arc) {
  const Lattice::Arc& of = lattice_->arcs[arc];
  paths_.push_back({{cache_.table().source_id(of.word)}, {of.word}, of.score});
  add(span_of(of.from, of.to), kUnknownRule + arc, copied(of.word),
      -weight(model_.unknown) + weight(lattice_->score) * of.score, static_cast<std::uint32_t>(paths_.size()));
}

void SentenceOptions::add_extra(std::uint32_t start, std::uint32_t end) {
  for (std::uint32_t index = 0; index < extra_.size(); ++index) {
    const ExtraOption& extra = extra_[index];
    if (extra.start != start || extra.end != end || !usable(extra)) continue;
    double score = 0;
    for (const auto& [feature, value] : extra.values) score += weight(feature) * value;
    add(span_of(start, end), kExtraRule + index, local_targets(extra.target), score);
  }
}

void SentenceOptions::add_made_up(std::uint32_t start, std::uint32_t end, std::span<const WordId> target,
                                  std::size_t missing) {
  add(span_of(start, end), kMadeUpRule + static_cast<std::uint32_t>(missing), target,
      -weight(model_.unknown) * static_cast<double>(missing));
}

void SentenceOptions::add_with_term(const ExtraOption& term, std::span<const WordId> rest) {
  const std::vector<WordId> own = local_targets(term.target);
  if (const auto inside = std::ranges::search(rest, own); !own.empty() && !inside.empty()) {
    const auto upto = static_cast<std::size_t>(inside.end() - rest.begin());
    return add_made_up(term.start, term.end, rest.first(upto), upto - own.size());
  }
  std::vector<WordId> target(rest.begin(), rest.end());
  target.insert(target.end(), own.begin(), own.end());
  add_made_up(term.start, term.end, target, rest.size());
}

// Words translate each other as the rules of one word each say; a table without lexical weights says nothing.
void SentenceOptions::align_prefix(const TargetPrefix& prefix) {
  synthetic_.clear();
  const auto& columns = cache_.table().columns();
  const auto inverse = std::ranges::find(columns, "lex.st"), direct = std::ranges::find(columns, "lex.ts");
  if (lattice_ != nullptr || inverse == columns.end() || direct == columns.end()) return;
  std::unordered_map<std::uint64_t, WordScores> known;  // by source and target position
  const auto key = [](std::uint32_t i, std::uint32_t j) { return std::uint64_t{i} << 32 | j; };
  for (std::uint32_t i = 0; i < source_.size(); ++i) {
    if (source_[i] == kUnknown) continue;
    cache_.table().for_source(std::span(&source_[i], 1), [&](grammar::RuleRange rules) {
      for (grammar::RuleId rule = rules.first; rule < rules.last; ++rule) {
        const auto target = cache_.table().target(rule);
        if (target.size() != 1) continue;
        for (std::uint32_t j = 0; j < prefix.length(); ++j)
          if (prefix.words()[j] == target[0])
            known[key(i, j)] = {
                cache_.table().value(rule, static_cast<std::size_t>(inverse - columns.begin())),
                cache_.table().value(rule, static_cast<std::size_t>(direct - columns.begin())),
            };
      }
    });
  }
  synthetic_ = synthetic_rules(static_cast<std::uint32_t>(source_.size()), prefix.length(),
                               [&](std::uint32_t i, std::uint32_t j) -> const WordScores* {
                                 const auto found = known.find(key(i, j));
                                 return found == known.end() ? nullptr : &found->second;
                               });
}

void SentenceOptions::add_synthetic(std::uint32_t number, const TargetPrefix& prefix) {
  const SyntheticRule& rule = synthetic_[number];
  double score = 0;
  synthetic_values(rule, [&](FeatureId feature, double value) { score += weight(feature) * value; });
  add(span_of(rule.start, rule.end), kSyntheticRule + number,
      prefix.words().subspan(rule.first, rule.last - rule.first), score);
}

void SentenceOptions::fire_rule_features(OptionGroups& options) {
  fired_.clear();
  if (!rule_features_.empty()) {
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
    options.add_scores([&](const Option& option) {
      return sums[option.id].score() + (values.empty() ? 0 : values[option.id].score());
    });
  }
}

void SentenceOptions::begin_state_features(OptionGroups& options) {
  keeper_.begin(weights_, *this, views_);
  if (keeper_.has_others())
    options.add_estimates([&](const Option& option) { return keeper_.isolated(views_[option.id]); });
}

void SentenceOptions::option_values(const Option& option, FeatureId penalty, features::FeatureVector& values) const {
  const auto add = [&](FeatureId feature, double value) {
    if (feature != kNoFeature && value != 0) values.emplace_back(feature, value);
  };
  if (option.rule < kUnknownRule) {
    for (std::size_t column = 0; column < model_.column_features.size(); ++column)
      add(model_.column_features[column], cache_.table().value(option.rule, column));
  } else if (is_unknown(option)) {
    add(model_.unknown, -1);
  } else if (is_synthetic(option.rule)) {
    synthetic_values(synthetic_[option.rule - kSyntheticRule], add);
  } else if (option.rule >= kMadeUpRule) {
    add(model_.unknown, -static_cast<double>(option.rule - kMadeUpRule));
  } else {
    for (const auto& [feature, value] : extra_[option.rule - kExtraRule].values) add(feature, value);
  }
  if (option.path != 0) add(lattice_->score, paths_[option.path - 1].score);
  add(penalty, 1);
  add(model_.word_penalty, -static_cast<double>(grammar::words_of(target(option))));
  fired_values(option, values);
}

void SentenceOptions::fired_values(const Option& option, features::FeatureVector& values) const {
  if (!fired_.empty()) values.insert(values.end(), fired_[option.id].begin(), fired_[option.id].end());
  Fire fire(weights_, &values);
  for (const auto& feature : rule_features_)
    if (feature->defers_values()) feature->fire_values(*this, views_[option.id], fire);
}

std::vector<std::uint32_t> unknown_words(const grammar::LayeredView& table, std::string_view line) {
  std::vector<WordId> source;
  for_each_token(line, [&](std::string_view token) { source.push_back(table.source_id(token)); });
  std::vector<bool> known(source.size());
  table.match(source, 1, [&](int start, int, grammar::RuleRange) { known[static_cast<std::size_t>(start)] = true; });
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < known.size(); ++i)
    if (!known[i]) positions.push_back(i);
  return positions;
}

}  // namespace dragoman::search
