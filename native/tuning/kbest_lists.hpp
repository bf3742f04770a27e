#pragma once
// The best derivations of forests as flat arrays, by the feature ids of the decoder itself: what an online tuner looks
// at once and forgets, and what a pool merges. No name is looked up, so the cost is that of the lists alone.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/parallel.hpp"
#include "common/vocabulary.hpp"
#include "forest/forest.hpp"

namespace dragoman::tuning {

// A forest with what names its ids.
struct NamedForest {
  const forest::Forest* forest;
  VocabularyView words;
};

struct KBestLists {
  std::vector<std::int64_t> lists{0};  // list i is candidates [lists[i], lists[i + 1])
  std::vector<std::int64_t> rows{0};   // features of candidate k are [rows[k], rows[k + 1])
  std::vector<std::int64_t> ids;
  std::vector<double> values;
  std::vector<double> scores;
  std::vector<std::string> texts;
};

[[nodiscard]] KBestLists kbest_list(const NamedForest& forest, std::size_t nbest, bool distinct);
[[nodiscard]] KBestLists kbest_lists(std::span<const NamedForest> forests, std::size_t nbest, bool distinct,
                                     int threads, const StopCallback& stop);

}  // namespace dragoman::tuning
