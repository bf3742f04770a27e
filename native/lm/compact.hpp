#pragma once
// The compact layout: a trie over reversed n-grams, level by level in sorted order, each entry packed into as many bits
// as its fields need, with values quantised to a small code book per order or kept exactly (Whittaker and Raj 2001;
// Heafield 2011). Slower than hashing and several times smaller; unlike it, the n-grams can be listed again.
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "lm/state.hpp"

namespace dragoman::lm {

struct CompactUnigram {
  float logprob, backoff;
  std::uint64_t children;  // where the bigrams ending in this word begin; the next word's number ends them
};
static_assert(sizeof(CompactUnigram) == 16);

// One n-gram as stored, and its position in its level.
struct Found {
  float logprob;
  float backoff;
  bool extends_left;
};
using Node = std::uint64_t;

inline constexpr int kExactBits = 32;  // a field of this width holds the float itself

// Reads `bits` (at most 56) at a bit position; the caller sees to 8 readable bytes from there.
[[nodiscard]] inline std::uint64_t read_bits(const std::uint8_t* bytes, std::uint64_t position, int bits) noexcept {
  std::uint64_t word;
  std::memcpy(&word, bytes + (position >> 3), sizeof word);
  return (word >> (position & 7)) & ((std::uint64_t{1} << bits) - 1);
}
inline void write_bits(std::uint8_t* bytes, std::uint64_t position, std::uint64_t value) noexcept {
  std::uint64_t word;
  std::memcpy(&word, bytes + (position >> 3), sizeof word);
  word |= value << (position & 7);
  std::memcpy(bytes + (position >> 3), &word, sizeof word);
}

// Field widths of one level: word | logprob | backoff | children; the last level has the first two only.
struct LevelFormat {
  int word_bits = 0, logprob_bits = 0, backoff_bits = 0, child_bits = 0;

  [[nodiscard]] int entry_bits() const noexcept { return word_bits + logprob_bits + backoff_bits + child_bits; }
  // One entry more than there are n-grams (it ends the last one's children), and room for the widest read.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t entries) const noexcept {
    return ((entries + 1) * static_cast<std::uint64_t>(entry_bits()) + 7) / 8 + 8;
  }
};

[[nodiscard]] inline LevelFormat level_format(int order, std::span<const std::uint64_t> counts, int logprob_bits,
                                              int backoff_bits) noexcept {
  const bool last = order == static_cast<int>(counts.size());
  const auto width = [](std::uint64_t largest) { return static_cast<int>(std::bit_width(largest)); };
  return {width(counts[0]), logprob_bits, last ? 0 : backoff_bits,
          last ? 0 : width(counts[static_cast<std::size_t>(order)])};
}

class Compact {
 public:
  struct Level {
    const std::uint8_t* bytes = nullptr;
    std::uint64_t entries = 0;
    LevelFormat format;
    std::span<const float> logprobs, backoffs;  // code books; empty where values are exact
  };

  Compact() = default;
  Compact(int order, std::span<const CompactUnigram> unigrams) noexcept : order_(order), unigrams_(unigrams) {}
  void set_level(int order, const Level& level) noexcept { levels_[static_cast<std::size_t>(order)] = level; }

  [[nodiscard]] Node start(WordId word, Found& found) const noexcept {
    const CompactUnigram& entry = unigrams_[word];
    found = {entry.logprob, entry.backoff, entry.children < unigrams_[word + 1].children};
    return word;
  }
  [[nodiscard]] bool extend(int order, Node& node, WordId older, Found& found) const noexcept {
    const Level& level = levels_[static_cast<std::size_t>(order)];
    auto [low, high] = children(order - 1, node);
    high = std::min(high, level.entries);
    while (low < high) {  // binary search; ranges are short beyond the first level
      const std::uint64_t middle = low + (high - low) / 2;
      const auto word = read_bits(level.bytes, position(level, middle), level.format.word_bits);
      if (word == older) {
        node = middle;
        read(order, level, middle, found);
        return true;
      }
      if (word < older)
        low = middle + 1;
      else
        high = middle;
    }
    return false;
  }

