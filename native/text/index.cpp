#include "text/index.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace dragoman::text {

namespace {

constexpr std::size_t kSections = 4 + VocabularyView::kSections;
constexpr std::size_t kBucketShard = 1 << 16;  // suffixes sorted by one task, at least
constexpr std::size_t kFramesPerTask = 64;

[[noreturn]] void damaged(const std::string& name) {
  throw FormatError("a damaged corpus index", name, "build it again with `dragoman profiles index`");
}

}  // namespace

std::shared_ptr<const CorpusIndex> CorpusIndex::build(std::span<const std::string_view> lines, int threads,
                                                      const StopCallback& stop) {
  std::shared_ptr<CorpusIndex> index(new CorpusIndex());
  index->owned_ = std::make_unique<Owned>();
  Owned& owned = *index->owned_;
  owned.text.push_back(kUnknown);
  for (const std::string_view line : lines) {
    for_each_token(line, [&](std::string_view token) {
      const WordId word = owned.words.intern(token);
      if (word == kUnknown) throw InputError("the token <unk>, which stands for unknown words", "", "remove it");
      owned.text.push_back(word);
    });
    owned.sentence_ends.push_back(static_cast<Position>(owned.text.size()));
    owned.text.push_back(kUnknown);
    if (owned.text.size() > std::numeric_limits<Position>::max() - 1)
      throw InputError("more than 4 thousand million tokens", "", "index parts of the text");
  }
  index->text_ = owned.text;
  index->sentence_ends_ = owned.sentence_ends;
  index->words_ = owned.words.view();
  index->sort_suffixes(threads, stop);
  return index;
}

void CorpusIndex::sort_suffixes(int threads, const StopCallback& stop) {
  std::vector<std::uint64_t>& buckets = owned_->buckets;
  std::vector<Position>& suffixes = owned_->suffixes;
  buckets.assign(words_.size() + 1, 0);
  for (const WordId word : text_) {
    if (word != kUnknown) ++buckets[word + 1];
  }
  for (std::size_t word = 1; word < buckets.size(); ++word) buckets[word] += buckets[word - 1];
  suffixes.resize(buckets.back());
  std::vector<std::uint64_t> next(buckets.begin(), buckets.end());
  for (std::size_t place = 0; place < text_.size(); ++place) {
    if (text_[place] != kUnknown) suffixes[next[text_[place]]++] = static_cast<Position>(place);
  }
  const auto before = [this](Position a, Position b) {
    for (std::size_t k = 1; k < kDepth; ++k) {
      const WordId x = text_[a + k], y = text_[b + k];
      if (x != y) return x < y;
      if (x == kUnknown) break;
    }
    return a < b;
  };
  std::vector<std::size_t> cuts{1};  // words that begin a shard; the order is total, so cuts do not show in the result
  for (std::size_t word = 1; word < words_.size(); ++word) {
    if (buckets[word + 1] - buckets[cuts.back()] >= kBucketShard) cuts.push_back(word + 1);
  }
  if (cuts.back() < words_.size()) cuts.push_back(words_.size());
  parallel_shards(
      cuts.size() - 1, threads,
      [&](std::size_t shard) {
        for (std::size_t word = cuts[shard]; word < cuts[shard + 1]; ++word) {
          std::sort(suffixes.begin() + static_cast<std::ptrdiff_t>(buckets[word]),
                    suffixes.begin() + static_cast<std::ptrdiff_t>(buckets[word + 1]), before);
        }
      },
      stop);
  suffixes_ = suffixes;
  buckets_ = buckets;
}

void CorpusIndex::save(const std::filesystem::path& path) const {
  BinaryWriter writer(path, kCorpusIndexFormat, kSections);
  writer.section(text_);
  writer.section(suffixes_);
  writer.section(sentence_ends_);
  writer.section(buckets_);
  words_.write(writer);
  writer.finish();
}

std::shared_ptr<const CorpusIndex> CorpusIndex::open(const std::filesystem::path& path) {
  std::shared_ptr<CorpusIndex> index(new CorpusIndex());
  const BinaryFile& file = index->file_.emplace(path, kCorpusIndexFormat, kSections);
  index->text_ = file.section<WordId>(0);
  index->suffixes_ = file.section<Position>(1);
  index->sentence_ends_ = file.section<Position>(2);
  index->buckets_ = file.section<std::uint64_t>(3);
  index->words_ = VocabularyView::read(file, 4);
  index->check(file.name());
  return index;
}

// What every look-up relies on to stay inside the file; whether the suffixes are in order only a checksum can tell.
void CorpusIndex::check(const std::string& name) const {
  const bool sizes = !text_.empty() && text_.front() == kUnknown && text_.back() == kUnknown &&
                     text_.size() == suffixes_.size() + sentence_ends_.size() + 1 &&
                     buckets_.size() == words_.size() + 1 && buckets_.front() == 0 &&
                     buckets_.back() == suffixes_.size() && std::is_sorted(buckets_.begin(), buckets_.end());
  if (!sizes) damaged(name);
  for (const WordId word : text_) {
    if (word >= words_.size()) damaged(name);
  }
  for (const Position place : suffixes_) {
    if (place >= text_.size() || text_[place] == kUnknown) damaged(name);
  }
  Position last = 0;
  for (const Position end : sentence_ends_) {
    if (end <= last || end >= text_.size() || text_[end] != kUnknown) damaged(name);
    last = end;
  }
}

