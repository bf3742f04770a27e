#include "semantics/sentence_counts.hpp"

#include <algorithm>
#include <vector>

namespace dragoman::semantics {
namespace {

constexpr std::size_t kWordsPerShard = 256;

// Different words of each sentence, ascending.
struct SentenceSets {
  std::vector<WordId> words;
  std::vector<std::size_t> ends;

  SentenceSets(const SentenceIds& text, std::span<const std::uint8_t> wanted) {
    std::int64_t begin = 0;
    for (const std::int64_t end : text.ends) {
      if (end < begin || end > static_cast<std::int64_t>(text.words.size()))
        throw InputError("sentences whose ends are not in order");
      const std::size_t first = words.size();
      for (std::int64_t at = begin; at < end; ++at) {
        const WordId word = text.words[static_cast<std::size_t>(at)];
        if (word >= wanted.size()) throw InputError("a word beyond the vocabulary");
        if (wanted[word] != 0) words.push_back(word);
      }
      const auto from = words.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(from, words.end());
      words.erase(std::unique(from, words.end()), words.end());
      ends.push_back(words.size());
      begin = end;
    }
  }
  [[nodiscard]] std::span<const WordId> operator[](std::size_t sentence) const {
    const std::size_t begin = sentence == 0 ? 0 : ends[sentence - 1];
    return std::span(words).subspan(begin, ends[sentence] - begin);
  }
};

}  // namespace

Rows count_together(const SentenceIds& source, const SentenceIds& target, std::span<const std::uint8_t> rows,
                    std::span<const std::uint8_t> columns, int threads, const StopCallback& stop) {
  if (source.ends.size() != target.ends.size()) throw InputError("sides of different numbers of sentences");
  const SentenceSets left(source, rows), right(target, columns);
  // Where each source word occurs.
  std::vector<std::size_t> starts(rows.size() + 1, 0);
  for (const WordId word : left.words) ++starts[word + 1];
  for (std::size_t word = 0; word < rows.size(); ++word) starts[word + 1] += starts[word];
  std::vector<std::uint32_t> places(left.words.size());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t sentence = 0; sentence < left.ends.size(); ++sentence)
    for (const WordId word : left[sentence]) places[next[word]++] = static_cast<std::uint32_t>(sentence);
  std::vector<Rows> parts(shard_count(rows.size(), kWordsPerShard));
  parallel_shards(
      parts.size(), threads,
      [&](std::size_t shard) {
        Accumulator sums(columns.size());
        const std::size_t end = std::min(rows.size(), (shard + 1) * kWordsPerShard);
        for (std::size_t word = shard * kWordsPerShard; word < end; ++word) {
          for (std::size_t at = starts[word]; at < starts[word + 1]; ++at)
            for (const WordId other : right[places[at]]) sums.add(other, 1);
          sums.flush(parts[shard]);
        }
      },
      stop);
  Rows found;
  for (const Rows& part : parts) found.append(part);
  return found;
}

}  // namespace dragoman::semantics
