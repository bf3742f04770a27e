#include "forest/kbest_lists.hpp"

#include <iterator>
#include <map>

#include "forest/expectation.hpp"

namespace dragoman::forest {

void KBestLists::append(KBestLists&& more) {
  const auto candidates = static_cast<std::int64_t>(scores.size()), before = static_cast<std::int64_t>(texts.size());
  const std::int64_t base = rows.back();
  for (std::size_t i = 1; i < more.lists.size(); ++i) lists.push_back(candidates + more.lists[i]);
  for (std::size_t k = 1; k < more.rows.size(); ++k) rows.push_back(base + more.rows[k]);
  ids.insert(ids.end(), more.ids.begin(), more.ids.end());
  values.insert(values.end(), more.values.begin(), more.values.end());
  scores.insert(scores.end(), more.scores.begin(), more.scores.end());
  for (const std::int64_t text : more.text_of) text_of.push_back(before + text);
  std::move(more.texts.begin(), more.texts.end(), std::back_inserter(texts));
  more = {};
}

KBestLists kbest_list(const NamedForest& given, const KBestOptions& options) {
  const Forest& forest = *given.forest;
  const Derivations found = k_best(forest, options);
  const FeatureRows features = derivation_features(forest, found.edges);
  KBestLists list;
  list.ids.assign(features.ids.values().begin(), features.ids.values().end());
  list.values = features.values;
  list.scores = found.scores;
  std::map<std::vector<WordId>, std::int64_t> known;
  for (std::size_t k = 0; k < found.size(); ++k) {
    list.rows.push_back(features.ids.start(k + 1));
    const auto [entry, fresh] = known.try_emplace(yield_of(forest, found.edges[k]).words, list.texts.size());
    list.text_of.push_back(entry->second);
    if (!fresh) continue;
    std::string& text = list.texts.emplace_back();
    for (const WordId word : entry->first) {
      if (!text.empty()) text += ' ';
      text += given.words.word(word);
    }
  }
  list.lists.push_back(static_cast<std::int64_t>(found.size()));
  return list;
}

KBestLists kbest_lists(std::span<const NamedForest> forests, const KBestOptions& options, int threads,
                       const StopCallback& stop) {
  std::vector<KBestLists> parts(forests.size());
  parallel_shards(forests.size(), threads, [&](std::size_t i) { parts[i] = kbest_list(forests[i], options); }, stop);
  KBestLists all;
  for (KBestLists& part : parts) all.append(std::move(part));
  return all;
}

}  // namespace dragoman::forest