  double score(const State& in, WordId word, State& out, Match& match) const noexcept {
    Found found;
    Node node = start(word, found);
    double logprob = found.logprob;
    out.context[0] = word;
    out.backoff[0] = found.backoff;
    out.length = order_ > 1 && matters(found.backoff) ? 1 : 0;
    std::uint32_t used = 0;
    for (; found.extends_left && used < in.length; ++used) {
      const int longer = static_cast<int>(used) + 2;
      if (!extend(longer, node, in.context[used], found)) break;
      logprob = found.logprob;
      if (longer == order_) {
        ++used;
        break;
      }
      out.context[used + 1] = in.context[used];
      out.backoff[used + 1] = found.backoff;
      if (matters(found.backoff)) out.length = used + 2;
    }
    out.used = out.length;
    match = {used + 1, found.extends_left && static_cast<int>(used) + 1 < order_};
    for (std::uint32_t i = used; i < in.length; ++i) logprob += in.backoff[i];
    return logprob;
  }
  [[nodiscard]] State after(WordId word) const noexcept {
    State out;
    Match match;
    (void)score(State(), word, out, match);
    return out;
  }
  [[nodiscard]] double owed(const State& longer, std::uint32_t length) const noexcept {
    double sum = 0;
    for (std::uint32_t i = length; i < longer.length; ++i) sum += longer.backoff[i];
    return sum;
  }

  // For listing: the oldest word of an entry, its values, and the entries that extend it.
  [[nodiscard]] WordId word(int order, Node node) const noexcept {
    const Level& level = levels_[static_cast<std::size_t>(order)];
    return static_cast<WordId>(read_bits(level.bytes, position(level, node), level.format.word_bits));
  }
  [[nodiscard]] Found values(int order, Node node) const noexcept {
    Found found{};
    read(order, levels_[static_cast<std::size_t>(order)], node, found);
    return found;
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> children(int order, Node node) const noexcept {
    if (order == 1) return {unigrams_[node].children, unigrams_[node + 1].children};
    const Level& level = levels_[static_cast<std::size_t>(order)];
    const LevelFormat& f = level.format;
    const std::uint64_t at =
        position(level, node) + static_cast<std::uint64_t>(f.word_bits + f.logprob_bits + f.backoff_bits);
    return {read_bits(level.bytes, at, f.child_bits),
            read_bits(level.bytes, at + static_cast<std::uint64_t>(f.entry_bits()), f.child_bits)};
  }

 private:
  [[nodiscard]] static std::uint64_t position(const Level& level, std::uint64_t entry) noexcept {
    return entry * static_cast<std::uint64_t>(level.format.entry_bits());
  }
  [[nodiscard]] static float value(const Level& level, std::uint64_t at, int bits,
                                   std::span<const float> book) noexcept {
    const std::uint64_t code = read_bits(level.bytes, at, bits);
    return book.empty() ? std::bit_cast<float>(static_cast<std::uint32_t>(code)) : book[code];
  }
  void read(int order, const Level& level, std::uint64_t entry, Found& found) const noexcept {
    const LevelFormat& f = level.format;
    const std::uint64_t at = position(level, entry) + static_cast<std::uint64_t>(f.word_bits);
    found.logprob = value(level, at, f.logprob_bits, level.logprobs);
    if (order == order_) {
      found.backoff = kNoExtension;
      found.extends_left = false;
      return;
    }
    found.backoff = value(level, at + static_cast<std::uint64_t>(f.logprob_bits), f.backoff_bits, level.backoffs);
    const auto [first, end] = children(order, entry);
    found.extends_left = first < end;
  }

  int order_ = 0;
  std::span<const CompactUnigram> unigrams_;  // one more than there are words
  std::array<Level, kMaxOrder + 1> levels_;
};

}  // namespace dragoman::lm
