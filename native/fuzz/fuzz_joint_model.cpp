// Any bytes at all must either open as a joint model that can be asked, or be refused.
#include "common/error.hpp"
#include "fuzz/input_file.hpp"
#include "neural/joint_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const auto path = input_file("fuzz_joint_model", data, size);
  try {
    const neural::JointModel model = neural::JointModel::open(path);
    neural::JointText text;
    text.add(model.source_words, model.target_words, "a b c", "u v x", "0-0 1-2 2-1", "the text");
    (void)model.evaluate(text, 1);
    (void)model.unit_scores(text, false, 1);
    model.save(scratch_path("fuzz_joint_model_out"));
  } catch (const FormatError&) {
  }
  return 0;
}
