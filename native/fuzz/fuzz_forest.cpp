// Any bytes at all must either open as forests on which every walk is safe, or be refused.
#include "forest/expectation.hpp"
#include "forest/forest_file.hpp"
#include "forest/kbest.hpp"
#include "fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const auto path = dragoman::input_file("fuzz_forest", data, size);
  try {
    const forest::ForestFile file(path);
    std::vector<WordId> source;
    for (std::size_t index = 0; index < file.size(); ++index) {
      const forest::Forest forest = file.forest(index, source);
      (void)forest::posteriors(forest);
      const forest::Derivations best = forest::k_best(forest, {3, true, 10});
      for (std::size_t i = 0; i < best.size(); ++i) {
        const forest::Yield yield = forest::yield_of(forest, best.edges[i]);
        for (const WordId word : yield.words) (void)file.words().word(word);
        (void)forest::links_of(forest, best.edges[i], yield);
      }
      (void)forest::expected_features(forest);
    }
  } catch (const FormatError&) {
  }
  return 0;
}
