#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "common/hash.hpp"
#include "common/random.hpp"
#include "lm/word_table.hpp"
#include "tests/check.hpp"

using namespace dragoman;

namespace {

// How many pairs of neighbours in sorted order are equal: 0 if all differ.
template <typename Value>
std::size_t repeats(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  std::size_t found = 0;
  for (std::size_t i = 1; i < values.size(); ++i) found += values[i] == values[i - 1];
  return found;
}

// All 64 bits differ, and either half repeats about as often as random numbers would.
void check_spread(const std::vector<std::uint64_t>& hashes) {
  CHECK(repeats(hashes) == 0);
  std::vector<std::uint32_t> low, high;
  for (const std::uint64_t hash : hashes) {
    low.push_back(static_cast<std::uint32_t>(hash));
    high.push_back(static_cast<std::uint32_t>(hash >> 32));
  }
  const double keys = static_cast<double>(hashes.size()), expected = keys * keys / 0x1p33;
  const double limit = expected + 6 * std::sqrt(expected) + 6;
  CHECK(static_cast<double>(repeats(low)) < limit);
  CHECK(static_cast<double>(repeats(high)) < limit);
}

}  // namespace

TEST("the full product agrees with the one from halves") {
  RandomStream random(1, 1);
  CHECK((wide_product(~std::uint64_t{0}, ~std::uint64_t{0}) == WideProduct{1, ~std::uint64_t{0} - 1}));
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = random() >> (i % 64), b = random() << (i % 61);
    CHECK(wide_product(a, b) == wide_product_by_halves(a, b));
  }
}

TEST("hashes are what they were: files rely on it") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i);
  std::vector<std::uint64_t> found;
  for (const std::size_t size : {0u, 1u, 3u, 7u, 8u, 15u, 16u, 17u, 64u, 65u, 200u})
    found.push_back(hash_bytes(std::string_view(text).substr(0, size), size % 3));
  const std::vector<std::uint64_t> kept{
      0xa646369096e8fc54ULL, 0x05d605d51e85b13bULL, 0x808b05c9940e98faULL, 0x6e5d557f6b74887dULL,
      0x783f588f5944e927ULL, 0xbd2af81df3d814c1ULL, 0x99e25996809acd61ULL, 0x169ec56b5136bbe2ULL,
      0xdf2ee7bb7be80d44ULL, 0x41d660fc44df71ccULL, 0xaca250112bafe363ULL,
  };
  CHECK(found == kept);
}

TEST("words that once had the same hash do not") {
  for (const auto& [one, other] :
       {std::pair{"bytestrings", "bytestrenge"}, std::pair{"clotheslines", "clothespin's"},
        std::pair{"presentir\u00e0", "presenter\u00f2"}, std::pair{"\u00fcberlautes", "\u00fcberlasten"}})
    CHECK(hash_bytes(std::string_view(one)) != hash_bytes(std::string_view(other)));
}

TEST("bytes in a register hash as bytes in memory") {
  const char bytes[] = "\xff\x80 a\0b\x01";
  for (const std::uint64_t seed : {0u, 1u, 77u})
    for (std::size_t size = 0; size < 8; ++size) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes, size);
      CHECK(hash_short(word, size, seed) == hash_bytes(bytes, size, seed));
    }
}

TEST("each bit of the input flips each bit of the hash half of the time") {
  constexpr int kTrials = 400;
  for (std::size_t size = 1; size <= 64; ++size) {
    std::vector<std::array<int, 64>> flips(size * 8);
    for (int trial = 0; trial < kTrials; ++trial) {
      RandomStream random(size, static_cast<std::uint64_t>(trial));
      std::array<unsigned char, 64> bytes;
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
      const std::uint64_t seed = random(), hash = hash_bytes(bytes.data(), size, seed);
      for (std::size_t bit = 0; bit < flips.size(); ++bit) {
        const auto mask = static_cast<unsigned char>(1u << (bit % 8));
        bytes[bit / 8] ^= mask;
        const std::uint64_t change = hash ^ hash_bytes(bytes.data(), size, seed);
        bytes[bit / 8] ^= mask;
        for (std::size_t out = 0; out < 64; ++out) flips[bit][out] += static_cast<int>(change >> out & 1);
      }
    }
    // One in two, within five standard deviations for the worst of 32,768 pairs of bits, and in sum for each input.
    for (const auto& row : flips) {
      int sum = 0;
      for (const int count : row) {
        CHECK(std::abs(count - kTrials / 2) < 5.5 * 0.5 * std::sqrt(kTrials));
        sum += count;
      }
      CHECK(std::abs(sum - 32 * kTrials) < 5.5 * 0.5 * std::sqrt(64.0 * kTrials));
    }
  }
}

TEST("every byte, every length and every seed counts") {
  std::vector<unsigned char> bytes(300);
  std::unordered_set<std::uint64_t> seen;
  std::size_t keys = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    seen.insert(hash_bytes(bytes.data(), size));
    for (std::uint64_t seed = 1; seed <= 64; ++seed) seen.insert(hash_bytes(bytes.data(), size, seed));
    keys += 65;
    for (std::size_t at = 0; at < size; ++at)
      for (const int value : {0x01, 0x20, 0x80}) {
        bytes[at] = static_cast<unsigned char>(value);
        seen.insert(hash_bytes(bytes.data(), size));
        bytes[at] = 0;
        ++keys;
      }
  }
  CHECK(seen.size() == keys);
}

