#pragma once
// Which target words occur beside which source words: the support of every lexical table, shared by both directions.
// A pair of words has a slot; a table is an array over slots. Rows are sorted, so that a slot can be searched for, and
// while memory allows, `Cells` remembers the slot of every cell of every sentence pair, so that training never
// searches.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "align/bitext.hpp"
#include "common/parallel.hpp"

namespace dragoman::align {

using Slot = std::uint32_t;
inline constexpr Slot kAbsent = std::numeric_limits<Slot>::max();

class PairIndex {
 public:
  PairIndex() : starts_{0} {}
  PairIndex(std::vector<std::uint64_t> starts, std::vector<WordId> targets)
      : starts_(std::move(starts)), targets_(std::move(targets)) {}

  // The pairs of words that occur in one sentence pair of `bitext`, and those of `base`.
  static PairIndex build(const Bitext& bitext, const PairIndex& base, int threads, const StopCallback& stop = {});

  [[nodiscard]] std::size_t size() const noexcept { return targets_.size(); }
  [[nodiscard]] WordId source_words() const noexcept { return static_cast<WordId>(starts_.size() - 1); }
  [[nodiscard]] std::size_t start(WordId source) const noexcept { return static_cast<std::size_t>(starts_[source]); }
  // The slot of an entry of the rows, which are stored one after the other from `start`.
  [[nodiscard]] Slot slot(std::size_t entry) const noexcept {
    return slots_.empty() ? static_cast<Slot>(entry) : slots_[entry];
  }
  [[nodiscard]] std::span<const WordId> row(WordId source) const noexcept {
    if (source >= source_words()) return {};
    return {targets_.data() + starts_[source], static_cast<std::size_t>(starts_[source + 1] - starts_[source])};
  }
  [[nodiscard]] Slot find(WordId source, WordId target) const noexcept;
  [[nodiscard]] std::span<const std::uint64_t> starts() const noexcept { return starts_; }
  [[nodiscard]] std::span<const WordId> targets() const noexcept { return targets_; }
  // Calls use(source, target, slot) for every pair, row by row.
  template <typename Use>
  void for_each(Use&& use) const {
    for (WordId source = 0; source < source_words(); ++source)
      for (std::size_t entry = starts_[source]; entry < starts_[source + 1]; ++entry)
        use(source, targets_[entry], slot(entry));
  }

 private:
  friend class Cells;

  std::vector<std::uint64_t> starts_;  // of the row of each source word; one more entry at the end
  std::vector<WordId> targets_;
  std::vector<Slot> slots_;  // of each entry; none: entries are slots
};

// The slots of each sentence pair, source position by target position.
class Cells {
 public:
  // Remembers all slots, and numbers them anew, if there are at most `budget` cells; otherwise they are searched for
  // each time. `pairs` must be built from `bitext`.
  Cells(const Bitext& bitext, PairIndex& pairs, std::size_t budget, int threads, const StopCallback& stop = {});

  [[nodiscard]] std::span<const Slot> of(std::size_t k, std::vector<Slot>& scratch) const;
  [[nodiscard]] std::uint64_t offset(std::size_t k) const noexcept { return offsets_[k]; }
  [[nodiscard]] std::uint64_t total() const noexcept { return offsets_.back(); }
  [[nodiscard]] bool remembered() const noexcept { return remembered_; }

 private:
  void renumber(PairIndex& pairs);

  const Bitext* bitext_;
  const PairIndex* pairs_;
  std::vector<std::uint64_t> offsets_;  // of each pair's block; skipped pairs have none
  std::vector<Slot> slots_;
  bool remembered_;
};

}  // namespace dragoman::align
