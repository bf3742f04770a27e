#pragma once
// Words that a translation has to begin with, and what may stand where in them.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/ids.hpp"

namespace dragoman::search {

class TargetPrefix {
 public:
  void begin(std::vector<WordId> words) { words_ = std::move(words); }
  [[nodiscard]] bool empty() const noexcept { return words_.empty(); }
  [[nodiscard]] std::uint32_t length() const noexcept { return static_cast<std::uint32_t>(words_.size()); }
  [[nodiscard]] std::span<const WordId> words() const noexcept { return words_; }

  // Whether a phrase may stand at a position: its words are there, and it may go on behind the last one.
  [[nodiscard]] bool fits(std::uint32_t position, std::span<const WordId> phrase) const noexcept {
    if (phrase.empty()) return false;
    const std::size_t shared = std::min(phrase.size(), words_.size() - position);
    return std::equal(phrase.begin(), phrase.begin() + static_cast<std::ptrdiff_t>(shared),
                      words_.begin() + static_cast<std::ptrdiff_t>(position));
  }
  [[nodiscard]] bool fits_somewhere(std::span<const WordId> phrase) const noexcept {
    for (std::uint32_t position = 0; position < length(); ++position)
      if (fits(position, phrase)) return true;
    return false;
  }
  // How many words are written once a phrase that fits stands there.
  [[nodiscard]] std::uint32_t after(std::uint32_t position, std::span<const WordId> phrase) const noexcept {
    return std::min(length(), position + static_cast<std::uint32_t>(phrase.size()));
  }

 private:
  std::vector<WordId> words_;
};

}  // namespace dragoman::search
