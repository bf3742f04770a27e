#pragma once
// Words to classes. Digits are folded to 0 where the word itself is not listed, and what is then still unknown has the
// class of `<unk>`. (Green, Cer and Manning 2014.)
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/vocabulary.hpp"

namespace dragoman::features {

class WordClasses {
 public:
  // (word, class) pairs; one of them must be for `<unk>`.
  explicit WordClasses(const std::vector<std::pair<std::string, std::string>>& pairs);

  [[nodiscard]] std::uint32_t of(std::string_view word) const;
  [[nodiscard]] std::string_view name(std::uint32_t id) const noexcept { return names_.word(id); }

 private:
  Vocabulary words_, names_;
  std::vector<std::uint32_t> classes_;  // by word
};

// A word as a template spells it: itself, or its class.
[[nodiscard]] inline std::string_view label(const WordClasses* classes, std::string_view word) {
  return classes == nullptr ? word : classes->name(classes->of(word));
}

}  // namespace dragoman::features
