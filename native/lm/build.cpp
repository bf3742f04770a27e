#include "lm/build.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.hpp"

namespace dragoman::lm {
namespace {

template <typename T>
std::vector<std::uint8_t> as_bytes(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

float with_mark(float logprob, bool extends_left) noexcept {
  return extends_left ? std::abs(logprob) : -std::abs(logprob);
}

std::uint64_t value_print(std::uint64_t hash, float logprob, float backoff) noexcept {
  return combine(hash,
                 (std::uint64_t{std::bit_cast<std::uint32_t>(logprob)} << 32) | std::bit_cast<std::uint32_t>(backoff));
}

std::uint64_t value_print(std::span<const WordId> ngram, float logprob, float backoff) noexcept {
  return value_print(hash_bytes(ngram.data(), ngram.size_bytes()), logprob, backoff);
}

std::uint64_t unigram_print(const ClosedNgrams& ngrams) {
  std::uint64_t sum = 0;
  for (const auto& level : ngrams.levels) sum = combine(sum, level.size());
  for (std::size_t i = 0; i < ngrams.levels[0].size(); ++i)
    sum += value_print(hash_bytes(ngrams.words[i], i), ngrams.levels[0].logprob[i], ngrams.levels[0].backoff[i]);
  return sum;
}

void vocabulary(const ClosedNgrams& ngrams, ModelImage& image) {
  for (std::size_t id = 0; id < ngrams.words.size(); ++id) {
    const std::string_view word = ngrams.words[id];
    image.letters.insert(image.letters.end(), word.begin(), word.end());
    if (image.letters.size() > ~std::uint32_t{0}) throw InputError("a vocabulary of more than 4 GB");
    image.ends.push_back(static_cast<std::uint32_t>(image.letters.size()));
    if (word == kBeginWord) image.header.begin = static_cast<WordId>(id);
    if (word == kEndWord) image.header.end = static_cast<WordId>(id);
  }
  KeyedWords keyed =
      key_words(ngrams.words, [](std::string_view word, std::uint64_t seed) { return hash_bytes(word, seed); });
  image.header.seed = keyed.seed;
  image.table = std::move(keyed.entries);
}

// Slots for a number of n-grams longer than one word: as many as make the model no larger than KenLM's probing layout,
// which takes 24 bytes an n-gram, 18 of the highest order, where ours are 16 a slot; words take 12 bytes more here.
class ArcSlots {
 public:
  explicit ArcSlots(const ClosedNgrams& ngrams) {
    for (std::size_t n = 1; n < ngrams.levels.size(); ++n) all_ += static_cast<double>(ngrams.levels[n].size());
    const double longest = static_cast<double>(ngrams.levels.back().size());
    const double bytes = 24 * all_ - 6 * longest - 12 * static_cast<double>(ngrams.words.size());
    slots_ = std::max(bytes / 16, 1.125 * all_);
  }
  [[nodiscard]] std::uint64_t buckets(std::uint64_t ngrams) const {
    const double slots = all_ == 0 ? 0 : static_cast<double>(ngrams) * slots_ / all_;
    return static_cast<std::uint64_t>(slots / kBucketArcs) + 1;
  }

 private:
  double all_ = 0, slots_ = 0;
};

// Which n-grams are contexts to remember: those that something follows, or that have a weight; and their suffixes, so
// that each step back is one word.
std::vector<std::vector<bool>> contexts(const ClosedNgrams& ngrams) {
  std::vector<std::vector<bool>> found(ngrams.levels.size());
  for (int n = ngrams.order() - 1; n >= 1; --n) {
    const auto& level = ngrams.levels[static_cast<std::size_t>(n) - 1];
    auto& here = found[static_cast<std::size_t>(n) - 1];
    here.resize(level.size());
    for (std::size_t i = 0; i < level.size(); ++i) here[i] = matters(level.backoff[i]);
    if (n + 1 == ngrams.order()) continue;
    const auto& longer = found[static_cast<std::size_t>(n)];
    for (std::size_t i = 0; i < longer.size(); ++i)
      if (longer[i]) here[level.entry(ngrams.ngram(n + 1, i).first(static_cast<std::size_t>(n)))] = true;
  }
  found.back().assign(ngrams.levels.back().size(), false);
  return found;
}

// Order by order: the numbers of one are the contexts of the next.
void hashed_arcs(const ClosedNgrams& ngrams, int key_bits, ModelImage& image) {
  const ArcSlots slots(ngrams);
  const auto remembered = contexts(ngrams);
  struct Left {
    std::uint32_t number, length;
  };
  std::vector<std::uint32_t> numbers, longer_numbers;
  std::vector<Left> left, longer_left;  // the contexts that are left after n-grams
  image.arcs.clear();
  for (int n = 1; n <= ngrams.order(); ++n) {
    const auto at = static_cast<std::size_t>(n) - 1;
    const auto& level = ngrams.levels[at];
    std::vector<Arc> arcs(level.size());
    longer_left.assign(level.size(), {0, 0});
    const std::uint64_t spread = (n == 1 ? 1 : kSpread) << (64 - key_bits);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      const auto ngram = ngrams.ngram(n, i);
      std::uint64_t context = 0;
      if (n > 1) {
        const auto& shorter = ngrams.levels[at - 1];
        context = numbers[shorter.entry(ngram.subspan(1))];
        longer_left[i] = left[shorter.entry(ngram.first(at))];
      }
      const Left shorter = longer_left[i];
      const float logprob = with_mark(level.logprob[i], level.extends_left[i] != 0);
      const float weight = level.backoff[i] == 0 ? 0.0f : level.backoff[i];
      arcs[i] = {(context * ngrams.words.size() + ngram[0]) * spread, std::bit_cast<std::uint32_t>(logprob),
                 remembered[at][i] ? std::bit_cast<std::uint32_t>(weight) : kNoContext + shorter.length,
                 shorter.number};
    }
    const std::uint64_t buckets = n == 1 ? std::uint64_t{1} << (key_bits - 2) : slots.buckets(level.size());
    image.header.regions[at] = append_arcs(arcs, key_bits, buckets, image.arcs, longer_numbers);
    for (std::size_t i = 0; i < arcs.size(); ++i)
      if (remembered[at][i]) longer_left[i] = {longer_numbers[i], static_cast<std::uint32_t>(n)};
    numbers.swap(longer_numbers);
    left.swap(longer_left);
  }
}

// Keys must be wide enough for the numbers of contexts, which are known once the arcs have their places.
void hashed_tables(const ClosedNgrams& ngrams, ModelImage& image) {
  const ArcSlots slots(ngrams);
  std::uint64_t numbers = 0;
  for (const auto& level : ngrams.levels) numbers += 16 * (slots.buckets(level.size()) + 4);
  numbers += 4 * ngrams.words.size();
  do {
    image.header.key_bits = static_cast<std::uint64_t>(std::bit_width(numbers * ngrams.words.size()));
    if (image.header.key_bits > 62) throw InputError("more n-grams and words than a model can have");
    hashed_arcs(ngrams, static_cast<int>(image.header.key_bits), image);
    numbers *= 2;
  } while (numbers / 2 < 16 * image.arcs.size());
}

// A code book whose entries stand for equally many values each, by their mean; exact if the values are few.
std::vector<float> code_book(std::vector<float> values, std::size_t size) {
  std::sort(values.begin(), values.end());
  std::vector<float> distinct;
  std::unique_copy(values.begin(), values.end(), std::back_inserter(distinct));
  if (distinct.size() > size) {
    distinct.clear();
    for (std::size_t bin = 0; bin < size; ++bin) {
      const std::size_t from = values.size() * bin / size, to = values.size() * (bin + 1) / size;
      const double sum = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                                         values.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
      distinct.push_back(static_cast<float>(sum / static_cast<double>(to - from)));
    }
  }
  distinct.resize(size, distinct.empty() ? 0.0f : distinct.back());
  return distinct;
}

std::uint64_t nearest(std::span<const float> book, float value) {
  const auto above = std::lower_bound(book.begin(), book.end(), value);
  if (above == book.begin()) return 0;
  if (above == book.end()) return book.size() - 1;
  const bool lower = value - above[-1] <= *above - value;
  return static_cast<std::uint64_t>(above - book.begin()) - (lower ? 1 : 0);
}

// Codes for one kind of value of one order. Of back-off weights the first two codes are kept for the two zeros.
class Coder {
 public:
  Coder(const std::vector<float>& values, int bits, std::size_t reserved) : reserved_(reserved) {
    if (bits == kExactBits) return;
    const std::size_t size = std::size_t{1} << bits;
    std::vector<float> others;
    for (const float value : values)
      if (reserved == 0 || value != 0) others.push_back(value);
    book_ = {kNoExtension, 0.0f};
    book_.resize(reserved);
    const auto rest = code_book(std::move(others), size - reserved);
    book_.insert(book_.end(), rest.begin(), rest.end());
  }
  [[nodiscard]] const std::vector<float>& book() const noexcept { return book_; }
  [[nodiscard]] std::uint64_t code(float value) const {
    if (book_.empty()) return std::bit_cast<std::uint32_t>(value);
    if (reserved_ != 0 && value == 0) return matters(value) ? 1 : 0;
    return reserved_ + nearest(std::span(book_).subspan(reserved_), value);
  }
  [[nodiscard]] float value(std::uint64_t code) const noexcept {
    return book_.empty() ? std::bit_cast<float>(static_cast<std::uint32_t>(code)) : book_[code];
  }

