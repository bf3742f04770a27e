#include "lm/score.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dragoman::lm {
namespace {

constexpr std::size_t kShard = 256;  // sentences

// Calls use(key) for each token, as `for_each_token` cuts them. Tokens of up to seven bytes, most of any text, are
// found and hashed from one eight-byte read, without a branch per letter.
template <typename Use>
void for_each_key(const WordTable& words, std::string_view line, const Use& use) {
  // High bits mark bytes up to that of a space, exact up to the first one.
  const auto below_blank = [](std::uint64_t word) {
    return (word - 0x2121212121212121ULL) & ~word & 0x8080808080808080ULL;
  };
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    if (blank(*at)) {
      ++at;
      continue;
    }
    const char* stop = at;
    if (end - at >= 8) {
      std::uint64_t word;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t low = below_blank(word);
      const auto size = static_cast<std::size_t>(std::countr_zero(low)) / 8;
      if (low != 0 && blank(at[size])) {
        use(words.short_key(word & ((std::uint64_t{1} << (8 * size)) - 1), size));
        at += size + 1;
        continue;
      }
      for (stop += size; end - stop >= 8; stop += 8) {
        std::memcpy(&word, stop, sizeof word);
        if (below_blank(word) != 0) break;
      }
    }
    while (stop != end && !blank(*stop)) ++stop;
    use(words.key({at, static_cast<std::size_t>(stop - at)}));
    at = stop;
  }
}

// The ids of a sentence. Keys are computed first and their slots requested from memory, so that the look-ups, which
// would wait for it one by one, wait once.
void append_ids(const WordTable& words, std::string_view sentence, std::vector<WordId>& ids) {
  constexpr std::size_t kGroup = 32;
  std::uint64_t keys[kGroup];
  std::size_t waiting = 0;
  const auto look_up = [&] {
    for (std::size_t i = 0; i < waiting; ++i) ids.push_back(words.id_of_key(keys[i]));
    waiting = 0;
  };
  for_each_key(words, sentence, [&](std::uint64_t key) {
    keys[waiting] = key;
    words.prefetch(key);
    if (++waiting == kGroup) look_up();
  });
  look_up();
}

struct Totals {
  double logprob = 0, unknown_logprob = 0;
};

// Scores sentences one after the other; `ends` are where they stop in `words`.
void score_range(const Compact& tables, const State& begin, std::span<const WordId> words,
                 std::span<const std::size_t> ends, std::span<Totals> totals) {
  std::size_t at = 0;
  Match match;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    State states[2] = {begin, State()};
    for (int turn = 0; at < ends[i]; ++at, turn ^= 1) {
      const double logprob = tables.score(states[turn], words[at], states[turn ^ 1], match);
      totals[i].logprob += logprob;
      if (words[at] == kUnknown) totals[i].unknown_logprob += logprob;
    }
  }
}

// The same for the hashed layout, many sentences in turn, each a lane. A lane asks memory for its next n-gram and lets
// the others go on while it waits. In text that the model has not seen, whether an n-gram is there is a coin toss, and
// the wrong guesses of the processor would cost more than all else; so nothing branches on it. Instead each round looks
// up one n-gram per lane, sorts the lanes by what they found, and serves those that found the same in a loop of its own
// (as databases select rows: Ross 2004). Every lane adds the same values in the same order whatever the others do.
class Lanes {
 public:
  Lanes(const Hashed& tables, const State& begin, std::span<const WordId> words, std::span<const std::size_t> ends,
        std::span<Totals> totals)
      : tables_(tables), begin_(tables.context_of(begin)), words_(words), ends_(ends), totals_(totals) {}

  void run() {
    Lane* waiting[kLanes];
    std::size_t busy = 0;
    for (Lane& lane : lanes_)
      if (load(lane)) waiting[busy++] = &lane;
    Lane *hits[kLanes], *misses[kLanes], *onwards[kLanes];
    while (busy > 0) {
      std::size_t hit = 0, missed = 0, onward = 0;
      for (std::size_t i = 0; i < busy; ++i) {
        Lane* const lane = waiting[i];
        const Hashed::Look look = tables_.look(lane->place);
        lane->arc = look.arc;
        hits[hit] = misses[missed] = onwards[onward] = lane;
        hit += look.found;
        onward += look.onwards;
        missed += !(look.found | look.onwards);
      }
      busy = 0;
      for (std::size_t i = 0; i < onward; ++i) {
        Lane& lane = *onwards[i];
        if (tables_.ends_at(lane.place)) [[unlikely]] {  // a damaged file
          hits[hit++] = &lane;
          continue;
        }
        ++lane.place.bucket;
        tables_.prefetch(lane.context, lane.place);
        waiting[busy++] = &lane;
      }
      for (std::size_t i = 0; i < missed; ++i) {
        Lane& lane = *misses[i];
        if (lane.context.length == 0) [[unlikely]] {  // a damaged file
          hits[hit++] = &lane;
          continue;
        }
        pay(lane, tables_.back_off(lane.context));
        ask(lane);
        waiting[busy++] = &lane;
      }
      for (std::size_t i = 0; i < hit; ++i) {
        Lane& lane = *hits[i];
        pay(lane, tables_.follow(lane.arc, lane.context));
        if (++lane.word == lane.stop) {
          *lane.totals = lane.paid;
          if (!load(lane)) continue;
        } else {
          ask(lane);
        }
        waiting[busy++] = &lane;
      }
    }
  }

 private:
  static constexpr std::size_t kLanes = 32;
  struct Lane {
    Hashed::Place place;
    Hashed::Context context;
    std::uint32_t arc;  // found at the place
    const WordId *word, *stop;
    Totals paid, *totals;
  };

  // Takes the next sentence that has something to score, if there is one.
  bool load(Lane& lane) {
    while (next_ < ends_.size() && ends_[next_] == from_) ++next_;
    if (next_ == ends_.size()) return false;
    lane = {{}, begin_, 0, words_.data() + from_, words_.data() + ends_[next_], {}, &totals_[next_]};
    from_ = ends_[next_++];
    ask(lane);
    return true;
  }
  void ask(Lane& lane) const noexcept {
    lane.place = tables_.place(lane.context, *lane.word);
    tables_.prefetch(lane.context, lane.place);
  }
  static void pay(Lane& lane, double logprob) noexcept {
    lane.paid.logprob += logprob;
    if (*lane.word == kUnknown) [[unlikely]]
      lane.paid.unknown_logprob += logprob;
  }

  const Hashed& tables_;
  Hashed::Context begin_;
  std::span<const WordId> words_;
  std::span<const std::size_t> ends_;
  std::span<Totals> totals_;
  std::size_t next_ = 0, from_ = 0;
  Lane lanes_[kLanes];
};

void score_range(const Hashed& tables, const State& begin, std::span<const WordId> words,
                 std::span<const std::size_t> ends, std::span<Totals> totals) {
  Lanes(tables, begin, words, ends, totals).run();
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
            const auto start = words.begin() + static_cast<std::ptrdiff_t>(i == from ? 0 : ends[i - from - 1]);
            const auto stop = words.begin() + static_cast<std::ptrdiff_t>(ends[i - from]);
            scores.events[i] = stop - start;
            scores.unknown[i] = std::count(start, stop, kUnknown);
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
                   [&](std::size_t i, std::vector<WordId>& words) { append_ids(model.words(), sentences[i], words); });
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
      append_ids(model.words(), sentence, scores.words);
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
