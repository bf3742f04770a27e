#pragma once
// The words of a model: numbers to words, and words to numbers by a 64-bit key. A model chooses its keys so that no two
// of its words share one, and `id` compares the word with the one that it found. Text in bulk is looked up by key
// alone, because reading the letters again slows scoring by a tenth and more: there a word that the model does not know
// could be taken for one that it knows. Words of up to seven bytes cannot (`hash_short`); a longer one would be with a
// probability of words / 2^63, one in ten million million for a model of a million words.
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "common/hash.hpp"
#include "common/ids.hpp"
#include "lm/hash_table.hpp"

namespace dragoman::lm {

inline constexpr std::uint64_t kWordSpare = 2;  // roomy: each token of a text is looked up once

struct WordEntry {
  std::uint32_t key[2];
  WordId word;
};
static_assert(sizeof(WordEntry) == 12);

// All words under keys of their own.
struct KeyedWords {
  std::uint64_t seed = 0;
  std::vector<WordEntry> entries;
};

// Takes the first seed under which `hash(word, seed)` differs for all words, which must differ themselves.
template <typename Hash>
[[nodiscard]] KeyedWords key_words(std::span<const std::string_view> words, const Hash& hash) {
  std::vector<WordEntry> entries(words.size());
  std::vector<std::uint32_t> slots;
  for (std::uint64_t seed = 0;; ++seed) {
    for (std::size_t id = 0; id < words.size(); ++id) {
      const std::uint64_t key = usable_key(hash(words[id], seed));
      std::memcpy(entries[id].key, &key, sizeof key);
      entries[id].word = static_cast<WordId>(id);
    }
    KeyedWords keyed{seed, lay_out<WordEntry>(entries, {{~0u, ~0u}, 0}, kWordSpare, slots)};
    bool distinct = true;
    const WordEntry* previous = nullptr;  // equal keys are neighbours
    for (const WordEntry& entry : keyed.entries) {
      if (key_of(entry) == kFreeKey) continue;
      if (previous != nullptr && key_of(*previous) == key_of(entry)) {
        if (words[previous->word] == words[entry.word]) throw std::logic_error("a word is listed twice");
        distinct = false;
      }
      previous = &entry;
    }
    if (distinct) return keyed;
  }
}

// A view of the arrays, which may be mapped from a file: numbers in them may be anything, and none leads out of them.
class WordTable {
 public:
  WordTable() = default;
  WordTable(std::uint64_t seed, std::span<const std::uint32_t> ends, std::span<const char> letters,
            std::span<const WordEntry> entries) noexcept
      : seed_(seed), ends_(ends), letters_(letters), entries_(entries, slots_for(ends.size(), kWordSpare)) {}

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view word(WordId id) const noexcept {
    const std::uint64_t end = std::min<std::uint64_t>(ends_[id], letters_.size());
    const std::uint64_t start = std::min<std::uint64_t>(id == 0 ? 0 : ends_[id - 1], end);
    return {letters_.data() + start, static_cast<std::size_t>(end - start)};
  }

  [[nodiscard]] std::uint64_t key(std::string_view word) const noexcept { return usable_key(hash_bytes(word, seed_)); }
  // Of a word of fewer than eight bytes, which are given zero-padded.
  [[nodiscard]] std::uint64_t short_key(std::uint64_t bytes, std::size_t size) const noexcept {
    return usable_key(hash_short(bytes, size, seed_));
  }
  void prefetch(std::uint64_t key) const noexcept { entries_.prefetch(key); }
  // The number of the one word of the model that has this key.
  [[nodiscard]] WordId id_of_key(std::uint64_t key) const noexcept {
    const WordEntry* entry = entries_.find(key);
    return entry != nullptr && entry->word < ends_.size() ? entry->word : kUnknown;
  }
  [[nodiscard]] WordId id(std::string_view word) const noexcept {
    const WordId found = id_of_key(key(word));
    return this->word(found) == word ? found : kUnknown;
  }

 private:
  std::uint64_t seed_ = 0;
  std::span<const std::uint32_t> ends_;  // of the words in `letters_`
  std::span<const char> letters_;
  HashTable<WordEntry> entries_;
};

}  // namespace dragoman::lm
