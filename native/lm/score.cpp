#include "lm/score.hpp"

#include <bit>
#include <cstring>

namespace dragoman::lm {
namespace {

constexpr std::size_t kShard = 256;  // sentences

// Calls use(key) for each token, as `for_each_token` cuts them and `Model::word_key` hashes them. Tokens of up to seven
// bytes, most of any text, are found and hashed from one eight-byte read, without a branch per letter.
template <typename Use>
void for_each_key(std::string_view line, const Use& use) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL, kHighs = 0x8080808080808080ULL;
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    if (blank(*at)) {
      ++at;
      continue;
    }
    if (end - at >= 8) {
      std::uint64_t word;
      std::memcpy(&word, at, sizeof word);
      // High bits mark bytes below 0x21, exact up to the first one.
      const std::uint64_t low = (word - kOnes * 0x21) & ~word & kHighs;
      const auto size = static_cast<std::size_t>(std::countr_zero(low)) / 8;
      if (low != 0 && blank(at[size])) {
        use(usable_key(hash_short(word & ((std::uint64_t{1} << (8 * size)) - 1), size)));
        at += size + 1;
        continue;
      }
    }
    const char* stop = at;
    while (stop != end && !blank(*stop)) ++stop;
    use(usable_key(hash_bytes(at, static_cast<std::size_t>(stop - at))));
    at = stop;
  }
}

// The ids of a sentence. Keys are computed first and their slots requested from memory, so that the look-ups, which
// would wait for it one by one, wait once.
void append_ids(const Model& model, std::string_view sentence, std::vector<WordId>& ids) {
  constexpr std::size_t kGroup = 32;
  std::uint64_t keys[kGroup];
  std::size_t waiting = 0;
  const auto look_up = [&] {
    for (std::size_t i = 0; i < waiting; ++i) ids.push_back(model.id_of_key(keys[i]));
    waiting = 0;
  };
  for_each_key(sentence, [&](std::uint64_t key) {
    keys[waiting] = key;
    model.prefetch_word(key);
    if (++waiting == kGroup) look_up();
  });
  look_up();
}

struct Totals {
  double logprob = 0, unknown_logprob = 0;
  std::int64_t events = 0, unknown = 0;
};

void add(Totals& totals, WordId word, double logprob) noexcept {
  totals.logprob += logprob;
  ++totals.events;
  if (word == kUnknown) {
    totals.unknown_logprob += logprob;
    ++totals.unknown;
  }
}

// Scores sentences one after the other; `ends` are where they stop in `words`.
void score_range(const Compact& tables, const State& begin, std::span<const WordId> words,
                 std::span<const std::size_t> ends, std::span<Totals> totals) {
  std::size_t at = 0;
  Match match;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    State states[2] = {begin, State()};
    for (int turn = 0; at < ends[i]; ++at, turn ^= 1)
      add(totals[i], words[at], tables.score(states[turn], words[at], states[turn ^ 1], match));
  }
}

// The same for the hashed layout, several sentences in turn: each asks memory for its next n-gram and lets the others
// go on while it waits. Same additions in the same order as step by step.
void score_range(const Hashed& tables, const State& begin, std::span<const WordId> words,
                 std::span<const std::size_t> ends, std::span<Totals> totals) {
  constexpr std::size_t kLanes = 8;
  struct Lane {
    const WordId *word, *stop;
    Hashed::Context context;
    std::uint64_t key;  // of the n-gram asked for
    double logprob;     // of this word so far
    Totals* totals;
  };
  const Hashed::Context first{begin.length, begin.used == 0 ? 0 : begin.context[0]};
  std::size_t next = 0, from = 0;
  const auto load = [&](Lane& lane) {
    while (next < ends.size() && ends[next] == from) ++next;  // nothing to score
    if (next == ends.size()) return false;
    const WordId* const word = words.data() + from;
    lane = {word, words.data() + ends[next], first, tables.request(first, *word), 0, &totals[next]};
    from = ends[next++];
    return true;
  };
  Lane lanes[kLanes];
  std::size_t busy = 0;
  while (busy < kLanes && load(lanes[busy])) ++busy;
  Match match;
  while (busy > 0) {
    for (std::size_t i = 0; i < busy;) {
      Lane& lane = lanes[i];
      if (tables.probe(lane.context, *lane.word, lane.key, lane.logprob, match)) {
        add(*lane.totals, *lane.word, lane.logprob);
        lane.logprob = 0;
        if (++lane.word == lane.stop) {
          if (!load(lane)) {
            lane = lanes[--busy];
            continue;
          }
          ++i;
          continue;
        }
      }
      lane.key = tables.request(lane.context, *lane.word);
      ++i;
    }
  }
}

