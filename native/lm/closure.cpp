// Every part of an n-gram is an n-gram: the property on which left-to-right search, state minimisation and bounds rest.
#include <limits>
#include <string>

#include "common/error.hpp"
#include "lm/build.hpp"

namespace dragoman::lm {

namespace {

constexpr float kNotYet = std::numeric_limits<float>::infinity();  // the probability of an inserted n-gram

// Unigrams number the words: `<unk>` is 0, the others follow in the order of the list.
std::vector<WordId> renumber(const Ngrams& ngrams, ClosedNgrams& closed) {
  std::vector<WordId> ids(ngrams.words.size(), ~WordId{0});
  closed.words.push_back(ngrams.words.word(kUnknown));
  ids[kUnknown] = kUnknown;
  RecordSpool::Reader unigrams(ngrams.levels[0]);
  while (const std::uint32_t* record = unigrams.next()) {
    const WordId old = record[0];
    if (old == kUnknown) continue;
    ids[old] = static_cast<WordId>(closed.words.size());
    closed.words.push_back(ngrams.words.word(old));
  }
  return ids;
}

void add(ClosedNgrams::Level& level, std::span<const WordId> words, float logprob, float backoff) {
  if (level.size() >= std::numeric_limits<std::uint32_t>::max() - 1)
    throw InputError("more than 4 billion n-grams of one order");
  if (level.ngrams.intern(words) < level.size())
    throw InputError("an n-gram is listed twice", "", "write the list anew");
  level.logprob.push_back(logprob);
  level.backoff.push_back(backoff);
  level.extends_left.push_back(0);
}

}  // namespace

ClosedNgrams close_ngrams(Ngrams& ngrams) {
  if (ngrams.levels.empty()) throw InputError("no n-grams to build a model from");
  ClosedNgrams closed;
  const std::vector<WordId> ids = renumber(ngrams, closed);
  const int order = ngrams.order();
  closed.levels.resize(static_cast<std::size_t>(order));
  for (std::size_t n = 1; n <= closed.levels.size(); ++n) closed.levels[n - 1].ngrams.reset(n);

  // Unigrams in the order of their numbers.
  auto& unigrams = closed.levels[0];
  unigrams.logprob.assign(closed.words.size(), static_cast<float>(kMissingUnknownLog10 * kLn10));
  unigrams.backoff.assign(closed.words.size(), kNoExtension);
  unigrams.extends_left.assign(closed.words.size(), 0);
  for (WordId word = 0; word < closed.words.size(); ++word) unigrams.ngrams.intern({&word, 1});
  const auto stored_backoff = [](double value) {
    const auto stored = static_cast<float>(value);
    return stored == 0 ? kNoExtension : stored;
  };
  RecordSpool::Reader listed(ngrams.levels[0]);
  while (const std::uint32_t* record = listed.next()) {
    const WordId word = ids[record[0]];
    unigrams.logprob[word] = static_cast<float>(Ngrams::logprob(record, 1));
    unigrams.backoff[word] = stored_backoff(Ngrams::backoff(record, 1));
  }
  WordId words[kMaxOrder];
  for (int n = 2; n <= order; ++n) {
    const RecordSpool& list = ngrams.levels[static_cast<std::size_t>(n) - 1];
    auto& level = closed.levels[static_cast<std::size_t>(n) - 1];
    level.logprob.reserve(list.size());
    level.backoff.reserve(list.size());
    level.extends_left.reserve(list.size());
    RecordSpool::Reader reader(list);
    while (const std::uint32_t* record = reader.next()) {
      for (int k = 0; k < n; ++k) words[k] = ids[record[k]];
      const std::span<const WordId> ngram(words, static_cast<std::size_t>(n));
      add(level, ngram, static_cast<float>(Ngrams::logprob(record, n)), stored_backoff(Ngrams::backoff(record, n)));
    }
  }

  // Longest first, so that what is inserted has its own parts inserted too.
  for (int n = order; n > 2; --n) {
    auto& level = closed.levels[static_cast<std::size_t>(n) - 1];
    auto& shorter = closed.levels[static_cast<std::size_t>(n) - 2];
    for (std::size_t i = 0; i < level.size(); ++i) {
      const auto ngram = closed.ngram(n, i);
      for (const auto part : {ngram.first(ngram.size() - 1), ngram.subspan(1)}) {
        if (shorter.ngrams.find(part)) continue;
        add(shorter, part, kNotYet, kNoExtension);
        ++closed.inserted;
      }
    }
  }
  // Shortest first, so that the probability to back off to is known.
  for (int n = 2; n <= order; ++n) {
    auto& level = closed.levels[static_cast<std::size_t>(n) - 1];
    auto& shorter = closed.levels[static_cast<std::size_t>(n) - 2];
    for (std::size_t i = 0; i < level.size(); ++i) {
      const auto ngram = closed.ngram(n, i);
      const std::uint32_t suffix = shorter.entry(ngram.first(ngram.size() - 1));
      const std::uint32_t context = shorter.entry(ngram.subspan(1));
      if (level.logprob[i] == kNotYet) {
        level.logprob[i] = shorter.backoff[context] + shorter.logprob[suffix];
        if (level.logprob[i] > 0)
          throw InputError("the back-off weights make a probability larger than 1", "", "estimate the model again");
      }
      shorter.extends_left[suffix] = 1;
      if (!matters(shorter.backoff[context])) shorter.backoff[context] = 0.0f;
    }
  }
  // A context can matter by its weight alone. Then its shorter forms must be remembered too, or a state would drop the
  // words that lead to it.
  for (int n = order - 1; n > 1; --n) {
    auto& level = closed.levels[static_cast<std::size_t>(n) - 1];
    auto& shorter = closed.levels[static_cast<std::size_t>(n) - 2];
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!matters(level.backoff[i])) continue;
      const auto ngram = closed.ngram(n, i);
      float& backoff = shorter.backoff[shorter.entry(ngram.first(ngram.size() - 1))];
      if (!matters(backoff)) backoff = 0.0f;
    }
  }
  return closed;
}

}  // namespace dragoman::lm
