#pragma once
// What words have in common beyond their spelling: stems, synonym sets, and phrases that paraphrase each other. All by
// number; Python knows the languages.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/ngrams.hpp"
#include "metrics/segments.hpp"

namespace dragoman::metrics {

struct WordRelations {
  std::vector<std::uint32_t> stems;       // of each word; empty if stems are not used
  std::vector<std::int64_t> synset_ends;  // where the sets of each word end in `synsets`; empty if not used
  std::vector<std::uint32_t> synsets;     // ascending for each word
  std::vector<std::uint8_t> is_function;  // of each word; empty: none is

  [[nodiscard]] bool same_stem(WordId a, WordId b) const noexcept {
    return a < stems.size() && b < stems.size() && stems[a] == stems[b];
  }
  [[nodiscard]] bool synonyms(WordId a, WordId b) const noexcept {
    if (a >= synset_ends.size() || b >= synset_ends.size()) return false;
    const auto first = sets(a), second = sets(b);
    auto i = first.begin();
    auto j = second.begin();
    while (i != first.end() && j != second.end()) {
      if (*i == *j) return true;
      *i < *j ? ++i : ++j;
    }
    return false;
  }
  [[nodiscard]] bool function_word(WordId word) const noexcept {
    return word < is_function.size() && is_function[word] != 0;
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> sets(WordId word) const noexcept {
    const auto start = static_cast<std::size_t>(word == 0 ? 0 : synset_ends[word - 1]);
    return {synsets.data() + start, static_cast<std::size_t>(synset_ends[word]) - start};
  }
};

// Pairs of phrases, each with a value.
class PhrasePairs {
 public:
  void add(Words hypothesis, Words reference, double value) {
    const std::uint32_t pair = pairs_.add(enter(hypothesis), enter(reference));
    if (pair == values_.size()) {
      values_.push_back(value);
      phrases_.emplace_back(std::vector<WordId>(hypothesis.begin(), hypothesis.end()),
                            std::vector<WordId>(reference.begin(), reference.end()));
    } else {
      values_[pair] = std::max(values_[pair], value);
    }
  }

  struct Pair {
    std::vector<WordId> hypothesis, reference;
  };
  [[nodiscard]] std::span<const Pair> all() const noexcept { return phrases_; }
  [[nodiscard]] std::span<double> values() noexcept { return values_; }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

  struct Occurrence {
    std::int32_t start, length;
    std::uint32_t phrase;
  };
  // Where the phrases of the table occur in a text.
  void occurrences(Words words, std::vector<Occurrence>& found) const {
    found.clear();
    for (std::size_t start = 0; start < words.size(); ++start) {
      std::uint32_t node = NgramTable::kRoot;
      for (std::size_t end = start; end < words.size(); ++end) {
        node = trie_.find(node, words[end]);
        if (node == NgramTable::kNone) break;
        if (is_phrase_[node] != 0) {
          found.push_back({static_cast<std::int32_t>(start), static_cast<std::int32_t>(end - start + 1), node});
        }
      }
    }
  }
  // The number of a pair, or kNone.
  [[nodiscard]] std::uint32_t pair(std::uint32_t hypothesis, std::uint32_t reference) const noexcept {
    return pairs_.find(hypothesis, reference);
  }
  [[nodiscard]] double value(std::uint32_t pair) const noexcept { return values_[pair]; }

 private:
  std::uint32_t enter(Words words) {
    std::uint32_t node = NgramTable::kRoot;
    for (const WordId word : words) {
      node = trie_.add(node, word);
      if (node == is_phrase_.size()) is_phrase_.push_back(0);
    }
    if (!words.empty()) is_phrase_[node] = 1;
    return node;
  }

  NgramTable trie_, pairs_;
  std::vector<std::uint8_t> is_phrase_;
  std::vector<double> values_;
  std::vector<Pair> phrases_;
};

}  // namespace dragoman::metrics
