// Any bytes at all must either open as a corpus index, in which every look-up then stays inside the file, or be
// refused.
#include "fuzz/input_file.hpp"
#include "semantics/cooccurrence.hpp"
#include "text/index.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const auto path = dragoman::input_file("fuzz_corpus_index", data, size);
  try {
    const auto index = text::CorpusIndex::open(path);
    const WordId a = index->words().id("a"), b = index->words().id("b");
    const std::vector<WordId> phrase{a, b};
    for (const text::Position at : index->occurrences(index->find(phrase), 3)) (void)index->sentence_of(at);
    (void)index->between(std::span(&a, 1), std::span(&b, 1), 4, 0);
    (void)index->between(std::span(&b, 1), phrase, 4, 2);
    for (std::size_t number = 0; number < index->sentences(); ++number) (void)index->sentence(number);
    const std::vector<std::int64_t> ends{1, 2, 2};
    const std::vector<std::uint8_t> keep(index->words().size(), 1);
    (void)semantics::count_contexts(*index, {phrase, ends}, keep, {}, {3, true, 0}, 1, {});
    (void)semantics::context_totals(*index, {2, false, 0});
    index->save(scratch_path("fuzz_corpus_index_out"));
  } catch (const Error&) {
  }
  return 0;
}
