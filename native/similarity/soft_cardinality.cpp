#include "similarity/soft_cardinality.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "text/glyphs.hpp"

namespace dragoman::similarity {

namespace {

constexpr std::size_t kPairs = 64;
constexpr std::uint32_t kEdge = 0x110000;  // no character has this number

using Bigrams = std::vector<std::uint64_t>;

Bigrams bigrams(std::string_view word) {
  Bigrams found;
  std::uint32_t before = kEdge;
  const auto add = [&](std::uint32_t letter) {
    found.push_back((std::uint64_t{before} << 32) | letter);
    before = letter;
  };
  for (const char32_t letter : text::decode(word)) add(letter);
  add(kEdge);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

double dice(const Bigrams& first, const Bigrams& second) noexcept {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
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
  return 2.0 * static_cast<double>(common) / static_cast<double>(first.size() + second.size());
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) found.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

// The sum over members of 1 / (sum of likeness to all members, itself included).
double cardinality(std::span<const std::size_t> members, const std::vector<double>& likeness, std::size_t size) {
  double total = 0;
  for (const std::size_t one : members) {
    double sum = 0;
    for (const std::size_t other : members) sum += likeness[one * size + other];
    total += 1 / sum;
  }
  return total;
}

}  // namespace

std::vector<double> soft_cardinalities(const std::vector<std::string_view>& first,
                                       const std::vector<std::string_view>& second, double power, int threads,
                                       const StopCallback& stop) {
  if (first.size() != second.size()) throw InputError("two lists of the same length are needed");
  std::vector<double> found(3 * first.size());
  parallel_shards(
      shard_count(first.size(), kPairs), threads,
      [&](std::size_t shard) {
        const std::size_t end = std::min(first.size(), (shard + 1) * kPairs);
        for (std::size_t at = shard * kPairs; at < end; ++at) {
          stop_if_interrupted();
          auto types = words_of(first[at]);
          const std::size_t ours = types.size();
          std::vector<std::size_t> members[3];
          for (std::size_t i = 0; i < ours; ++i) members[0].push_back(i);
          for (const std::string_view word : words_of(second[at])) {
            auto place = static_cast<std::size_t>(std::find(types.begin(), types.end(), word) - types.begin());
            if (place == types.size()) types.push_back(word);
            members[1].push_back(place);
          }
          const std::size_t size = types.size();
          for (std::size_t i = 0; i < size; ++i) members[2].push_back(i);
          std::vector<Bigrams> letters;
          letters.reserve(size);
          for (const std::string_view word : types) letters.push_back(bigrams(word));
          std::vector<double> likeness(size * size);
          for (std::size_t i = 0; i < size; ++i) {
            likeness[i * size + i] = 1;
            for (std::size_t j = 0; j < i; ++j)
              likeness[i * size + j] = likeness[j * size + i] = std::pow(dice(letters[i], letters[j]), power);
          }
          for (std::size_t k = 0; k < 3; ++k) found[3 * at + k] = cardinality(members[k], likeness, size);
        }
      },
      stop);
  return found;
}

}  // namespace dragoman::similarity
