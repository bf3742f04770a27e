#pragma once
// How many different things a text has, about, in one pass and in little memory: what models of it will have to hold.
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

namespace dragoman {

// About how many different values there were: of their hashes the least are kept, and how dense these lie says how many
// there are (Bar-Yossef et al. 2002). Exact up to so many; beyond, the error is 1.6 per cent, as a standard deviation.
class DistinctCount {
 public:
  void add(std::uint64_t hash) {
    if (hash >= limit_) return;
    least_.insert(hash);
    if (least_.size() <= kKept) return;
    limit_ = *least_.rbegin();
    least_.erase(limit_);
  }
  [[nodiscard]] std::uint64_t estimate() const noexcept;

 private:
  static constexpr std::size_t kKept = 4096;
  std::set<std::uint64_t> least_;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();  // the least that is not kept
};

// Word pairs of sentence pairs, and n-grams of target sentences with their ends, by order.
class TextVariety {
 public:
  explicit TextVariety(std::size_t order) : ngrams_(order) {}

  // Words are what stands between blanks.
  void add(std::string_view source, std::string_view target);
  [[nodiscard]] std::uint64_t word_pairs() const noexcept { return pairs_.estimate(); }
  [[nodiscard]] std::vector<std::uint64_t> ngrams() const;

 private:
  DistinctCount pairs_;
  std::vector<DistinctCount> ngrams_;
  std::vector<std::uint64_t> source_, target_;  // hashes of words
};

}  // namespace dragoman
