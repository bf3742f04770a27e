#pragma once
// The best derivations of sentences as flat arrays, by the feature ids of the decoder itself: what an online tuner
// looks at once and forgets, and what a pool merges. No name is looked up, so the cost is that of the lists alone. Many
// derivations say the same, so each text stands once in a list.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/parallel.hpp"
#include "common/vocabulary.hpp"
#include "forest/forest.hpp"
#include "forest/kbest.hpp"

namespace dragoman::forest {

// A forest with what names its ids.
struct NamedForest {
  const Forest* forest;
  VocabularyView words;
};

struct KBestLists {
  std::vector<std::int64_t> lists{0};  // list i is candidates [lists[i], lists[i + 1])
  std::vector<std::int64_t> rows{0};   // features of candidate k are [rows[k], rows[k + 1]), sorted by id
  std::vector<std::int64_t> ids;
  std::vector<double> values;
  std::vector<double> scores;
  std::vector<std::int64_t> text_of;  // per candidate, which of `texts` it derives
  std::vector<std::string> texts;     // list by list, in the order in which they first came

  // Adds the lists of another, which is left empty.
  void append(KBestLists&& more);
};

// What tuners ask for: derivations, or the best ones of different texts.
[[nodiscard]] constexpr KBestOptions list_options(std::size_t nbest, bool distinct) noexcept {
  return {nbest, distinct, 30 * nbest};
}

[[nodiscard]] KBestLists kbest_list(const NamedForest& forest, const KBestOptions& options);
[[nodiscard]] KBestLists kbest_lists(std::span<const NamedForest> forests, const KBestOptions& options, int threads,
                                     const StopCallback& stop);

}  // namespace dragoman::forest
