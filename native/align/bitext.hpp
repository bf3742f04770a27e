#pragma once
// Sentence pairs as word ids, flat: what every aligner trains on and aligns. A pair is usable when neither side is
// empty or longer than the limit; the others are kept in place, with empty alignments, and counted by the caller.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.hpp"

namespace dragoman::align {

class Bitext {
 public:
  // `ends[k]` is where sentence k stops in the words of its side. Throws InputError when the sides do not match.
  Bitext(std::vector<WordId> source, std::vector<std::int64_t> source_ends, std::vector<WordId> target,
         std::vector<std::int64_t> target_ends, std::size_t max_length);

  [[nodiscard]] std::size_t size() const noexcept { return source_ends_.size(); }
  [[nodiscard]] std::span<const WordId> source(std::size_t k) const noexcept { return slice(source_, source_ends_, k); }
  [[nodiscard]] std::span<const WordId> target(std::size_t k) const noexcept { return slice(target_, target_ends_, k); }
  [[nodiscard]] bool usable(std::size_t k) const noexcept {
    const std::size_t rows = source(k).size(), columns = target(k).size();
    return rows != 0 && columns != 0 && rows <= max_length_ && columns <= max_length_;
  }
  [[nodiscard]] std::size_t cells(std::size_t k) const noexcept { return source(k).size() * target(k).size(); }
  [[nodiscard]] WordId source_words() const noexcept { return source_words_; }  // one more than the largest id
  [[nodiscard]] WordId target_words() const noexcept { return target_words_; }
  [[nodiscard]] std::size_t max_length() const noexcept { return max_length_; }
  [[nodiscard]] std::size_t usable_pairs() const noexcept;
  [[nodiscard]] std::size_t longest() const noexcept;  // of either side, among the usable pairs

 private:
  static std::span<const WordId> slice(const std::vector<WordId>& words, const std::vector<std::int64_t>& ends,
                                       std::size_t k) noexcept {
    const auto start = static_cast<std::size_t>(k == 0 ? 0 : ends[k - 1]);
    return {words.data() + start, static_cast<std::size_t>(ends[k]) - start};
  }

  std::vector<WordId> source_, target_;
  std::vector<std::int64_t> source_ends_, target_ends_;
  std::size_t max_length_;
  WordId source_words_, target_words_;
};

// A link from a source to a target position; alignments are sorted lists of them.
struct Link {
  std::int32_t source, target;
  friend bool operator==(const Link&, const Link&) = default;
  friend auto operator<=>(const Link&, const Link&) = default;
};

// The links of many sentence pairs; those of pair k end at `ends[k]`.
struct Alignments {
  std::vector<Link> links;
  std::vector<std::int64_t> ends;

  [[nodiscard]] std::span<const Link> of(std::size_t k) const noexcept {
    const auto start = static_cast<std::size_t>(k == 0 ? 0 : ends[k - 1]);
    return {links.data() + start, static_cast<std::size_t>(ends[k]) - start};
  }
};

}  // namespace dragoman::align
