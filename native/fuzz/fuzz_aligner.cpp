// Any bytes at all must either open as aligner tables that can align a sentence pair, or be refused.
#include <filesystem>
#include <fstream>

#include "align/model.hpp"
#include "common/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto path = std::filesystem::temp_directory_path() / "dragoman_fuzz_aligner";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const auto model = dragoman::align::Model::load(path);
    const dragoman::align::Bitext bitext({1, 2, 3}, {3}, {3, 1}, {2}, 10);
    (void)model.viterbi(bitext, {}, 1, {});
    (void)model.posteriors(bitext, {}, 1, {});
  } catch (const dragoman::FormatError&) {
  }
  return 0;
}