TEST("sparse keys keep apart") {
  for (const std::size_t size : {8u, 12u, 16u, 20u, 32u}) {
    std::vector<std::uint64_t> hashes;
    std::array<unsigned char, 32> key{};
    const auto flip = [&](std::size_t bit) { key[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8)); };
    const std::size_t bits = size * 8;
    for (std::size_t a = 0; a < bits; ++a) {
      flip(a);
      hashes.push_back(hash_bytes(key.data(), size));
      for (std::size_t b = a + 1; b < bits; ++b) {
        flip(b);
        hashes.push_back(hash_bytes(key.data(), size));
        for (std::size_t c = b + 1; c < bits && size <= 16; ++c) {
          flip(c);
          hashes.push_back(hash_bytes(key.data(), size));
          flip(c);
        }
        flip(b);
      }
      flip(a);
    }
    check_spread(hashes);
  }
}

TEST("cyclic keys keep apart") {
  for (const std::size_t period : {1u, 2u, 3u, 4u, 8u, 16u}) {
    std::unordered_set<std::string> keys;
    RandomStream random(period, 0);
    for (int i = 0; i < 20000; ++i) {
      std::string cycle, key;
      for (std::size_t at = 0; at < period; ++at) cycle += static_cast<char>(random() % (period < 4 ? 256 : 8));
      for (std::size_t times = 1 + random() % 24; times > 0; --times) key += cycle;
      keys.insert(key);
    }
    std::vector<std::uint64_t> hashes;
    for (const std::string& key : keys) hashes.push_back(hash_bytes(key));
    check_spread(hashes);
  }
}

TEST("arrays of ids keep apart") {
  std::vector<std::uint64_t> ones, pairs, triples;
  for (std::uint32_t id = 0; id < 1'000'000; ++id) {
    const std::uint32_t pair[] = {id / 1000, id % 1000}, triple[] = {id / 10000, id / 100 % 100, id % 100};
    ones.push_back(hash_bytes(&id, sizeof id));
    pairs.push_back(hash_bytes(pair, sizeof pair));
    triples.push_back(hash_bytes(triple, sizeof triple));
  }
  for (const auto& hashes : {ones, pairs, triples}) check_spread(hashes);
}

TEST("differences in two words of a key do not cancel") {
  // The highest, the lowest and the middle bits of two of the words: what a product that is cut off loses or keeps.
  for (const std::size_t words : {2u, 3u, 4u, 9u})
    for (const int shift : {0, 28, 56})
      for (std::size_t first = 0; first + 1 < words; ++first) {
        std::vector<std::uint64_t> hashes;
        std::array<std::uint64_t, 9> key;
        key.fill(0x6e69727473657479ULL);  // letters
        for (std::uint64_t a = 0; a < 256; ++a)
          for (std::uint64_t b = 0; b < 256; ++b) {
            auto changed = key;
            changed[first] ^= a << shift;
            changed[words - 1] ^= b << shift;
            hashes.push_back(hash_bytes(changed.data(), words * 8));
          }
        check_spread(hashes);
      }
}

TEST("no two words of dictionaries have the same hash") {
  const std::filesystem::path folder = "/usr/share/dict";
  std::error_code none;
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.is_symlink() || entry.path().filename().string().starts_with("README")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (texts.size() < 2)
    throw testing::Skipped{"there are no word lists of several languages in " + folder.string() +
                           "; on Debian: apt-get install wamerican wdanish witalian wngerman wpolish"};
  std::vector<std::pair<std::uint64_t, std::string_view>> words;
  for (const std::string_view text : texts)
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      words.emplace_back(hash_bytes(text.substr(at, end - at)), text.substr(at, end - at));
    }
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < words.size(); ++i)
    CHECK(words[i].first != words[i - 1].first || words[i].second == words[i - 1].second);
}

TEST("a vocabulary takes the first seed under which its words differ") {
  const std::vector<std::string_view> words{"<unk>", "bytestrings", "bytestrenge", "a"};
  const auto proper = [](std::string_view word, std::uint64_t seed) { return hash_bytes(word, seed); };
  CHECK(lm::key_words(words, proper).seed == 0);
  // Two words are the same under the first three seeds, and one has a key that marks free slots.
  const auto clumsy = [&](std::string_view word, std::uint64_t seed) {
    if (word == "a") return lm::kFreeKey;
    return seed < 3 && word.starts_with("bytestr") ? 7 : proper(word, seed);
  };
  const lm::KeyedWords keyed = lm::key_words(words, clumsy);
  CHECK(keyed.seed == 3);
  const lm::HashTable<lm::WordEntry> table(keyed.entries, lm::slots_for(words.size(), lm::kWordSpare));
  for (WordId id = 0; id < words.size(); ++id) {
    const lm::WordEntry* entry = table.find(lm::usable_key(clumsy(words[id], keyed.seed)));
    CHECK(entry != nullptr && entry->word == id);
  }
}

TEST("a word with the key of another is not that word") {
  const std::vector<std::string_view> words{"<unk>", "translation"};
  const auto borrowed = [](std::string_view word, std::uint64_t seed) {
    return hash_bytes(word == "translation" ? "overwhelming" : word, seed);
  };
  const lm::KeyedWords keyed = lm::key_words(words, borrowed);
  const std::string letters = "<unk>translation";
  const std::vector<std::uint32_t> ends{5, 16};
  const lm::WordTable table(keyed.seed, ends, letters, keyed.entries);
  CHECK(table.id_of_key(table.key("overwhelming")) == 1);
  CHECK(table.id("overwhelming") == kUnknown);
  CHECK(table.word(1) == "translation");
}
