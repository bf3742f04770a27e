#pragma once
// The soft links of the training pairs of a sampled model. A sampler learns about the very sentences it is run on (each
// word is judged by all the others, itself left out), which distributions alone cannot give back; so they are kept, by
// the words of the pair, and the same pair gets them again.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/bitext.hpp"

namespace dragoman::align {

class LinkMemory {
 public:
  struct Entry {
    std::uint32_t cell;  // source position * target length + target position
    std::uint16_t forward, reverse;
  };
  static constexpr double kUnits = 65000;

  LinkMemory() = default;
  LinkMemory(std::vector<std::uint64_t> keys, std::vector<std::uint64_t> ends, std::vector<Entry> entries)
      : keys_(std::move(keys)), ends_(std::move(ends)), entries_(std::move(entries)) {}

  // Marginals of all cells of the usable pairs, in units; of pairs that occur twice the first is kept. What is in
  // `earlier` and not in `bitext` stays.
  static LinkMemory build(const Bitext& bitext, std::span<const std::uint16_t> forward,
                          std::span<const std::uint16_t> reverse, const LinkMemory& earlier);

  [[nodiscard]] std::optional<std::span<const Entry>> find(std::span<const WordId> source,
                                                           std::span<const WordId> target) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return keys_.empty(); }
  [[nodiscard]] std::span<const std::uint64_t> keys() const noexcept { return keys_; }
  [[nodiscard]] std::span<const std::uint64_t> ends() const noexcept { return ends_; }
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }

 private:
  std::vector<std::uint64_t> keys_;  // hashes of sentence pairs, sorted
  std::vector<std::uint64_t> ends_;  // of each pair's entries
  std::vector<Entry> entries_;
};

}  // namespace dragoman::align
