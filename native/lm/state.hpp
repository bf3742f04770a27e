#pragma once
// What a model must remember of the words before: the longest suffix that can still matter (state minimisation after Li
// and Khudanpur 2008 and Heafield 2011). States that are equal give equal scores to whatever follows. What is inside
// depends on the layout of the model and is its own business.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "common/hash.hpp"
#include "common/ids.hpp"
#include "lm/ngrams.hpp"

namespace dragoman::lm {

struct State {
  std::uint32_t length = 0;              // words remembered
  std::uint32_t used = 0;                // entries of `context` that are meaningful
  std::uint32_t context[kMaxOrder - 1];  // hashed: the number of the context; compact: its words, newest first
  float backoff[kMaxOrder - 1];          // compact only: of the newest i + 1 words

  [[nodiscard]] bool operator==(const State& other) const noexcept {
    return length == other.length && std::equal(context, context + used, other.context);
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return hash_bytes(context, used * sizeof(std::uint32_t), length);
  }
  // States are copied millions of times, and only a part of them is ever in use.
  State() = default;
  State(const State& other) noexcept { *this = other; }
  State& operator=(const State& other) noexcept {
    length = other.length;
    used = other.used;
    std::copy(other.context, other.context + used, context);
    std::copy(other.backoff, other.backoff + used, backoff);
    return *this;
  }
};

// A back-off weight of negative zero says more than "1": no longer n-gram has this context, it can be forgotten.
inline constexpr float kNoExtension = -0.0f;
[[nodiscard]] inline bool matters(float backoff) noexcept {
  return std::bit_cast<std::uint32_t>(backoff) != std::bit_cast<std::uint32_t>(kNoExtension);
}

// How a word was found.
struct Match {
  std::uint32_t length;  // of the n-gram
  bool extends_left;     // some longer n-gram ends in this one
};

}  // namespace dragoman::lm
