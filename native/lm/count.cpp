// From text or counts to adjusted counts.
#include <algorithm>
#include <string>

#include "lm/adjust.hpp"
#include "lm/boundaries.hpp"
#include "lm/estimate.hpp"

namespace dragoman::lm {
namespace {

// A shorter n-gram from a count file, which longer ones must imply: not an event, its line in place of the count.
constexpr std::uint64_t kImplied = std::uint64_t{1} << 63;

}  // namespace

Estimator::Level::Level(int order, const Budget& budget)
    : words(static_cast<std::size_t>(order) + (order == 1 ? 2 : 0), budget),
      context(static_cast<std::size_t>(order) + 4, static_cast<std::size_t>(order), budget),
      shares(4, budget),
      backoffs(static_cast<std::size_t>(order) + 1, budget) {}

Estimator::Estimator(EstimateSettings settings)
    : settings_(std::move(settings)),
      order_(static_cast<std::size_t>(settings_.order)),
      events_(order_ + 2, order_, settings_.budget.part(0.4)) {
  if (settings_.order < 1 || settings_.order > kMaxOrder)
    throw SettingError("the order is " + std::to_string(settings_.order),
                       "choose one from 1 to " + std::to_string(kMaxOrder));
  auto& prune = settings_.prune;
  if (prune.size() > order_) throw SettingError("more pruning thresholds than orders", "give at most one per order");
  if (!prune.empty() && prune[0] != 0)
    throw SettingError("unigrams cannot be pruned by count", "let the first threshold be 0, or limit the vocabulary");
  if (!std::is_sorted(prune.begin(), prune.end()))
    throw SettingError("pruning thresholds must not fall from one order to the next");
  prune.resize(order_, prune.empty() ? 0 : prune.back());
  for (std::size_t k = 0; k < 3; ++k)
    if (!(settings_.fallback[k] >= 0 && settings_.fallback[k] <= static_cast<double>(k + 1)))
      throw SettingError("a fall-back discount is out of range", "let the k-th lie between 0 and k");
  ngrams_.words.intern(kBeginWord);
  ngrams_.words.intern(kEndWord);
  const Budget share = settings_.budget.part(0.4 / static_cast<double>(3 * order_));
  for (int n = 1; n <= settings_.order; ++n) levels_.emplace_back(n, share);
}

void Estimator::limit_vocabulary(std::span<const std::string_view> words) {
  limited_ = true;
  allowed_ = {kUnknown, kBegin, kEnd};
  for (const std::string_view word : words) allowed_.push_back(ngrams_.words.intern(word));
  std::sort(allowed_.begin(), allowed_.end());
  allowed_.erase(std::unique(allowed_.begin(), allowed_.end()), allowed_.end());
}

void Estimator::require(std::string_view ngram) {
  std::vector<WordId> words;
  for_each_token(ngram, [&](std::string_view token) { words.push_back(ngrams_.words.intern(token)); });
  std::reverse(words.begin(), words.end());
  required_.insert(std::move(words));
}

void Estimator::add_sentences(std::span<const std::string_view> sentences, std::uint64_t first_line) {
  for (std::size_t line = 0; line < sentences.size(); ++line) {
    sentence_.assign(1, kBegin);
    for_each_token(sentences[line], [&](std::string_view token) {
      const WordId word = ngrams_.words.intern(token);
      if (word > kEnd) {
        sentence_.push_back(word);
      } else if (!settings_.skip_special) {
        throw InputError("the token '" + std::string(token) + "' has a meaning of its own in language models",
                         "line " + std::to_string(first_line + line), "remove it, or choose to skip such tokens");
      }
    });
    tokens_ += sentence_.size() - 1;
    ++sentences_;
    sentence_.push_back(kEnd);
    for_each_event(sentence_, order_, [&](std::span<const std::uint32_t> record) { events_.append(record); });
  }
}

void Estimator::add_count(std::string_view ngram, std::uint64_t count, std::uint64_t line) {
  const std::string where = "line " + std::to_string(line);
  if (count == 0 || count >= kImplied) throw InputError("an impossible count", where, "leave the n-gram out");
  WordId words[kMaxOrder];
  std::size_t length = 0;
  for_each_token(ngram, [&](std::string_view token) {
    if (length == order_)
      throw InputError("more than " + std::to_string(order_) + " words", where,
                       "raise the order, or drop longer n-grams");
    const WordId word = ngrams_.words.intern(token);
    if (word == kUnknown) throw InputError("'<unk>' has a meaning of its own", where, "leave such n-grams out");
    if ((word == kBegin) != (length == 0 && word == kBegin))
      throw InputError("<s> can only be the first word", where, "mend the counts");
    if (length > 0 && words[length - 1] == kEnd) throw InputError("</s> can only be the last word", where);
    words[length++] = word;
  });
  if (length == 0) throw InputError("no words", where, "write: words, a tab, a count");
  if (length == 1 && words[0] == kBegin) return;  // never predicted
  std::reverse(words, words + length);
  std::uint32_t record[kMaxOrder + 2];
  for (std::size_t k = 0; k < order_; ++k) record[k] = k < length ? words[k] : kNothing;
  const bool event = length == order_ || words[length - 1] == kBegin;
  put(record + order_, event ? count : kImplied | line);
  events_.append({record, order_ + 2});
  if (event) (words[0] == kEnd ? sentences_ : tokens_) += count;
}

bool Estimator::keeps(int order, const std::uint32_t* words, std::uint64_t raw) const noexcept {
  if (raw <= settings_.prune[static_cast<std::size_t>(order) - 1] &&
      (required_.empty() || !required_.contains({words, words + order})))
    return false;
  return !limited_ || std::all_of(words, words + order, [&](WordId word) {
    return std::binary_search(allowed_.begin(), allowed_.end(), word);
  });
}

void Estimator::emit(int order, const std::uint32_t* words, std::uint64_t adjusted, std::uint64_t raw) {
  Level& level = levels_[static_cast<std::size_t>(order) - 1];
  const bool keep = keeps(order, words, raw);
  level.counts.add(adjusted, keep);
  const auto n = static_cast<std::size_t>(order);
  std::uint32_t record[kMaxOrder + 4];
  if (n == 1) {
    level.denominator += adjusted;
    if (!keep) return;
    record[0] = words[0];
    put(record + 1, adjusted);
    level.words.append({record, 3});
    return;
  }
  // By context: the context newest first, then the word; its number among the kept ones leads back to suffix order.
  std::copy(words + 1, words + n, record);
  record[n - 1] = words[0];
  put(record + n, adjusted);
  put(record + n + 2, keep ? level.words.size() : ~std::uint64_t{0});
  level.context.append({record, n + 4});
  if (keep) level.words.append({words, n});
}

void Estimator::begin_counts() {
  // `<unk>` and `<s>` are words of every model; they are never counted.
  for (const std::uint32_t word : {kUnknown, kBegin}) {
    const std::uint32_t record[3] = {word, 0, 0};
    levels_[0].words.append(record);
    levels_[0].counts.add(0, true);
  }
}

void Estimator::end_counts() {
  for (const Level& level : levels_)
    reports_.push_back(
        {level.counts.types, level.counts.kept,
         discounts(settings_.smoothing, static_cast<int>(reports_.size()) + 1, level.counts, settings_.fallback)});
}

void Estimator::count() {
  if (events_.size() == 0) throw InputError("no text to learn from", "", "give at least one sentence");
  begin_counts();
  Adjuster adjuster(order_, settings_.smoothing,
                    [this](int order, const std::uint32_t* words, std::uint64_t adjusted, std::uint64_t raw) {
                      emit(order, words, adjusted, raw);
                    });
  events_.drain([&](const std::uint32_t* record) {
    const std::uint64_t count = get(record + order_);
    if ((count & kImplied) == 0) {
      adjuster.see(record);
      return;
    }
    // It sorts after every n-gram that extends it.
    const auto [same, reach] = adjuster.place(record);
    if (same < reach)
      throw InputError("a " + std::to_string(reach) + "-gram that no longer one extends to the left",
                       "line " + std::to_string(count & ~kImplied),
                       "counts must reach back " + std::to_string(order_) + " words or to <s>");
  });
  adjuster.finish();
  end_counts();
}

std::vector<WordId> Estimator::number(std::span<const std::string_view> words) {
  std::vector<WordId> found;
  for (const std::string_view word : words) found.push_back(ngrams_.words.intern(word));
  return found;
}

void Estimator::begin_adjusted(std::uint64_t tokens, std::uint64_t sentences) {
  if (sentences == 0) throw InputError("no text to learn from", "", "give at least one sentence");
  tokens_ += tokens;
  sentences_ += sentences;
  begin_counts();
}

void Estimator::add_adjusted(std::span<const std::uint32_t> records) {
  const std::size_t width = order_ + 5;
  if (records.size() % width != 0) throw InputError("adjusted counts that are cut off");
  for (const std::uint32_t* record = records.data(); record != records.data() + records.size(); record += width) {
    if (record[0] < 1 || record[0] > order_) throw InputError("adjusted counts of another order");
    emit(static_cast<int>(record[0]), record + 1, get(record + 1 + order_), get(record + 3 + order_));
  }
}

}  // namespace dragoman::lm
