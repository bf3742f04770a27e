// Any bytes at all must either open as aligner tables that can align a sentence pair, or be refused.
#include "align/model.hpp"
#include "common/error.hpp"
#include "fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = dragoman::input_file("fuzz_aligner", data, size);
  try {
    const auto model = dragoman::align::Model::load(path);
    const dragoman::align::Bitext bitext({1, 2, 3}, {3}, {3, 1}, {2}, 10);
    (void)model.viterbi(bitext, {}, 1, {});
    (void)model.posteriors(bitext, {}, 1, {});
    model.save(dragoman::scratch_path("fuzz_aligner_out"));
  } catch (const dragoman::FormatError&) {
  }
  return 0;
}
