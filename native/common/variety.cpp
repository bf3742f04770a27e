#include "common/variety.hpp"

#include <algorithm>
#include <cmath>

#include "common/hash.hpp"
#include "common/vocabulary.hpp"

namespace dragoman {

std::uint64_t DistinctCount::estimate() const noexcept {
  if (least_.size() < kKept) return least_.size();
  const double share = std::ldexp(static_cast<double>(limit_), -64);
  return static_cast<std::uint64_t>(static_cast<double>(kKept) / share);
}

void TextVariety::add(std::string_view source, std::string_view target) {
  source_.clear();
  target_.clear();
  for_each_token(source, [&](std::string_view word) { source_.push_back(hash_bytes(word)); });
  for_each_token(target, [&](std::string_view word) { target_.push_back(hash_bytes(word)); });
  for (const std::uint64_t ours : source_)
    for (const std::uint64_t theirs : target_) pairs_.add(combine(ours, theirs));
  target_.insert(target_.begin(), hash_bytes("<s>"));
  target_.push_back(hash_bytes("</s>"));
  for (std::size_t end = 0; end < target_.size(); ++end) {
    std::uint64_t ngram = 0;
    for (std::size_t length = 1; length <= std::min(ngrams_.size(), end + 1); ++length) {
      ngram = combine(ngram, target_[end + 1 - length]);
      ngrams_[length - 1].add(ngram);
    }
  }
}

std::vector<std::uint64_t> TextVariety::ngrams() const {
  std::vector<std::uint64_t> found;
  for (const DistinctCount& each : ngrams_) found.push_back(each.estimate());
  return found;
}

}  // namespace dragoman
