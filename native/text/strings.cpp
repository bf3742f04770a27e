#include "text/strings.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>

#include "text/glyphs.hpp"

namespace dragoman::text {

namespace {

constexpr std::size_t kShard = 256;

bool is_blank(char letter) noexcept { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

// Numbers words as they come, the same number for the same word.
class WordNumbers {
 public:
  std::vector<std::uint32_t> of(std::string_view text) {
    std::vector<std::uint32_t> found;
    for (std::size_t at = 0; at < text.size();) {
      while (at < text.size() && is_blank(text[at])) ++at;
      const std::size_t start = at;
      while (at < text.size() && !is_blank(text[at])) ++at;
      if (at > start) {
        const auto [entry, fresh] =
            numbers_.try_emplace(text.substr(start, at - start), static_cast<std::uint32_t>(numbers_.size()));
        found.push_back(entry->second);
      }
    }
    return found;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

std::vector<std::uint32_t> characters(std::string_view text) {
  const std::u32string letters = decode(text);
  return {letters.begin(), letters.end()};
}

}  // namespace

std::int64_t common_subsequence(Symbols first, Symbols second) {
  if (first.empty() || second.empty()) return 0;
  std::vector<std::uint32_t> kinds(first.begin(), first.end());
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  const std::size_t words = (first.size() + 63) / 64;
  std::vector<std::uint64_t> masks(kinds.size() * words, 0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto kind = static_cast<std::size_t>(std::ranges::lower_bound(kinds, first[i]) - kinds.begin());
    masks[kind * words + i / 64] |= std::uint64_t{1} << (i % 64);
  }
  // A bit of `open` is 0 where the subsequence grows with that symbol of the first.
  std::vector<std::uint64_t> open(words, ~std::uint64_t{0});
  for (const std::uint32_t symbol : second) {
    const auto found = std::ranges::lower_bound(kinds, symbol);
    if (found == kinds.end() || *found != symbol) continue;
    const std::uint64_t* mask = masks.data() + static_cast<std::size_t>(found - kinds.begin()) * words;
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t matched = open[w] & mask[w];
      const std::uint64_t partial = open[w] + matched;
      const std::uint64_t sum = partial + carry;
      carry = (partial < matched || sum < partial) ? 1 : 0;
      open[w] = sum | (open[w] & ~mask[w]);
    }
  }
  std::int64_t length = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const std::size_t used = std::min<std::size_t>(64, first.size() - 64 * w);
    const std::uint64_t inside = used == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
    length += std::popcount(~open[w] & inside);
  }
  return length;
}

std::int64_t common_stretch(Symbols first, Symbols second) {
  std::vector<std::int64_t> row(second.size() + 1, 0);
  std::int64_t longest = 0;
  for (const std::uint32_t symbol : first) {
    for (std::size_t j = second.size(); j > 0; --j) {
      row[j] = second[j - 1] == symbol ? row[j - 1] + 1 : 0;
      longest = std::max(longest, row[j]);
    }
  }
  return longest;
}

std::vector<std::int64_t> in_common(const std::vector<std::string_view>& first,
                                    const std::vector<std::string_view>& second, StringUnit unit, InCommon what,
                                    int threads, const StopCallback& stop) {
  if (first.size() != second.size()) throw InputError("two lists of the same length are needed");
  std::vector<std::int64_t> found(3 * first.size());
  parallel_shards(
      shard_count(first.size(), kShard), threads,
      [&](std::size_t shard) {
        const std::size_t end = std::min(first.size(), (shard + 1) * kShard);
        for (std::size_t at = shard * kShard; at < end; ++at) {
          WordNumbers numbers;
          const auto symbols = [&](std::string_view text) {
            return unit == StringUnit::kWord ? numbers.of(text) : characters(text);
          };
          const auto ours = symbols(first[at]);
          const auto theirs = symbols(second[at]);
          found[3 * at] =
              what == InCommon::kSubsequence ? common_subsequence(ours, theirs) : common_stretch(ours, theirs);
          found[3 * at + 1] = static_cast<std::int64_t>(ours.size());
          found[3 * at + 2] = static_cast<std::int64_t>(theirs.size());
        }
      },
      stop);
  return found;
}

}  // namespace dragoman::text
