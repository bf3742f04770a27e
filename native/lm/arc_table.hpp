#pragma once
// N-grams as arcs of an automaton: the number of a context and a word lead to an arc. Arcs lie in buckets of four, each
// one line of memory, by ordered probing as in hash_table.hpp, with keys that are stored in part. Context and word
// together have few bits, often 40; a one-to-one product turns them into a key of as many, whose high bits choose the
// bucket. Arcs lie sorted by key and near their buckets, so that the low 32 bits tell apart all keys that a search can
// meet: no hash is trusted, and the place and those bits still tell the context and the word.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lm/hash_table.hpp"

namespace dragoman::lm {

inline constexpr std::size_t kBucketArcs = 4;

// A bucket is 16 numbers; arc i of it has the numbers at i + kTag, i + kLogprob and so on. The number of an arc, as the
// context of what follows, is the position of its tag in the array of all buckets.
struct alignas(64) ArcBucket {
  std::uint32_t numbers[16];
};
inline constexpr std::size_t kTag = 0,  // the low bits of its key
    kLogprob = 4,   // a float; probabilities are at most 1, so the sign is free: positive means "extends to the left"
    kBackoff = 8,   // a float; or, of an arc that is no context, kNoContext and a length
    kShorter = 12;  // the context without its oldest word; or the longest context left, which has that length

// In the place of a weight: a number that is no float, and with it the length of the context that is left.
inline constexpr std::uint32_t kNoContext = 0xffc00000;

struct Arc {
  std::uint64_t key = 0;
  std::uint32_t logprob = 0, backoff = 0, shorter = 0;
};

// Keys of `bits` bits, in the high ones of 64; enough for the product of the numbers of contexts and of words.
inline constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ULL;

// What undoes a product with kSpread, by Newton's iteration.
[[nodiscard]] constexpr std::uint64_t gathering() noexcept {
  std::uint64_t inverse = kSpread;
  for (int i = 0; i < 5; ++i) inverse *= 2 - kSpread * inverse;
  return inverse;
}
static_assert(kSpread * gathering() == 1);

// The buckets that hold the arcs of one order: `count` of them are those that keys lead to.
struct ArcRegion {
  std::uint64_t first = 0, count = 0;
};

// Goes from bucket to bucket of a region with the first key, in the low bits, that belongs to the next one. Free slots
// have its low bits as their tag: it is larger than all keys that may be looked for there.
class BucketLimits {
 public:
  BucketLimits(std::uint64_t buckets, int key_bits) noexcept
      : buckets_(buckets), key_bits_(key_bits), share_((std::uint64_t{1} << key_bits) / buckets) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    limit_ += share_;
    if (bucket_ + 1 < buckets_ && first_slot(limit_ << (64 - key_bits_), buckets_) <= bucket_) ++limit_;
    ++bucket_;
    return limit_;
  }
  // Keys that lead to one bucket, or one less.
  [[nodiscard]] std::uint64_t share() const noexcept { return share_; }

 private:
  std::uint64_t buckets_;
  int key_bits_;
  std::uint64_t share_, bucket_ = 0, limit_ = 0;
};

// Appends the arcs of one order, which have different keys, to an array; `numbers[i]` becomes the number of arc i. Keys
// lead to at least so many buckets; to more if keys would lie so far apart that 32 bits could not tell them apart.
[[nodiscard]] ArcRegion append_arcs(std::span<const Arc> arcs, int key_bits, std::uint64_t buckets,
                                    std::vector<ArcBucket>& all, std::vector<std::uint32_t>& numbers);

}  // namespace dragoman::lm
