#pragma once
// Target phrases by number, in the order in which they were added. Those of table rules stay from sentence to sentence;
// those of one sentence come after them and are dropped with it.
#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.hpp"

namespace dragoman::features {

class TargetPhrases {
 public:
  std::uint32_t add(std::span<const WordId> words) {
    words_.insert(words_.end(), words.begin(), words.end());
    ends_.push_back(static_cast<std::uint32_t>(words_.size()));
    return static_cast<std::uint32_t>(ends_.size() - 2);
  }
  // Drops all but the first `count`.
  void keep(std::size_t count) {
    ends_.resize(count + 1);
    words_.resize(ends_.back());
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size() - 1; }
  [[nodiscard]] std::span<const WordId> operator[](std::uint32_t phrase) const noexcept {
    return {words_.data() + ends_[phrase], ends_[phrase + 1] - ends_[phrase]};
  }

 private:
  std::vector<WordId> words_;
  std::vector<std::uint32_t> ends_{0};
};

}  // namespace dragoman::features
