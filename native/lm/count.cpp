// From text or counts to adjusted counts.
#include <algorithm>
#include <string>

#include "lm/boundaries.hpp"
#include "lm/estimate.hpp"

namespace dragoman::lm {
namespace {

constexpr WordId kNothing = ~WordId{0};  // fills a record that reaches back to `<s>`; sorts after every word
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
  std::uint32_t record[kMaxOrder + 2];
  put(record + order_, std::uint64_t{1});
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
    for (std::size_t i = 1; i < sentence_.size(); ++i) {
      const std::size_t reach = std::min(order_, i + 1);
      for (std::size_t k = 0; k < reach; ++k) record[k] = sentence_[i - k];
      for (std::size_t k = reach; k < order_; ++k) record[k] = kNothing;
      events_.append({record, order_ + 2});
    }
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

void Estimator::count() {
  if (events_.size() == 0) throw InputError("no text to learn from", "", "give at least one sentence");
  // What the scan knows of the n-gram of each order that it is inside of.
  std::vector<std::uint32_t> last(order_, kNothing);
  std::vector<std::uint64_t> raw(order_ + 1), extensions(order_ + 1);
  std::size_t open = 0;

  // `<unk>` and `<s>` are words of every model; they are never counted.
  for (const std::uint32_t word : {kUnknown, kBegin}) {
    const std::uint32_t record[3] = {word, 0, 0};
    levels_[0].words.append(record);
    levels_[0].counts.add(0, true);
  }
  const auto close = [&](std::size_t down_to) {
    for (; open > down_to; --open) {
      const bool whole = settings_.smoothing != Smoothing::kneser_ney || open == order_ || last[open - 1] == kBegin;
      emit(static_cast<int>(open), last.data(), whole ? raw[open] : extensions[open], raw[open]);
    }
  };
  const auto see = [&](const std::uint32_t* record) {
    std::size_t reach = 0, same = 0;
    while (reach < order_ && record[reach] != kNothing) ++reach;
    while (same < open && same < reach && record[same] == last[same]) ++same;
    const std::uint64_t count = get(record + order_);
    if ((count & kImplied) != 0) {  // it sorts after every n-gram that extends it
      if (same < reach)
        throw InputError("a " + std::to_string(reach) + "-gram that no longer one extends to the left",
                         "line " + std::to_string(count & ~kImplied),
                         "counts must reach back " + std::to_string(order_) + " words or to <s>");
      return;
    }
    close(same);
    for (std::size_t n = 1; n <= same; ++n) raw[n] += count;
    for (; open < reach; ++open) {
      last[open] = record[open];
      if (open > 0) ++extensions[open];
      raw[open + 1] = count;
      extensions[open + 1] = 0;
    }
  };
  events_.drain(see);
  close(0);
  for (const Level& level : levels_)
    reports_.push_back(
        {level.counts.types, level.counts.kept,
         discounts(settings_.smoothing, static_cast<int>(reports_.size()) + 1, level.counts, settings_.fallback)});
}

}  // namespace dragoman::lm