// Runs fill(i, words), which appends the words of sentence i, and scores them, over threads.
template <typename Fill>
SentenceScores score_all(const Model& model, std::size_t count, const ScoreSettings& settings, const StopCallback& stop,
                         const Fill& fill) {
  SentenceScores scores{std::vector<double>(count), std::vector<double>(count), std::vector<std::int64_t>(count),
                        std::vector<std::int64_t>(count)};
  const State begin = settings.begin ? model.begin_state() : State();
  model.with_tables([&](const auto& tables) {
    parallel_ranges(
        count, kShard, settings.threads,
        [&](std::size_t from, std::size_t to) {
          std::vector<WordId> words;
          std::vector<std::size_t> ends;
          words.reserve((to - from) * 24);
          ends.reserve(to - from);
          for (std::size_t i = from; i < to; ++i) {
            fill(i, words);
            if (settings.end) words.push_back(model.header().end);
            ends.push_back(words.size());
          }
          std::vector<Totals> totals(ends.size());
          score_range(tables, begin, words, ends, totals);
          for (std::size_t i = from; i < to; ++i) {
            scores.logprob[i] = totals[i - from].logprob;
            scores.unknown_logprob[i] = totals[i - from].unknown_logprob;
            scores.events[i] = totals[i - from].events;
            scores.unknown[i] = totals[i - from].unknown;
          }
        },
        stop);
  });
  return scores;
}

}  // namespace

SentenceScores score_sentences(const Model& model, std::span<const std::string_view> sentences,
                               const ScoreSettings& settings, const StopCallback& stop) {
  return score_all(model, sentences.size(), settings, stop,
                   [&](std::size_t i, std::vector<WordId>& words) { append_ids(model, sentences[i], words); });
}

std::vector<double> score_ids(const Model& model, std::span<const WordId> words, std::span<const std::int64_t> ends,
                              const ScoreSettings& settings, const StopCallback& stop) {
  return score_all(model, ends.size(), settings, stop,
                   [&](std::size_t i, std::vector<WordId>& all) {
                     const auto start = words.begin() + (i == 0 ? 0 : ends[i - 1]);
                     all.insert(all.end(), start, words.begin() + ends[i]);
                   })
      .logprob;
}

EventScores score_events(const Model& model, std::span<const std::string_view> sentences,
                         const ScoreSettings& settings) {
  EventScores scores;
  const State begin = settings.begin ? model.begin_state() : State();
  model.with_tables([&](const auto& tables) {
    for (const std::string_view sentence : sentences) {
      append_ids(model, sentence, scores.words);
      if (settings.end) scores.words.push_back(model.header().end);
      State states[2] = {begin, State()};
      Match match;
      for (int turn = 0; scores.logprob.size() < scores.words.size(); turn ^= 1) {
        const WordId word = scores.words[scores.logprob.size()];
        scores.logprob.push_back(tables.score(states[turn], word, states[turn ^ 1], match));
        scores.matched.push_back(static_cast<std::uint8_t>(match.length));
      }
      scores.ends.push_back(static_cast<std::int64_t>(scores.words.size()));
    }
  });
  return scores;
}

}  // namespace dragoman::lm
