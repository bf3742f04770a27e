#include "tuning/kbest_lists.hpp"

#include <iterator>

#include "forest/expectation.hpp"
#include "forest/kbest.hpp"

namespace dragoman::tuning {

KBestLists kbest_list(const NamedForest& given, std::size_t nbest, bool distinct) {
  const forest::Forest& forest = *given.forest;
  const forest::Derivations found = forest::k_best(forest, {nbest, distinct, 30 * nbest});
  const forest::FeatureRows features = forest::derivation_features(forest, found.edges);
  KBestLists list;
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::string text;
    for (const WordId word : forest::yield_of(forest, found.edges[k]).words) {
      if (!text.empty()) text += ' ';
      text += given.words.word(word);
    }
    list.texts.push_back(std::move(text));
    list.scores.push_back(found.scores[k]);
    const double* value = features.values.data() + features.ids.start(k);
    for (const forest::FeatureId id : features.ids[k]) {
      list.ids.push_back(id);
      list.values.push_back(*value++);
    }
    list.rows.push_back(static_cast<std::int64_t>(list.ids.size()));
  }
  list.lists.push_back(static_cast<std::int64_t>(list.texts.size()));
  return list;
}

KBestLists kbest_lists(std::span<const NamedForest> forests, std::size_t nbest, bool distinct, int threads,
                       const StopCallback& stop) {
  std::vector<KBestLists> parts(forests.size());
  parallel_shards(
      forests.size(), threads, [&](std::size_t i) { parts[i] = kbest_list(forests[i], nbest, distinct); }, stop);
  KBestLists all;
  for (KBestLists& part : parts) {
    const std::int64_t base = all.rows.back();
    for (std::size_t k = 1; k < part.rows.size(); ++k) all.rows.push_back(base + part.rows[k]);
    all.ids.insert(all.ids.end(), part.ids.begin(), part.ids.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    all.scores.insert(all.scores.end(), part.scores.begin(), part.scores.end());
    std::move(part.texts.begin(), part.texts.end(), std::back_inserter(all.texts));
    all.lists.push_back(static_cast<std::int64_t>(all.texts.size()));
  }
  return all;
}

}  // namespace dragoman::tuning
