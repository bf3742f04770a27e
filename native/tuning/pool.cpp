#include "tuning/pool.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/error.hpp"
#include "common/hash.hpp"

namespace dragoman::tuning {
namespace {

// To 1e-6. What is too large to be rounded has no such digits.
double rounded(double value) noexcept { return std::round(value * 1e6) + 0.0; }  // no negative zero

}  // namespace

std::size_t Candidates::best(std::span<const double> weights) const noexcept {
  std::size_t best = 0;
  double most = -HUGE_VAL;
  for (std::size_t candidate = 0; candidate < size(); ++candidate) {
    const double found = score(candidate, weights);
    if (found > most) {
      most = found;
      best = candidate;
    }
  }
  return best;
}

bool Candidates::add(std::string_view text, std::span<const FeatureId> ids, std::span<const double> values) {
  const auto [entry, fresh] = index_.try_emplace(std::string(text), static_cast<std::uint32_t>(strings_.size()));
  if (fresh) strings_.emplace_back(text);
  std::uint64_t key = entry->second;
  for (std::size_t i = 0; i < ids.size(); ++i)
    key = dragoman::combine(dragoman::combine(key, ids[i]), std::bit_cast<std::uint64_t>(rounded(values[i])));
  const auto [first, last] = seen_.equal_range(key);
  for (auto known = first; known != last; ++known) {
    const std::size_t other = known->second;
    if (texts_[other] == entry->second && std::ranges::equal(features(other), ids) &&
        std::ranges::equal(this->values(other), values, {}, rounded, rounded))
      return false;
  }
  seen_.emplace(key, static_cast<std::uint32_t>(size()));
  texts_.push_back(entry->second);
  ids_.push_back(ids);
  values_.insert(values_.end(), values.begin(), values.end());
  return true;
}

std::size_t Pool::candidates() const noexcept {
  std::size_t sum = 0;
  for (const Candidates& list : sentences_) sum += list.size();
  return sum;
}

std::vector<FeatureId> Pool::intern(VocabularyView features) {
  std::vector<FeatureId> ids(features.size());
  for (FeatureId id = 0; id < ids.size(); ++id) ids[id] = names_.intern(features.word(id));
  return ids;
}

bool Pool::add(std::size_t sentence, std::string_view text, std::vector<std::pair<FeatureId, double>> features) {
  std::sort(features.begin(), features.end());
  std::vector<FeatureId> ids;
  std::vector<double> values;
  for (const auto& [id, value] : features) {
    if (!ids.empty() && ids.back() == id) {
      values.back() += value;
    } else if (value != 0) {
      ids.push_back(id);
      values.push_back(value);
    }
  }
  return sentences_[sentence].add(text, ids, values);
}

std::size_t Pool::add_forests(std::span<const std::size_t> sentences, std::span<const NamedForest> forests,
                              VocabularyView features, std::size_t nbest, bool distinct, int threads,
                              const StopCallback& stop) {
  const std::vector<FeatureId> mapped = intern(features);
  std::vector<std::size_t> added(sentences.size(), 0);
  parallel_shards(
      sentences.size(), threads,
      [&](std::size_t i) {
        const KBestLists list = kbest_list(forests[i], nbest, distinct);
        std::vector<std::pair<FeatureId, double>> features_of;
        for (std::size_t k = 0; k < list.texts.size(); ++k) {
          features_of.clear();
          for (auto at = static_cast<std::size_t>(list.rows[k]); at < static_cast<std::size_t>(list.rows[k + 1]); ++at)
            features_of.emplace_back(mapped[static_cast<std::size_t>(list.ids[at])], list.values[at]);
          if (add(sentences[i], list.texts[k], features_of)) ++added[i];
        }
      },
      stop);
  std::size_t sum = 0;
  for (const std::size_t count : added) sum += count;
  return sum;
}

std::vector<std::pair<std::size_t, std::uint32_t>> Pool::pending() const {
  std::vector<std::pair<std::size_t, std::uint32_t>> texts;
  for (std::size_t sentence = 0; sentence < sentences_.size(); ++sentence) {
    const Candidates& list = sentences_[sentence];
    for (std::size_t text = list.statistics().size() / width_; text < list.strings().size(); ++text)
      texts.emplace_back(sentence, static_cast<std::uint32_t>(text));
  }
  return texts;
}

void Pool::set_statistics(std::span<const double> rows) {
  const auto texts = pending();
  if (rows.size() != texts.size() * width_)
    throw InputError(std::to_string(texts.size()) + " rows of " + std::to_string(width_) + " statistics are needed");
  for (std::size_t i = 0; i < texts.size(); ++i)
    sentences_[texts[i].first].append_statistics(rows.subspan(i * width_, width_));
}

void Pool::check(std::span<const double> weights) const {
  if (weights.size() < names_.size())
    throw InputError(std::to_string(weights.size()) + " weights for " + std::to_string(names_.size()) + " features");
  for (std::size_t sentence = 0; sentence < sentences_.size(); ++sentence) {
    const Candidates& list = sentences_[sentence];
    if (list.size() == 0) throw InputError("no candidate", "sentence " + std::to_string(sentence + 1));
    if (list.statistics().size() != list.strings().size() * width_)
      throw InputError("candidates without statistics", "sentence " + std::to_string(sentence + 1));
  }
}

std::vector<double> best_statistics(const Pool& pool, std::span<const double> weights, int threads) {
  constexpr std::size_t kShard = 64;
  std::vector<std::vector<double>> parts(shard_count(pool.size(), kShard), std::vector<double>(pool.width(), 0.0));
  parallel_ranges(pool.size(), kShard, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double>& sum = parts[begin / kShard];
    for (std::size_t sentence = begin; sentence < end; ++sentence) {
      const auto row = pool.statistics(sentence, pool[sentence].text(pool[sentence].best(weights)));
      for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
    }
  });
  std::vector<double> total(pool.width(), 0.0);
  for (const auto& part : parts)
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  return total;
}

}  // namespace dragoman::tuning
