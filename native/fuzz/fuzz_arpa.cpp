// Any bytes at all must either be read as an ARPA file from which models can be built and queried, or be refused.
#include <algorithm>
#include <string_view>

#include "lm/arpa.hpp"
#include "lm/bounds.hpp"
#include "lm/build.hpp"
#include "lm/score.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    lm::ArpaReader reader("fuzz");
    for (std::size_t at = 0; at < size; at += 61) reader.feed(text.substr(at, 61));  // lines cross blocks
    lm::Ngrams ngrams = reader.finish();
    lm::ArpaWriter writer(ngrams);
    while (!writer.next().empty()) {
    }
    const lm::ClosedNgrams closed = lm::close_ngrams(ngrams);
    const std::string_view sentences[] = {"a b c a", "", "b b z <s> b a c a b"};
    for (const lm::Layout layout : {lm::Layout::hashed, lm::Layout::compact}) {
      const lm::Model model(lm::build(closed, {layout, 4, 4}));
      (void)lm::score_sentences(model, sentences, {});
      const lm::Bounds bounds = lm::Bounds::of(closed, model);
      const WordId context[] = {model.id("a"), model.id("b")};
      for (WordId word = 0; word < std::min<std::size_t>(model.size(), 8); ++word)
        (void)bounds.range(model, context, word);
      if (layout == lm::Layout::compact) (void)lm::list_ngrams(model);
    }
  } catch (const Error&) {
  }
  return 0;
}