 private:
  std::size_t reserved_;
  std::vector<float> book_;
};

void compact_levels(const ClosedNgrams& ngrams, const BuildSettings& settings, ModelImage& image) {
  const int top = ngrams.order();
  const std::span<const std::uint64_t> counts(image.header.counts, static_cast<std::size_t>(top));
  // Each level sorted by its words, newest first: the children of an entry are neighbours, in the order of their
  // parents.
  std::vector<std::vector<std::uint32_t>> sorted(ngrams.levels.size());
  for (int n = 2; n <= top; ++n) {
    auto& order = sorted[static_cast<std::size_t>(n) - 1];
    order.resize(ngrams.levels[static_cast<std::size_t>(n) - 1].size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto x = ngrams.ngram(n, a), y = ngrams.ngram(n, b);
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    });
  }
  // Walks the children of consecutive entries of order n.
  std::size_t position = 0;
  const auto first_child = [&](int n, std::span<const WordId> parent) {
    const auto& below = sorted[static_cast<std::size_t>(n)];
    while (position < below.size()) {
      const auto child = ngrams.ngram(n + 1, below[position]).first(static_cast<std::size_t>(n));
      if (!std::lexicographical_compare(child.begin(), child.end(), parent.begin(), parent.end())) break;
      ++position;
    }
    return static_cast<std::uint64_t>(position);
  };
  const auto& unigrams = ngrams.levels[0];
  std::vector<CompactUnigram> first(unigrams.size() + 1);
  for (std::size_t i = 0; i < unigrams.size(); ++i)
    first[i] = {unigrams.logprob[i], unigrams.backoff[i], top > 1 ? first_child(1, ngrams.ngram(1, i)) : 0};
  first.back() = {0, 0, top > 1 ? counts[1] : 0};
  image.unigrams = as_bytes(first);

