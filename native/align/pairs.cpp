#include "align/pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace dragoman::align {

namespace {

constexpr std::size_t kRowsPerShard = 512;

struct Occurrence {
  std::uint32_t sentence, position;
};

// Where each source word occurs in the usable pairs, by word and then in corpus order.
struct Concordance {
  std::vector<std::uint64_t> starts;
  std::vector<Occurrence> occurrences;

  explicit Concordance(const Bitext& bitext) : starts(bitext.source_words() + 1) {
    for (std::size_t k = 0; k < bitext.size(); ++k)
      if (bitext.usable(k))
        for (const WordId word : bitext.source(k)) ++starts[word + 1];
    for (std::size_t word = 1; word < starts.size(); ++word) starts[word] += starts[word - 1];
    occurrences.resize(starts.back());
    std::vector<std::uint64_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t k = 0; k < bitext.size(); ++k) {
      if (!bitext.usable(k)) continue;
      const auto words = bitext.source(k);
      for (std::size_t i = 0; i < words.size(); ++i)
        occurrences[next[words[i]]++] = {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(i)};
    }
  }
  [[nodiscard]] std::span<const Occurrence> of(WordId word) const noexcept {
    if (word + 1 >= starts.size()) return {};
    return {occurrences.data() + starts[word], static_cast<std::size_t>(starts[word + 1] - starts[word])};
  }
};

}  // namespace

Slot PairIndex::find(WordId source, WordId target) const noexcept {
  const auto words = row(source);
  const auto found = std::lower_bound(words.begin(), words.end(), target);
  if (found == words.end() || *found != target) return kAbsent;
  return slot(starts_[source] + static_cast<std::size_t>(found - words.begin()));
}

PairIndex PairIndex::build(const Bitext& bitext, const PairIndex& base, int threads, const StopCallback& stop) {
  const Concordance concordance(bitext);
  const std::size_t rows = std::max<std::size_t>(bitext.source_words(), base.source_words());
  const std::size_t shards = shard_count(rows, kRowsPerShard);
  std::vector<std::vector<WordId>> parts(shards);
  std::vector<std::uint64_t> starts(rows + 1);
  parallel_shards(
      shards, threads,
      [&](std::size_t shard) {
        std::vector<std::uint32_t> seen(bitext.target_words(), std::numeric_limits<std::uint32_t>::max());
        auto& words = parts[shard];
        for (std::size_t row = shard * kRowsPerShard; row < std::min(rows, (shard + 1) * kRowsPerShard); ++row) {
          const auto source = static_cast<WordId>(row);
          const auto first = static_cast<std::ptrdiff_t>(words.size());
          for (const Occurrence& occurrence : concordance.of(source))
            for (const WordId target : bitext.target(occurrence.sentence))
              if (seen[target] != source) {
                seen[target] = source;
                words.push_back(target);
              }
          for (const WordId target : base.row(source))
            if (target >= seen.size() || seen[target] != source) words.push_back(target);
          std::sort(words.begin() + first, words.end());
          starts[row + 1] = words.size() - static_cast<std::size_t>(first);
        }
      },
      stop);
  for (std::size_t row = 0; row < rows; ++row) starts[row + 1] += starts[row];
  if (starts.back() >= kAbsent)
    throw InputError("more than four thousand million different word pairs", "", "train on a part of the text");
  std::vector<WordId> targets;
  targets.reserve(starts.back());
  for (auto& part : parts) {
    targets.insert(targets.end(), part.begin(), part.end());
    part = {};
  }
  return {std::move(starts), std::move(targets)};
}

Cells::Cells(const Bitext& bitext, PairIndex& pairs, std::size_t budget, int threads, const StopCallback& stop)
    : bitext_(&bitext), pairs_(&pairs), offsets_(bitext.size() + 1) {
  for (std::size_t k = 0; k < bitext.size(); ++k)
    offsets_[k + 1] = offsets_[k] + (bitext.usable(k) ? bitext.cells(k) : 0);
  remembered_ = total() <= budget;
  if (!remembered_) return;
  slots_.resize(total());
  const Concordance concordance(bitext);
  parallel_ranges(
      bitext.source_words(), kRowsPerShard, threads,
      [&](std::size_t begin, std::size_t end) {
        std::vector<Slot> slot_of(bitext.target_words());
        for (auto source = static_cast<WordId>(begin); source < end; ++source) {
          const auto occurrences = concordance.of(source);
          if (occurrences.empty()) continue;
          const auto row = pairs.row(source);
          for (std::size_t at = 0; at < row.size(); ++at)
            if (row[at] < slot_of.size()) slot_of[row[at]] = static_cast<Slot>(pairs.start(source) + at);
          for (const Occurrence& occurrence : occurrences) {
            const auto words = bitext.target(occurrence.sentence);
            Slot* out = slots_.data() + offsets_[occurrence.sentence] + occurrence.position * words.size();
            for (std::size_t j = 0; j < words.size(); ++j) out[j] = slot_of[words[j]];
          }
        }
      },
      stop);
  renumber(pairs);
}

// Slots by frequency class, the most frequent first, and within a class in the order of the text: what is read often
// lies together, and what is read once is read in sequence.
void Cells::renumber(PairIndex& pairs) {
  std::vector<std::uint32_t> frequency(pairs.size());
  for (const Slot entry : slots_) ++frequency[entry];
  const auto rank = [](std::uint32_t count) { return static_cast<std::size_t>(std::countl_zero(count)); };
  std::array<Slot, 34> next{};  // counts below 2^32 have ranks 0 to 32
  for (const std::uint32_t count : frequency) ++next[rank(count) + 1];
  for (std::size_t r = 1; r < next.size(); ++r) next[r] += next[r - 1];
  pairs.slots_.assign(pairs.size(), kAbsent);
  const auto number = [&](Slot entry) {
    Slot& slot = pairs.slots_[entry];
    if (slot == kAbsent) slot = next[rank(frequency[entry])]++;
    return slot;
  };
  for (Slot& entry : slots_) entry = number(entry);
  for (Slot entry = 0; entry < pairs.slots_.size(); ++entry) number(entry);
}

std::span<const Slot> Cells::of(std::size_t k, std::vector<Slot>& scratch) const {
  const std::size_t count = offsets_[k + 1] - offsets_[k];
  if (remembered_) return {slots_.data() + offsets_[k], count};
  scratch.resize(count);
  if (count == 0) return scratch;
  std::size_t at = 0;
  for (const WordId source : bitext_->source(k))
    for (const WordId target : bitext_->target(k)) scratch[at++] = pairs_->find(source, target);
  return scratch;
}

}  // namespace dragoman::align
