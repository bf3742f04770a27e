// Any bytes at all must either open as a model of choices that can be asked, or be refused.
#include "common/error.hpp"
#include "features/dependency_model.hpp"
#include "features/source_order.hpp"
#include "fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const auto path = input_file("fuzz_choice_model", data, size);
  const std::string_view words[] = {"a", "b", "c"};
  const std::string texts[] = {"x", "y", "x"};
  const std::int32_t heads[] = {1, -1, 0};
  try {
    const auto model = features::SourceOrderModel::open(path);
    features::SourceOrderAnswers answers;
    answers.begin(model, features::order_sentence(words, texts, heads, texts));
    if (answers.known()) (void)answers.value(0, 2);
    model.save(scratch_path("fuzz_choice_model_out"));
  } catch (const FormatError&) {
  }
  try {
    const auto model = features::DependencyModel::open(path);
    std::vector<features::DependencyModel::Place> places;
    for (const std::string_view word : words) {
      const auto made = features::dependency_word(word);
      (void)model.add(places, made, model.tag(made, features::DependencyModel::kStart));
    }
    model.save(scratch_path("fuzz_choice_model_out"));
  } catch (const FormatError&) {
  }
  return 0;
}
