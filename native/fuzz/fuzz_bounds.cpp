// Any bytes at all must either open as bounds that can be asked, or be refused.
#include "common/error.hpp"
#include "fuzz/input_file.hpp"
#include "lm/arpa.hpp"
#include "lm/bounds.hpp"

namespace {

// The model of the seeds: `seeds/fuzz_arpa/small.arpa`.
dragoman::lm::Model small_model() {
  using namespace dragoman::lm;
  ArpaReader reader("small.arpa");
  reader.feed(
      "\\data\\\nngram 1=5\nngram 2=3\nngram 3=2\n\n"
      "\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-0.7\t</s>\n-0.4\ta\t-0.1\n-0.52\tb\t0.08\n\n"
      "\\2-grams:\n-0.22\t<s> a\t-0.05\n-0.3\ta b\t-0.15\n-0.35\tb a\t0.18\n\n"
      "\\3-grams:\n-0.1\t<s> a b\n-0.46\tb a b\n\n\\end\\\n");
  Ngrams ngrams = reader.finish();
  return Model(build(close_ngrams(ngrams), {}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  static const lm::Model model = small_model();
  const auto path = dragoman::input_file("fuzz_bounds", data, size);
  try {
    const lm::Bounds bounds = lm::Bounds::open(path, model);
    for (WordId word = 0; word < model.size(); ++word)
      for (WordId before = 0; before < model.size(); ++before) {
        const WordId context[] = {word, before};
        for (std::size_t length = 0; length <= 2; ++length)
          (void)bounds.range(model, std::span(context).first(length), word);
      }
    bounds.save(scratch_path("fuzz_bounds_out"));
  } catch (const FormatError&) {
  }
  return 0;
}
