#include "align/bitext.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"

namespace dragoman::align {

namespace {

void check_ends(const std::vector<std::int64_t>& ends, std::size_t words, const char* side) {
  std::int64_t last = 0;
  for (const std::int64_t end : ends) {
    if (end < last) throw InputError(std::string("sentence ends of the ") + side + " side go backwards");
    last = end;
  }
  if (last != static_cast<std::int64_t>(words))
    throw InputError(std::string("the last sentence of the ") + side + " side does not end where its words end");
}

WordId one_more_than_largest(const std::vector<WordId>& words) {
  return words.empty() ? 1 : *std::max_element(words.begin(), words.end()) + 1;
}

}  // namespace

Bitext::Bitext(std::vector<WordId> source, std::vector<std::int64_t> source_ends, std::vector<WordId> target,
               std::vector<std::int64_t> target_ends, std::size_t max_length)
    : source_(std::move(source)),
      target_(std::move(target)),
      source_ends_(std::move(source_ends)),
      target_ends_(std::move(target_ends)),
      max_length_(max_length),
      source_words_(one_more_than_largest(source_)),
      target_words_(one_more_than_largest(target_)) {
  if (source_ends_.size() != target_ends_.size())
    throw InputError(std::to_string(source_ends_.size()) + " source sentences and " +
                     std::to_string(target_ends_.size()) + " target sentences");
  check_ends(source_ends_, source_.size(), "source");
  check_ends(target_ends_, target_.size(), "target");
}

std::size_t Bitext::usable_pairs() const noexcept {
  std::size_t count = 0;
  for (std::size_t k = 0; k < size(); ++k) count += usable(k);
  return count;
}

std::size_t Bitext::longest() const noexcept {
  std::size_t longest = 1;
  for (std::size_t k = 0; k < size(); ++k)
    if (usable(k)) longest = std::max({longest, source(k).size(), target(k).size()});
  return longest;
}

}  // namespace dragoman::align
