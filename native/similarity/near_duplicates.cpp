#include "similarity/near_duplicates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>

namespace dragoman::similarity {

namespace {

constexpr std::size_t kLines = 4096;

using Number = std::uint32_t;

// Lines as sets of words, the rarest word first; all in one array.
struct WordSets {
  std::vector<Number> words;
  std::vector<std::size_t> ends{0};

  [[nodiscard]] std::span<const Number> of(std::size_t line) const noexcept {
    return {words.data() + ends[line], ends[line + 1] - ends[line]};
  }
};

WordSets word_sets(const std::vector<std::string_view>& lines, std::size_t& types) {
  std::unordered_map<std::string_view, Number> numbers;
  WordSets sets;
  for (const std::string_view line : lines) {
    const auto start = static_cast<std::ptrdiff_t>(sets.words.size());
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      if (end > at)
        sets.words.push_back(
            numbers.try_emplace(line.substr(at, end - at), static_cast<Number>(numbers.size())).first->second);
      at = end + 1;
    }
    std::sort(sets.words.begin() + start, sets.words.end());
    sets.words.erase(std::unique(sets.words.begin() + start, sets.words.end()), sets.words.end());
    sets.ends.push_back(sets.words.size());
  }
  types = numbers.size();
  // Numbers by frequency, so that sorting a set puts the rarest first; equal ones in the order of the text.
  std::vector<std::size_t> counts(types, 0);
  for (const Number word : sets.words) ++counts[word];
  std::vector<Number> order(types), rank(types);
  std::iota(order.begin(), order.end(), Number{0});
  std::ranges::stable_sort(order, [&](Number a, Number b) { return counts[a] < counts[b]; });
  for (std::size_t at = 0; at < types; ++at) rank[order[at]] = static_cast<Number>(at);
  for (Number& word : sets.words) word = rank[word];
  for (std::size_t line = 0; line < lines.size(); ++line)
    std::sort(sets.words.begin() + static_cast<std::ptrdiff_t>(sets.ends[line]),
              sets.words.begin() + static_cast<std::ptrdiff_t>(sets.ends[line + 1]));
  return sets;
}

std::size_t common_words(std::span<const Number> first, std::span<const Number> second, std::size_t needed) noexcept {
  std::size_t common = 0, i = 0, j = 0;
  while (i < first.size() && j < second.size()) {
    if (common + std::min(first.size() - i, second.size() - j) < needed) return 0;
    if (first[i] == second[j]) {
      ++common;
      ++i;
      ++j;
    } else if (first[i] < second[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

// The least whole number that is not less, forgiving what rounding of a product may add.
std::size_t least_whole(double value) noexcept { return static_cast<std::size_t>(std::ceil(value - 1e-9)); }

}  // namespace

NearDuplicates near_duplicates(const std::vector<std::string_view>& lines, double least, int threads,
                               const StopCallback& stop) {
  if (!(least > 0 && least <= 1)) throw SettingError("least=" + std::to_string(least), "choose from above 0 to 1");
  std::size_t types = 0;
  const WordSets sets = word_sets(lines, types);
  std::vector<Number> by_size;
  for (std::size_t line = 0; line < lines.size(); ++line)
    if (!sets.of(line).empty()) by_size.push_back(static_cast<Number>(line));
  std::ranges::stable_sort(by_size, [&](Number a, Number b) { return sets.of(a).size() < sets.of(b).size(); });
  const auto prefix = [&](std::span<const Number> words) {
    return words.first(words.size() - least_whole(least * static_cast<double>(words.size())) + 1);
  };

  // Places (in the order of size) of the lines that have a word among their rarest.
  std::vector<std::size_t> starts(types + 1, 0);
  for (const Number line : by_size)
    for (const Number word : prefix(sets.of(line))) ++starts[word + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Number> places(starts.back());
  {
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t at = 0; at < by_size.size(); ++at)
      for (const Number word : prefix(sets.of(by_size[at]))) places[next[word]++] = static_cast<Number>(at);
  }

  const std::size_t shards = shard_count(by_size.size(), kLines);
  std::vector<NearDuplicates> parts(shards);
  parallel_shards(
      shards, threads,
      [&](std::size_t shard) {
        std::vector<Number> seen(by_size.size(), 0);
        NearDuplicates& part = parts[shard];
        const std::size_t end = std::min(by_size.size(), (shard + 1) * kLines);
        for (std::size_t at = shard * kLines; at < end; ++at) {
          stop_if_interrupted();
          const auto words = sets.of(by_size[at]);
          const auto mark = static_cast<Number>(at - shard * kLines + 1);
          const std::size_t smallest = least_whole(least * static_cast<double>(words.size()));
          for (const Number word : prefix(words)) {
            const auto from = places.begin() + static_cast<std::ptrdiff_t>(starts[word]);
            const auto to = places.begin() + static_cast<std::ptrdiff_t>(starts[word + 1]);
            auto place =
                std::partition_point(from, to, [&](Number other) { return sets.of(by_size[other]).size() < smallest; });
            for (; place != to && *place < at; ++place) {
              if (seen[*place] == mark) continue;
              seen[*place] = mark;
              const auto others = sets.of(by_size[*place]);
              const auto both = static_cast<double>(words.size() + others.size());
              const std::size_t needed = least_whole(least / (1 + least) * both);
              const std::size_t common = common_words(words, others, needed);
              const double jaccard = static_cast<double>(common) / (both - static_cast<double>(common));
              if (common < needed || jaccard < least - 1e-12) continue;
              const auto [low, high] = std::minmax(by_size[at], by_size[*place]);
              part.first.push_back(low);
              part.second.push_back(high);
              part.jaccard.push_back(jaccard);
            }
          }
        }
      },
      stop);

  NearDuplicates all;
  for (const NearDuplicates& part : parts) {
    all.first.insert(all.first.end(), part.first.begin(), part.first.end());
    all.second.insert(all.second.end(), part.second.begin(), part.second.end());
    all.jaccard.insert(all.jaccard.end(), part.jaccard.begin(), part.jaccard.end());
  }
  std::vector<std::size_t> order(all.first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(all.first[a], all.second[a]) < std::pair(all.first[b], all.second[b]);
  });
  NearDuplicates sorted;
  for (const std::size_t at : order) {
    sorted.first.push_back(all.first[at]);
    sorted.second.push_back(all.second[at]);
    sorted.jaccard.push_back(all.jaccard[at]);
  }
  return sorted;
}

}  // namespace dragoman::similarity
