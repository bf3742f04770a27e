#pragma once
// A corpus with a suffix array over its tokens: where any phrase occurs, and what stands between two phrases. The text
// is word ids with a 0 before, between and after sentences, so that no phrase reaches over a sentence's end; suffixes
// are sorted by their first `kDepth` tokens, and by place when these are equal.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/binary_file.hpp"
#include "common/parallel.hpp"
#include "common/vocabulary.hpp"

namespace dragoman::text {

using Position = std::uint32_t;  // of a token in the text

// Entries [first, last) of the suffix array.
struct SuffixRange {
  std::size_t first = 0, last = 0;
  [[nodiscard]] std::size_t size() const noexcept { return last - first; }
};

// A stretch of text that stands between two phrases.
struct Stretch {
  Position start;
  std::uint32_t length;
};

// Pairs of phrases that something may stand between: words of all, left and right in turn, with the ends of both.
struct Frames {
  std::span<const WordId> words;
  std::span<const std::int64_t> left_ends, right_ends, limits;
};

class CorpusIndex {
 public:
  static constexpr std::size_t kDepth = 64;  // longest phrase that can be looked up

  // In memory, from tokenised lines; empty lines count as sentences.
  static std::shared_ptr<const CorpusIndex> build(std::span<const std::string_view> lines, int threads,
                                                  const StopCallback& stop);
  static std::shared_ptr<const CorpusIndex> open(const std::filesystem::path& path);  // throws FormatError
  void save(const std::filesystem::path& path) const;

  [[nodiscard]] std::span<const WordId> text() const noexcept { return text_; }
  [[nodiscard]] const VocabularyView& words() const noexcept { return words_; }
  [[nodiscard]] std::size_t tokens() const noexcept { return suffixes_.size(); }
  [[nodiscard]] std::size_t sentences() const noexcept { return sentence_ends_.size(); }
  [[nodiscard]] Position suffix(std::size_t entry) const noexcept { return suffixes_[entry]; }

  [[nodiscard]] std::size_t count(WordId word) const noexcept { return buckets_[word + 1] - buckets_[word]; }
  [[nodiscard]] SuffixRange find(std::span<const WordId> phrase) const;

  // Where a phrase occurs, in the order of the suffix array; of more than `limit` occurrences (0: no limit) so many at
  // a uniform stride.
  [[nodiscard]] std::vector<Position> occurrences(SuffixRange range, std::size_t limit) const;

  // The sentence (from 0) that a token is in, and its tokens.
  [[nodiscard]] std::size_t sentence_of(Position position) const;
  [[nodiscard]] std::span<const WordId> sentence(std::size_t number) const;
  [[nodiscard]] Position sentence_start(std::size_t number) const noexcept {
    return number == 0 ? 1 : sentence_ends_[number - 1] + 1;
  }

  // Stretches of 1 to `longest` tokens with `left` before and `right` after them, inside a sentence. The rarer of the
  // two is looked for, at most `limit` times (0: no limit) at a uniform stride, and the other beside it.
  [[nodiscard]] std::vector<Stretch> between(std::span<const WordId> left, std::span<const WordId> right,
                                             std::size_t longest, std::size_t limit) const;
  // The same for many frames, and where the stretches of each end.
  [[nodiscard]] std::pair<std::vector<Stretch>, std::vector<std::int64_t>> between_all(const Frames& frames,
                                                                                       std::size_t longest, int threads,
                                                                                       const StopCallback& stop) const;

 private:
  struct Owned {
    std::vector<WordId> text;
    std::vector<Position> suffixes, sentence_ends;
    std::vector<std::uint64_t> buckets;
    Vocabulary words;
  };

  CorpusIndex() = default;
  void sort_suffixes(int threads, const StopCallback& stop);
  void check(const std::string& name) const;
  [[nodiscard]] bool matches(Position at, std::span<const WordId> phrase) const noexcept;

  std::unique_ptr<Owned> owned_;
  std::optional<BinaryFile> file_;
  std::span<const WordId> text_;
  std::span<const Position> suffixes_;       // places of all tokens, by what follows from there
  std::span<const Position> sentence_ends_;  // place of the 0 after each sentence
  std::span<const std::uint64_t> buckets_;   // first entry of each word among the suffixes, and the end
  VocabularyView words_;
};

}  // namespace dragoman::text
