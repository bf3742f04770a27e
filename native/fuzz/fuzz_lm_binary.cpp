// Any bytes at all must either open as a model, whose every query then stays inside the file, or be refused.
#include "fuzz/input_file.hpp"
#include "lm/bounds.hpp"
#include "lm/build.hpp"
#include "lm/chart.hpp"
#include "lm/score.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const auto path = dragoman::input_file("fuzz_lm_binary", data, size);
  try {
    const lm::Model model = lm::Model::open(path);
    const std::string_view sentences[] = {"a b c a", "", "b b z <s> b a c a b"};
    (void)lm::score_sentences(model, sentences, {});
    (void)lm::score_events(model, sentences, {});
    for (WordId word = 0; word < std::min<std::size_t>(model.size(), 8); ++word) (void)model.word(word);
    model.with_tables([&](const auto& tables) {
      lm::Joiner piece(tables);
      for (const char* word : {"a", "b", "c"}) piece.word(model.id(word));
      lm::Joiner whole(tables);
      whole.begin(model.begin_state());
      whole.word(model.id("b"));
      whole.cell(piece.cell());
      whole.cell(piece.cell());
    });
    if (model.counts()[0] < 1000) (void)lm::list_ngrams(model);
    model.save(scratch_path("fuzz_lm_binary_out"));
  } catch (const Error&) {
  }
  return 0;
}
