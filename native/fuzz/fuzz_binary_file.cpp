// Any bytes at all must either open as a vocabulary that can be read whole, or be refused.
#include "common/vocabulary.hpp"
#include "fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = dragoman::input_file("fuzz_binary_file", data, size);
  try {
    const dragoman::BinaryFile file(path, dragoman::kVocabularyFormat, dragoman::VocabularyView::kSections);
    const auto words = dragoman::VocabularyView::read(file, 0);
    for (std::size_t id = 0; id < words.size(); ++id) (void)words.find(words.word(static_cast<dragoman::WordId>(id)));
  } catch (const dragoman::FormatError&) {
  }
  return 0;
}
