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

  // As it lies in a file. Pairs are sorted by the hash of their words, which are kept to be compared.
  struct Parts {
    std::vector<std::uint64_t> keys;  // hashes of the pairs, sorted
    std::vector<std::uint64_t> ends;  // of each pair's entries
    std::vector<Entry> entries;
    std::vector<std::uint64_t> sides;  // where in `words` each pair's source ends, and its target
    std::vector<WordId> words;
  };

  LinkMemory() = default;
  // Throws InputError unless the parts fit together.
  explicit LinkMemory(Parts parts);

  // Marginals of all cells of the usable pairs, in units; of pairs that occur twice the first is kept. What is in
  // `earlier` and not in `bitext` stays.
  static LinkMemory build(const Bitext& bitext, std::span<const std::uint16_t> forward,
                          std::span<const std::uint16_t> reverse, const LinkMemory& earlier);

  [[nodiscard]] std::optional<std::span<const Entry>> find(std::span<const WordId> source,
                                                           std::span<const WordId> target) const noexcept;
  [[nodiscard]] static std::uint64_t key_of(std::span<const WordId> source, std::span<const WordId> target) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return parts_.keys.size(); }
  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }

 private:
  [[nodiscard]] std::span<const WordId> side(std::size_t index) const noexcept;  // source and target of each pair
  [[nodiscard]] std::span<const Entry> entries(std::size_t pair) const noexcept;

  Parts parts_;
};

}  // namespace dragoman::align
