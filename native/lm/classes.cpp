#include "lm/classes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.hpp"
#include "common/random.hpp"
#include "lm/boundaries.hpp"

namespace dragoman::lm {
namespace {

constexpr std::size_t kEvaluated = 8;      // words per shard
constexpr std::size_t kWorthAThread = 64;  // words of a round for which it pays to wake one more thread
constexpr double kLeastGain = 1e-9;

// x ln x, from a table where most counts are.
double entropy_term(std::uint64_t x) {
  static const std::vector<double> table = [] {
    std::vector<double> values(std::size_t{1} << 14);
    for (std::size_t i = 1; i < values.size(); ++i)
      values[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
    return values;
  }();
  if (x < table.size()) return table[x];
  const auto value = static_cast<double>(x);
  return value * std::log(value);
}

}  // namespace

void ClassTrainer::add_sentences(std::span<const std::string_view> sentences) {
  if (words_.size() == 1) words_.intern("<s>");
  for (const std::string_view sentence : sentences) {
    text_.push_back(kBegin);
    for_each_token(sentence, [&](std::string_view token) {
      const WordId word = words_.intern(token);
      text_.push_back(word == kBegin ? kUnknown : word);
    });
  }
}

void ClassTrainer::start(std::uint32_t classes, std::uint64_t seed) {
  std::vector<std::uint64_t> seen(words_.size());
  for (const WordId word : text_) ++seen[word];
  // Keep frequent words only, in the order of their first appearance.
  Vocabulary kept;
  kept.intern("<s>");
  std::vector<WordId> ids(words_.size(), kUnknown);
  ids[kBegin] = kBegin;
  for (std::size_t id = 2; id < seen.size(); ++id)
    if (seen[id] >= min_count_) ids[id] = kept.intern(words_.word(static_cast<WordId>(id)));
  for (WordId& word : text_) word = ids[word];
  words_ = std::move(kept);
  tokens_.assign(words_.size(), 0);
  std::vector<std::uint64_t> pairs;
  for (std::size_t i = 1; i < text_.size(); ++i) {
    if (text_[i] == kBegin) continue;
    ++tokens_[text_[i]];
    pairs.push_back((std::uint64_t{text_[i]} << 32) | text_[i - 1]);
  }
  std::vector<WordId>().swap(text_);
  for (WordId word = 0; word < tokens_.size(); ++word)
    if (tokens_[word] > 0) order_.push_back(word);
  if (order_.empty()) throw InputError("no words to put into classes", "", "give some text");
  if (classes == 0) classes = static_cast<std::uint32_t>(std::clamp<std::size_t>(order_.size() / 10, 1, 512));
  if (classes > order_.size())
    throw SettingError(std::to_string(classes) + " classes for " + std::to_string(order_.size()) + " different words",
                       "ask for fewer classes");
  std::sort(pairs.begin(), pairs.end());
  starts_.assign(words_.size() + 1, 0);
  for (std::size_t i = 0; i < pairs.size();) {
    std::size_t j = i;
    while (j < pairs.size() && pairs[j] == pairs[i]) ++j;
    histories_.push_back({static_cast<std::uint32_t>(pairs[i]), j - i});
    ++starts_[(pairs[i] >> 32) + 1];
    i = j;
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());

  std::stable_sort(order_.begin(), order_.end(), [&](WordId a, WordId b) { return tokens_[a] > tokens_[b]; });
  class_of_.assign(words_.size(), 0);
  class_tokens_.assign(classes, 0);
  class_words_.assign(classes, 0);
  rows_.assign(words_.size(), {});
  for (std::size_t rank = 0; rank < order_.size(); ++rank) {
    const WordId word = order_[rank];
    const auto to = static_cast<std::uint32_t>(rank % classes);
    class_of_[word] = to;
    class_tokens_[to] += tokens_[word];
    ++class_words_[to];
    for (const Count& history : histories(word)) {
      auto& row = rows_[history.what];
      const auto at = std::find_if(row.begin(), row.end(), [&](const Count& count) { return count.what == to; });
      if (at == row.end())
        row.push_back({to, history.tokens});
      else
        at->tokens += history.tokens;
    }
  }
  RandomStream random(seed, 0);
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[random.below(static_cast<std::uint32_t>(i))]);
}

double ClassTrainer::objective() const {
  double sum = 0;
  for (const auto& row : rows_)
    for (const Count& count : row) sum += entropy_term(count.tokens);
  for (const std::uint64_t tokens : class_tokens_) sum -= entropy_term(tokens);
  return sum;
}

double ClassTrainer::gain(WordId word, std::uint32_t to) const {
  const std::uint32_t from = class_of_[word];
  if (from == to) return 0;
  double sum = 0;
  for (const Count& history : histories(word)) {
    std::uint64_t in_from = 0, in_to = 0;
    for (const Count& count : rows_[history.what]) {
      if (count.what == from) in_from = count.tokens;
      if (count.what == to) in_to = count.tokens;
    }
    sum += entropy_term(in_from - history.tokens) - entropy_term(in_from);
    sum += entropy_term(in_to + history.tokens) - entropy_term(in_to);
  }
  const std::uint64_t tokens = tokens_[word];
  sum -= entropy_term(class_tokens_[from] - tokens) - entropy_term(class_tokens_[from]);
  sum -= entropy_term(class_tokens_[to] + tokens) - entropy_term(class_tokens_[to]);
  return sum;
}

std::uint32_t ClassTrainer::best_class(WordId word, std::vector<double>& gains) const {
  const std::uint32_t from = class_of_[word];
  std::fill(gains.begin(), gains.end(), 0.0);
  double everywhere = 0;  // what leaving, and arriving after a history that never saw the class, bring
  for (const Count& history : histories(word)) {
    const double alone = entropy_term(history.tokens);
    everywhere += alone;
    for (const Count& count : rows_[history.what]) {
      if (count.what == from)
        everywhere += entropy_term(count.tokens - history.tokens) - entropy_term(count.tokens);
      else
        gains[count.what] += entropy_term(count.tokens + history.tokens) - entropy_term(count.tokens) - alone;
    }
  }
  const std::uint64_t tokens = tokens_[word];
  everywhere -= entropy_term(class_tokens_[from] - tokens) - entropy_term(class_tokens_[from]);
  std::uint32_t best = from;
  double best_gain = kLeastGain;
  for (std::uint32_t to = 0; to < gains.size(); ++to) {
    if (to == from) continue;
    const double total =
        gains[to] + everywhere - (entropy_term(class_tokens_[to] + tokens) - entropy_term(class_tokens_[to]));
    if (total > best_gain) {
      best_gain = total;
      best = to;
    }
  }
  return best;
}

void ClassTrainer::move(WordId word, std::uint32_t to) {
  const std::uint32_t from = class_of_[word];
  for (const Count& history : histories(word)) {
    auto& row = rows_[history.what];
    Count* arrived = nullptr;
    std::size_t left = row.size();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].what == to) arrived = &row[i];
      if (row[i].what == from) left = i;
    }
    row[left].tokens -= history.tokens;
    if (arrived != nullptr) {
      arrived->tokens += history.tokens;
      if (row[left].tokens == 0) {
        row[left] = row.back();
        row.pop_back();
      }
    } else if (row[left].tokens == 0) {
      row[left] = {to, history.tokens};
    } else {
      row.push_back({to, history.tokens});
    }
  }
  class_tokens_[from] -= tokens_[word];
  class_tokens_[to] += tokens_[word];
  --class_words_[from];
  ++class_words_[to];
  class_of_[word] = to;
}