SuffixRange CorpusIndex::find(std::span<const WordId> phrase) const {
  if (phrase.size() > kDepth)
    throw InputError("a phrase of " + std::to_string(phrase.size()) + " tokens", "",
                     "look up at most " + std::to_string(kDepth));
  if (phrase.empty() || phrase.front() == kUnknown || phrase.front() >= words_.size()) return {};
  const auto begin = suffixes_.begin() + static_cast<std::ptrdiff_t>(buckets_[phrase.front()]);
  const auto end = suffixes_.begin() + static_cast<std::ptrdiff_t>(buckets_[phrase.front() + 1]);
  // Three-way comparison of a suffix with the phrase, over the length of the phrase.
  const auto compare = [&](Position at) {
    for (std::size_t k = 1; k < phrase.size(); ++k) {
      const WordId word = text_[at + k];
      if (word != phrase[k]) return word < phrase[k] ? -1 : 1;
      if (word == kUnknown) return -1;  // a phrase with unknown words is nowhere
    }
    return 0;
  };
  const auto first = std::partition_point(begin, end, [&](Position at) { return compare(at) < 0; });
  const auto last = std::partition_point(first, end, [&](Position at) { return compare(at) == 0; });
  return {static_cast<std::size_t>(first - suffixes_.begin()), static_cast<std::size_t>(last - suffixes_.begin())};
}

std::vector<Position> CorpusIndex::occurrences(SuffixRange range, std::size_t limit) const {
  const std::size_t all = range.size(), taken = limit == 0 ? all : std::min(all, limit);
  std::vector<Position> places(taken);
  for (std::size_t i = 0; i < taken; ++i) places[i] = suffixes_[range.first + i * all / taken];
  return places;
}

std::size_t CorpusIndex::sentence_of(Position position) const {
  return static_cast<std::size_t>(std::upper_bound(sentence_ends_.begin(), sentence_ends_.end(), position) -
                                  sentence_ends_.begin());
}

std::span<const WordId> CorpusIndex::sentence(std::size_t number) const {
  const Position start = sentence_start(number);
  return text_.subspan(start, sentence_ends_[number] - start);
}

bool CorpusIndex::matches(Position at, std::span<const WordId> phrase) const noexcept {
  for (std::size_t k = 0; k < phrase.size(); ++k) {
    if (text_[at + k] == kUnknown || text_[at + k] != phrase[k]) return false;
  }
  return true;
}

std::vector<Stretch> CorpusIndex::between(std::span<const WordId> left, std::span<const WordId> right,
                                          std::size_t longest, std::size_t limit) const {
  std::vector<Stretch> found;
  const SuffixRange before = find(left), after = find(right);
  if (before.size() == 0 || after.size() == 0) return found;
  if (before.size() <= after.size()) {
    for (const Position at : occurrences(before, limit)) {
      const Position start = at + static_cast<Position>(left.size());
      for (std::uint32_t length = 1; length <= longest && text_[start + length - 1] != kUnknown; ++length) {
        if (matches(start + length, right)) found.push_back({start, length});
      }
    }
  } else {
    for (const Position at : occurrences(after, limit)) {
      for (std::uint32_t length = 1; length <= longest && text_[at - length] != kUnknown; ++length) {
        const Position start = at - length;
        if (start > left.size() && matches(start - static_cast<Position>(left.size()), left))
          found.push_back({start, length});
      }
    }
  }
  return found;
}

std::pair<std::vector<Stretch>, std::vector<std::int64_t>> CorpusIndex::between_all(const Frames& frames,
                                                                                    std::size_t longest, int threads,
                                                                                    const StopCallback& stop) const {
  const std::size_t count = frames.left_ends.size();
  bool good = frames.right_ends.size() == count && frames.limits.size() == count;
  std::int64_t last = 0;
  for (std::size_t i = 0; good && i < count; ++i) {
    good = last <= frames.left_ends[i] && frames.left_ends[i] <= frames.right_ends[i] &&
           frames.right_ends[i] <= static_cast<std::int64_t>(frames.words.size()) && frames.limits[i] >= 0;
    last = frames.right_ends[i];
  }
  if (!good) throw InputError("frames whose ends are not in order");
  std::vector<std::vector<Stretch>> parts(count);
  parallel_ranges(
      count, kFramesPerTask, threads,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const auto start = static_cast<std::size_t>(i == 0 ? 0 : frames.right_ends[i - 1]);
          const auto middle = static_cast<std::size_t>(frames.left_ends[i]);
          const auto finish = static_cast<std::size_t>(frames.right_ends[i]);
          parts[i] = between(frames.words.subspan(start, middle - start), frames.words.subspan(middle, finish - middle),
                             longest, static_cast<std::size_t>(frames.limits[i]));
        }
      },
      stop);
  std::pair<std::vector<Stretch>, std::vector<std::int64_t>> found;
  for (const auto& part : parts) {
    found.first.insert(found.first.end(), part.begin(), part.end());
    found.second.push_back(static_cast<std::int64_t>(found.first.size()));
  }
  return found;
}

}  // namespace dragoman::text
