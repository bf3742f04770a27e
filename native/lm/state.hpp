#pragma once
// What a model must remember of the words before: the longest suffix that can still matter, with the back-off weights
// that the next word may have to pay (state minimisation after Li and Khudanpur 2008 and Heafield 2011). States that
// are equal give equal scores to whatever follows.
#include <algorithm>
#include <cstdint>

#include "common/hash.hpp"
#include "common/ids.hpp"
#include "lm/ngrams.hpp"

namespace dragoman::lm {

struct State {
  std::uint32_t length = 0;
  WordId words[kMaxOrder - 1];   // newest first; only the first `length` are meaningful
  float backoff[kMaxOrder - 1];  // of the context made of the newest i + 1 words

  [[nodiscard]] bool operator==(const State& other) const noexcept {
    return length == other.length && std::equal(words, words + length, other.words);
  }
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_bytes(words, length * sizeof(WordId), length); }
};

// A back-off weight of negative zero says more than "1": no longer n-gram has this context, it can be forgotten.
inline constexpr float kNoExtension = -0.0f;
[[nodiscard]] inline bool matters(float backoff) noexcept {
  return std::bit_cast<std::uint32_t>(backoff) != std::bit_cast<std::uint32_t>(kNoExtension);
}

// One n-gram as stored.
struct Found {
  float logprob;
  float backoff;
  bool extends_left;  // some longer n-gram ends in this one
};

// Where a search stands: in the hashed layout a hash of the words, in the compact one a position in its level.
using Node = std::uint64_t;

}  // namespace dragoman::lm
