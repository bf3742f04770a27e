#pragma once
// Sentences as the learners of this room see them: flat columns of texts, one value a token, and where each sentence
// ends. Texts are hashed once; nothing else about them is needed.
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::annotations {

struct Columns {
  std::vector<std::string_view> words, lowered;      // the word as written, and in lower case
  std::vector<std::vector<std::string_view>> given;  // what is known about each token already, most telling first
  std::vector<std::int64_t> ends;                    // of each sentence

  [[nodiscard]] std::size_t begin(std::size_t sentence) const noexcept {
    return sentence == 0 ? 0 : static_cast<std::size_t>(ends[sentence - 1]);
  }
  [[nodiscard]] std::size_t size(std::size_t sentence) const noexcept {
    return static_cast<std::size_t>(ends[sentence]) - begin(sentence);
  }
  [[nodiscard]] std::size_t longest() const noexcept;
  void check() const;  // throws InputError unless all columns are as long as the last end says
};

// Learning settings that the trainers of this room share.
struct Schedule {
  int epochs = 10;
  std::uint64_t seed = 1;
  double least = 0;  // weights nearer to zero are left out
};

}  // namespace dragoman::annotations
