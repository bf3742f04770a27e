#include "features/word_classes.hpp"

#include <algorithm>

#include "common/error.hpp"

namespace dragoman::features {

WordClasses::WordClasses(const std::vector<std::pair<std::string, std::string>>& pairs) {
  bool complete = false;
  for (const auto& [word, name] : pairs) {
    const WordId id = words_.intern(word);
    if (id >= classes_.size()) classes_.resize(id + 1);
    classes_[id] = names_.intern(name);
    complete = complete || id == kUnknown;
  }
  if (!complete) throw InputError("no class for <unk>", "word classes", "add a class for <unk>");
}

std::uint32_t WordClasses::of(std::string_view word) const {
  if (const auto found = words_.view().find(word)) return classes_[*found];
  const auto digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  if (std::none_of(word.begin(), word.end(), digit)) return classes_[kUnknown];
  std::string folded(word);
  std::replace_if(folded.begin(), folded.end(), digit, '0');
  return classes_[words_.id(folded)];
}

}  // namespace dragoman::features
