#pragma once
// The hashed layout: an automaton whose states are contexts. Every n-gram is an arc, found by the number of its context
// and its last word; its own number stands for it as the context of what follows. One look-up scores a word whose
// longest n-gram is known, each step back one more (context encoding after Pauls and Klein 2011). Single words and all
// orders share one array and one way to look, so that a program can look without asking which of them it is.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "lm/arc_table.hpp"
#include "lm/hash_table.hpp"
#include "lm/state.hpp"

namespace dragoman::lm {

class Hashed {
 public:
  // A context by its length and its number; the empty one is 0 and 0.
  struct Context {
    std::uint32_t length = 0, number = 0;
  };
  // Where the search for an arc goes on, and the tag that it looks for.
  struct Place {
    std::uint32_t bucket = 0, tag = 0;
  };
  // What is there: the arc; or nothing, unless in the next bucket. At most one of the two is true.
  struct Look {
    std::uint32_t arc;
    bool found, onwards;
  };

  Hashed() = default;
  Hashed(int order, std::uint64_t words, int key_bits, std::span<const ArcBucket> buckets,
         std::span<const ArcRegion> regions) noexcept
      : numbers_(buckets.data()->numbers),
        last_bucket_(static_cast<std::uint32_t>(buckets.size() - 1)),
        longest_context_(static_cast<std::uint32_t>(order) - 1),
        words_(words),
        unused_bits_(64 - key_bits) {
    for (std::size_t n = 0; n < regions.size(); ++n)
      searches_[n] = {regions[n].first, regions[n].count, (n == 0 ? 1 : kSpread) << unused_bits_};
  }

  // For listing: the arc with a number, whose four fields are at kTag and so on.
  [[nodiscard]] const std::uint32_t* arc(std::size_t number) const noexcept { return numbers_ + number; }
  [[nodiscard]] std::size_t buckets() const noexcept { return last_bucket_ + std::size_t{1}; }
  // The context and the word of an n-gram whose key, in the low bits, is known.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> origin(std::uint64_t key, int order) const noexcept {
    const std::uint64_t product = order == 1 ? key : (key * gathering() << unused_bits_) >> unused_bits_;
    return {product / words_, product % words_};
  }

  // The parts of a look-up. Numbers read from a file may be anything; none leads out of the array.
  [[nodiscard]] Place place(Context context, WordId word) const noexcept {
    const Search& search = searches_[context.length];
    const std::uint64_t key = (context.number * words_ + word) * search.spread;
    const std::uint64_t bucket = search.first + first_slot(key, search.buckets);
    return {static_cast<std::uint32_t>(std::min<std::uint64_t>(bucket, last_bucket_)),
            static_cast<std::uint32_t>(key >> unused_bits_)};
  }
  // Asks memory for what a look-up will need.
  void prefetch([[maybe_unused]] Context context, [[maybe_unused]] Place place) const noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(numbers_ + std::size_t{place.bucket} * 16);
    __builtin_prefetch(numbers_ + context.number);
#endif
  }
  // Asks memory for all that scoring a word may look at: each step back waits for the one before it, and these need
  // not.
  void prefetch(const State& in, WordId word) const noexcept {
    for (Context context = context_of(in);; (void)back_off(context)) {
      prefetch(context, place(context, word));
      if (context.length == 0) return;
    }
  }
  [[nodiscard]] Look look(Place place) const noexcept {
    const std::uint32_t* const tags = numbers_ + std::size_t{place.bucket} * 16 + kTag;
    // Only a crafted file has a tag twice; the mask keeps the sum of their places inside the bucket.
    const auto at =
        static_cast<std::uint32_t>((tags[1] == place.tag) + 2 * (tags[2] == place.tag) + 3 * (tags[3] == place.tag)) &
        std::uint32_t{kBucketArcs - 1};
    const bool found = tags[at] == place.tag;
    const bool larger = static_cast<std::int32_t>(place.tag - tags[3]) > 0;
    return {place.bucket * 16 + at, found, larger && !found};
  }
  [[nodiscard]] bool ends_at(Place place) const noexcept { return place.bucket == last_bucket_; }
  // Follows an arc, and returns its log-probability.
  float follow(std::uint32_t arc, Context& context) const noexcept {
    const std::uint32_t* const numbers = numbers_ + arc;
    const std::uint32_t backoff = numbers[kBackoff];
    const bool stays = backoff < kNoContext;
    context.number = choose(stays, arc, within(numbers[kShorter]));
    context.length = choose(stays, context.length + 1, backoff - kNoContext) % kSearches;
    return std::bit_cast<float>(numbers[kLogprob] | 0x80000000);
  }
  // Goes from a context, which is not the empty one, to the next shorter one, and returns the back-off weight.
  float back_off(Context& context) const noexcept {
    const std::uint32_t* const numbers = numbers_ + context.number;
    context = {context.length - 1, within(numbers[kShorter])};
    return std::bit_cast<float>(numbers[kBackoff]);
  }

  double score(const State& in, WordId word, State& out, Match& match) const noexcept {
    Context context = context_of(in);
    Place at = place(context, word);
    double logprob = 0;
    for (;;) {
      const Look here = look(at);
      if (here.found || (here.onwards ? ends_at(at) : context.length == 0)) {
        match = {context.length + 1, (numbers_[here.arc + kLogprob] >> 31) == 0};
        logprob += follow(here.arc, context);
        out.length = std::min(context.length, longest_context_);
        out.used = out.length == 0 ? 0 : 1;
        out.context[0] = context.number;
        out.backoff[0] = 0;
        return logprob;
      }
      if (here.onwards) {
        ++at.bucket;
      } else {
        logprob += back_off(context);
        at = place(context, word);
      }
    }
  }
  [[nodiscard]] Context context_of(const State& state) const noexcept {
    return {state.length, state.used == 0 ? 0 : within(state.context[0])};
  }
  [[nodiscard]] State after(WordId word) const noexcept {
    State out;
    Match match;
    (void)score(State(), word, out, match);
    return out;
  }
  // What a word pays that is found from the newest `length` words, for being asked for from more.
  [[nodiscard]] double owed(const State& longer, std::uint32_t length) const noexcept {
    Context context = context_of(longer);
    double sum = 0;
    while (context.length > length) sum += back_off(context);
    return sum;
  }

 private:
  // How to find the arcs from contexts of one length.
  struct Search {
    std::uint64_t first = 0, buckets = 0, spread = 0;
  };
  static constexpr std::uint32_t kSearches = 16;
  static_assert(kMaxOrder <= kSearches);

  // Without a branch, of which the processor would guess the outcome, and often wrongly.
  [[nodiscard]] static std::uint32_t choose(bool first, std::uint32_t a, std::uint32_t b) noexcept {
    return b ^ ((a ^ b) & (0 - static_cast<std::uint32_t>(first)));
  }
  [[nodiscard]] std::uint32_t within(std::uint32_t number) const noexcept {
    return std::min(number, last_bucket_ * 16);
  }

  const std::uint32_t* numbers_ = nullptr;
  std::uint32_t last_bucket_ = 0, longest_context_ = 0;
  std::uint64_t words_ = 0;
  int unused_bits_ = 0;
  std::array<Search, kSearches> searches_{};
};

}  // namespace dragoman::lm
