// Any bytes at all must either open as vectors of two languages that can be asked, or be refused.
#include "common/error.hpp"
#include "fuzz/input_file.hpp"
#include "semantics/phrase_vectors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const auto path = input_file("fuzz_phrase_vectors", data, size);
  try {
    const semantics::PhraseVectors vectors = semantics::PhraseVectors::open(path);
    const std::vector<const float*> source{vectors.find("a", false), vectors.find("b", false)};
    const std::vector<const float*> target{vectors.find("x", true), vectors.find("y", true)};
    (void)vectors.compare(source, target);
    vectors.save(scratch_path("fuzz_phrase_vectors_out"));
  } catch (const FormatError&) {
  }
  return 0;
}
