#include "lm/score.hpp"

namespace dragoman::lm {
namespace {

constexpr std::size_t kShard = 256;  // sentences

// The ids of a sentence. Keys are computed first and their slots requested from memory, so that the look-ups, which
// would wait for it one by one, wait once.
void ids_of(const Model& model, std::string_view sentence, std::vector<std::uint64_t>& keys, std::vector<WordId>& ids) {
  keys.clear();
  for_each_token(sentence, [&](std::string_view token) {
    const std::uint64_t key = model.word_key(token);
    model.prefetch_word(key);
    keys.push_back(key);
  });
  ids.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) ids[i] = model.id_of_key(keys[i]);
}

struct Totals {
  double logprob = 0, unknown_logprob = 0;
  std::int64_t events = 0, unknown = 0;
};

// Calls event(word, logprob, matched) for each event of a sentence.
template <typename Tables, typename Event>
void walk(const Model& model, const Tables& tables, const State& begin, std::span<const WordId> words, bool end,
          const Event& event) {
  State states[2];
  const State* in = &begin;
  const int order = model.order();
  std::uint32_t matched;
  for (std::size_t i = 0; i < words.size(); ++i) {
    // The next word's bigram is requested while this word is scored.
    if (order > 1 && i + 1 < words.size()) tables.prefetch(2, extended(word_node(words[i + 1]), words[i]));
    State* out = &states[i & 1];
    const double logprob = score_word(tables, order, *in, words[i], *out, matched);
    event(words[i], logprob, matched);
    in = out;
  }
  if (!end) return;
  const WordId last = model.header().end;
  const double logprob = score_word(tables, order, *in, last, states[words.size() & 1], matched);
  event(last, logprob, matched);
}

template <typename Tables>
Totals total(const Model& model, const Tables& tables, const State& begin, std::span<const WordId> words, bool end) {
  Totals totals;
  walk(model, tables, begin, words, end, [&](WordId word, double logprob, std::uint32_t) {
    totals.logprob += logprob;
    ++totals.events;
    if (word == kUnknown) {
      totals.unknown_logprob += logprob;
      ++totals.unknown;
    }
  });
  return totals;
}

}  // namespace

SentenceScores score_sentences(const Model& model, std::span<const std::string_view> sentences,
                               const ScoreSettings& settings, const StopCallback& stop) {
  const std::size_t count = sentences.size();
  SentenceScores scores{std::vector<double>(count), std::vector<double>(count), std::vector<std::int64_t>(count),
                        std::vector<std::int64_t>(count)};
  const State begin = settings.begin ? model.begin_state() : State{};
  model.with_tables([&](const auto& tables) {
    parallel_ranges(
        count, kShard, settings.threads,
        [&](std::size_t from, std::size_t to) {
          std::vector<std::uint64_t> keys;
          std::vector<WordId> ids;
          for (std::size_t i = from; i < to; ++i) {
            ids_of(model, sentences[i], keys, ids);
            const Totals totals = total(model, tables, begin, ids, settings.end);
            scores.logprob[i] = totals.logprob;
            scores.unknown_logprob[i] = totals.unknown_logprob;
            scores.events[i] = totals.events;
            scores.unknown[i] = totals.unknown;
          }
        },
        stop);
  });
  return scores;
}

std::vector<double> score_ids(const Model& model, std::span<const WordId> words, std::span<const std::int64_t> ends,
                              const ScoreSettings& settings, const StopCallback& stop) {
  std::vector<double> scores(ends.size());
  const State begin = settings.begin ? model.begin_state() : State{};
  model.with_tables([&](const auto& tables) {
    parallel_ranges(
        ends.size(), kShard, settings.threads,
        [&](std::size_t from, std::size_t to) {
          for (std::size_t i = from; i < to; ++i) {
            const auto start = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
            const auto sentence = words.subspan(start, static_cast<std::size_t>(ends[i]) - start);
            scores[i] = total(model, tables, begin, sentence, settings.end).logprob;
          }
        },
        stop);
  });
  return scores;
}

EventScores score_events(const Model& model, std::span<const std::string_view> sentences,
                         const ScoreSettings& settings) {
  EventScores scores;
  const State begin = settings.begin ? model.begin_state() : State{};
  std::vector<std::uint64_t> keys;
  std::vector<WordId> ids;
  model.with_tables([&](const auto& tables) {
    for (const std::string_view sentence : sentences) {
      ids_of(model, sentence, keys, ids);
      walk(model, tables, begin, ids, settings.end, [&](WordId word, double logprob, std::uint32_t matched) {
        scores.words.push_back(word);
        scores.logprob.push_back(logprob);
        scores.matched.push_back(static_cast<std::uint8_t>(matched));
      });
      scores.ends.push_back(static_cast<std::int64_t>(scores.logprob.size()));
    }
  });
  return scores;
}

}  // namespace dragoman::lm