void ClassTrainer::assign(WordId word, std::uint32_t to) {
  if (word >= class_of_.size() || tokens_[word] == 0 || to >= class_tokens_.size())
    throw SettingError("no such word or class");
  if (class_of_[word] != to) move(word, to);
}

std::size_t ClassTrainer::iterate(int threads, const StopCallback& stop) {
  const std::size_t part = iteration_++ % 3;
  std::vector<WordId> turn;
  for (std::size_t i = part; i < order_.size(); i += 3) turn.push_back(order_[i]);
  const std::size_t batch = std::max<std::size_t>(1, turn.size() / 64);
  const auto size_of = [&](std::size_t round) { return std::min(batch, turn.size() - round * batch); };
  std::vector<std::uint32_t> choice(batch);
  const auto workers = std::clamp<std::size_t>(batch / kWorthAThread, 1, worker_count(threads));
  std::size_t moved = 0;
  parallel_rounds(
      shard_count(turn.size(), batch), [&](std::size_t round) { return shard_count(size_of(round), kEvaluated); },
      static_cast<int>(workers),
      [&](std::size_t round, std::size_t shard) {
        std::vector<double> gains(class_tokens_.size());
        const std::size_t end = std::min(size_of(round), (shard + 1) * kEvaluated);
        for (std::size_t i = shard * kEvaluated; i < end; ++i) choice[i] = best_class(turn[round * batch + i], gains);
      },
      [&](std::size_t round) {
        for (std::size_t i = 0; i < size_of(round); ++i) {
          const WordId word = turn[round * batch + i];
          if (choice[i] == class_of_[word] || class_words_[class_of_[word]] == 1) continue;
          if (gain(word, choice[i]) <= kLeastGain) continue;
          move(word, choice[i]);
          ++moved;
        }
      },
      stop);
  return moved;
}

}  // namespace dragoman::lm
