#pragma once
// The hashed layout: an automaton whose states are contexts. Every n-gram is an entry in the table of its order, found
// by the number of its context and its last word; its own number, as the context of what follows, is its slot. One
// look-up scores a word whose longest n-gram is known, each step back one more (context encoding after Pauls and Klein
// 2011). Numbers are exact, no hash is trusted. At most 24 bytes an n-gram, 18 of the highest order.
#include <array>
#include <bit>
#include <cmath>

#include "lm/hash_table.hpp"
#include "lm/state.hpp"

namespace dragoman::lm {

// Probabilities are at most 1, so the sign of the stored logarithm is free: positive means "extends to the left".
struct UnigramEntry {
  float logprob, backoff;
};
struct MiddleEntry {
  std::uint32_t key[2];
  float logprob, backoff;
  std::uint32_t shorter;  // the slot of the n-gram without its oldest word, in the order below
};
struct LongestEntry {
  std::uint32_t key[2];
  float logprob;
  std::uint32_t next;  // the same, and whether it can be forgotten
};
static_assert(sizeof(UnigramEntry) == 8 && sizeof(MiddleEntry) == 20 && sizeof(LongestEntry) == 16);

inline constexpr std::uint32_t kForgettable = 0x80000000;  // in `next`
inline constexpr std::uint64_t kMiddleSpare = 5, kLongestSpare = 8;

// One to one, so that no two n-grams share a key; its high bits, which choose the slot, depend on everything.
[[nodiscard]] constexpr std::uint64_t arc_key(std::uint32_t context, WordId word) noexcept {
  std::uint64_t x = ((std::uint64_t{context} << 32) | word) * 0x9e3779b97f4a7c15ULL;
  x ^= x >> 32;
  return usable_key(x * 0xd6e8feb86659fd93ULL);
}

class Hashed {
 public:
  // A context by its length and its number among those; length 0 is the empty one.
  struct Context {
    std::uint32_t length = 0, number = 0;
  };

  Hashed() = default;
  Hashed(int order, std::span<const UnigramEntry> unigrams) noexcept
      : order_(static_cast<std::uint32_t>(order)), unigrams_(unigrams) {}
  void set_middle(int order, HashTable<MiddleEntry> table) noexcept {
    middle_[static_cast<std::size_t>(order)] = table;
  }
  void set_longest(HashTable<LongestEntry> table) noexcept { longest_ = table; }

  // Asks memory for the n-gram of a context and a word; returns its key, for `probe`.
  std::uint64_t request(Context context, WordId word) const noexcept {
    if (context.length == 0) {
#if defined(__GNUC__)
      __builtin_prefetch(unigrams_.data() + word);
#endif
      return 0;
    }
    const std::uint64_t key = arc_key(context.number, word);
    if (context.length + 1 == order_)
      longest_.prefetch(key);
    else
      middle_[context.length + 1].prefetch(key);
    return key;
  }
  // One look-up. Found: adds the log-probability, moves on to the context after the word, returns true. Not: adds the
  // back-off weight, moves to the shorter context, returns false.
  bool probe(Context& context, WordId word, std::uint64_t key, double& logprob, Match& match) const noexcept {
    if (context.length == 0) {
      const UnigramEntry& entry = unigrams_[word];
      logprob -= std::abs(entry.logprob);
      match = {1, !std::signbit(entry.logprob)};
      context = order_ > 1 && matters(entry.backoff) ? Context{1, word} : Context{};
      return true;
    }
    const std::uint32_t longer = context.length + 1;
    if (longer == order_) {
      if (const LongestEntry* entry = longest_.find(key)) {
        logprob -= std::abs(entry->logprob);
        match = {longer, false};
        context.number = entry->next & ~kForgettable;
        if ((entry->next & kForgettable) != 0) shorten(context);
        return true;
      }
    } else if (const MiddleEntry* entry = middle_[longer].find(key)) {
      logprob -= std::abs(entry->logprob);
      match = {longer, !std::signbit(entry->logprob)};
      if (matters(entry->backoff)) {
        context = {longer, static_cast<std::uint32_t>(middle_[longer].slot(entry))};
      } else {
        context.number = entry->shorter;
        if (!matters(backoff(context))) shorten(context);
      }
      return true;
    }
    logprob += backoff(context);
    step_back(context);
    return false;
  }

  double score(const State& in, WordId word, State& out, Match& match) const noexcept {
    Context context{in.length, in.used == 0 ? 0 : in.context[0]};
    double logprob = 0;
    while (!probe(context, word, arc_key(context.number, word), logprob, match)) {
    }
    out = state(context);
    return logprob;
  }
  [[nodiscard]] State after(WordId word) const noexcept {
    State out;
    Match match;
    (void)score(State(), word, out, match);
    return out;
  }
  // What a word pays that is found from the newest `length` words, for being asked for from more.
  [[nodiscard]] double owed(const State& longer, std::uint32_t length) const noexcept {
    Context context{longer.length, longer.used == 0 ? 0 : longer.context[0]};
    double sum = 0;
    while (context.length > length) {
      sum += backoff(context);
      step_back(context);
    }
    return sum;
  }
  [[nodiscard]] static State state(Context context) noexcept {
    State out;
    out.length = context.length;
    out.used = context.length == 0 ? 0 : 1;
    out.context[0] = context.number;
    out.backoff[0] = 0;
    return out;
  }

 private:
  // Numbers read from a file may be anything.
  [[nodiscard]] const MiddleEntry& entry(Context context) const noexcept {
    const auto& table = middle_[context.length];
    return table[context.number < table.size() ? context.number : 0];
  }
  [[nodiscard]] float backoff(Context context) const noexcept {
    if (context.length > 1) return entry(context).backoff;
    return unigrams_[context.number < unigrams_.size() ? context.number : 0].backoff;
  }
  void step_back(Context& context) const noexcept {
    context = context.length > 1 ? Context{context.length - 1, entry(context).shorter} : Context{};
  }
  void shorten(Context& context) const noexcept {
    do {
      step_back(context);
    } while (context.length > 0 && !matters(backoff(context)));
  }

  std::uint32_t order_ = 0;
  std::span<const UnigramEntry> unigrams_;
  std::array<HashTable<MiddleEntry>, kMaxOrder> middle_;
  HashTable<LongestEntry> longest_;
};

}  // namespace dragoman::lm
