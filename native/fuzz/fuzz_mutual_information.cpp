// Any bytes at all must either open as counts of words that can be asked, or be refused.
#include "common/error.hpp"
#include "fuzz/input_file.hpp"
#include "semantics/mutual_information.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const auto path = input_file("fuzz_mutual_information", data, size);
  try {
    const semantics::MutualInformation information = semantics::MutualInformation::open(path);
    const auto& words = information.parts();
    const std::vector<WordId> sentence{words.source_words.id("a"), words.source_words.id("b")};
    const std::vector<std::uint8_t> content{1, information.is_content("b", false)};
    (void)information.context(sentence, content, 0, 5, words.target_words.id("x"));
    information.save(scratch_path("fuzz_mutual_information_out"));
  } catch (const FormatError&) {
  }
  return 0;
}
