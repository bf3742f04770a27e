#pragma once
// The best derivations of a few forests as flat arrays, by the feature ids of the decoder itself: what an online tuner
// looks at once and forgets. Nothing is merged and no name is looked up, so the cost is that of the lists alone.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/parallel.hpp"
#include "tuning/pool.hpp"

namespace dragoman::tuning {

struct KBestLists {
  std::vector<std::int64_t> lists{0};  // list i is candidates [lists[i], lists[i + 1])
  std::vector<std::int64_t> rows{0};   // features of candidate k are [rows[k], rows[k + 1])
  std::vector<std::int64_t> ids;
  std::vector<double> values;
  std::vector<double> scores;
  std::vector<std::string> texts;
};

[[nodiscard]] KBestLists kbest_lists(std::span<const NamedForest> forests, std::size_t nbest, bool distinct,
                                     int threads, const StopCallback& stop);

}  // namespace dragoman::tuning