  for (int n = 2; n <= top; ++n) {
    const auto& level = ngrams.levels[static_cast<std::size_t>(n) - 1];
    const LevelFormat f = level_format(n, counts, settings.logprob_bits, settings.backoff_bits);
    const Coder logprobs(level.logprob, settings.logprob_bits, 0);
    const Coder backoffs(n < top ? level.backoff : std::vector<float>(), settings.backoff_bits, 2);
    image.books.insert(image.books.end(), logprobs.book().begin(), logprobs.book().end());
    if (n < top) image.books.insert(image.books.end(), backoffs.book().begin(), backoffs.book().end());
    auto& bytes = image.levels[n - 2];
    bytes.assign(f.bytes(level.size()), 0);
    std::uint64_t at = 0;
    const auto field = [&](std::uint64_t value, int bits) {
      write_bits(bytes.data(), at, value);
      at += static_cast<std::uint64_t>(bits);
    };
    position = 0;
    for (const std::uint32_t entry : sorted[static_cast<std::size_t>(n) - 1]) {
      const auto ngram = ngrams.ngram(n, entry);
      const std::uint64_t logprob = logprobs.code(level.logprob[entry]), backoff = backoffs.code(level.backoff[entry]);
      image.header.fingerprint +=
          value_print(ngram, logprobs.value(logprob), n < top ? backoffs.value(backoff) : kNoExtension);
      field(ngram.back(), f.word_bits);
      field(logprob, f.logprob_bits);
      if (n == top) continue;
      field(backoff, f.backoff_bits);
      field(first_child(n, ngram), f.child_bits);
    }
    if (n < top) {
      at += static_cast<std::uint64_t>(f.word_bits + f.logprob_bits + f.backoff_bits);
      field(counts[static_cast<std::size_t>(n)], f.child_bits);
    }
  }
}

}  // namespace

std::uint64_t fingerprint(const ClosedNgrams& ngrams) {
  std::uint64_t sum = unigram_print(ngrams);
  for (int n = 2; n <= ngrams.order(); ++n) {
    const auto& level = ngrams.levels[static_cast<std::size_t>(n) - 1];
    for (std::uint32_t i = 0; i < level.size(); ++i)
      sum += value_print(ngrams.ngram(n, i), level.logprob[i], level.backoff[i]);
  }
  return sum;
}

ModelImage build(const ClosedNgrams& ngrams, const BuildSettings& settings) {
  for (const int bits : {settings.logprob_bits, settings.backoff_bits})
    if (bits != kExactBits && (bits < 2 || bits > 16))
      throw SettingError("values cannot be quantised to " + std::to_string(bits) + " bits",
                         "choose 2 to 16, or 32 for exact values");
  ModelImage image;
  image.header.layout = settings.layout;
  image.header.order = static_cast<std::uint32_t>(ngrams.order());
  image.header.inserted = ngrams.inserted;
  for (std::size_t n = 0; n < ngrams.levels.size(); ++n) image.header.counts[n] = ngrams.levels[n].size();
  vocabulary(ngrams, image);
  if (settings.layout == Layout::hashed) {
    hashed_tables(ngrams, image);
    image.header.fingerprint = fingerprint(ngrams);
  } else {
    image.header.logprob_bits = static_cast<std::uint32_t>(settings.logprob_bits);
    image.header.backoff_bits = static_cast<std::uint32_t>(settings.backoff_bits);
    image.header.fingerprint = unigram_print(ngrams);
    compact_levels(ngrams, settings, image);
  }
  return image;
}

}  // namespace dragoman::lm
