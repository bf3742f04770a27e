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

double Candidates::score(std::size_t candidate, std::span<const double> weights) const noexcept {
  const auto ids = features(candidate);
  const double* value = values_.data() + ids_.start(candidate);
  double even = 0, odd = 0;  // two sums, so that additions need not wait for each other
  std::size_t i = 0;
  for (; i + 1 < ids.size(); i += 2) {
    even += weights[ids[i]] * value[i];
    odd += weights[ids[i + 1]] * value[i + 1];
  }
  if (i < ids.size()) even += weights[ids[i]] * value[i];
  return even + odd;
}

void Candidates::scores(std::span<const double> weights, std::span<double> into) const noexcept {
  const std::size_t size = into.size();
  if (column_values_.size() != columns_.size() * size || columns_.empty()) {
    for (std::size_t candidate = 0; candidate < size; ++candidate) into[candidate] = score(candidate, weights);
    return;
  }
  double* const sums = into.data();
  std::fill(into.begin(), into.end(), 0.0);
  const double* column = column_values_.data();
  std::size_t i = 0;
  for (; i + 3 < columns_.size(); i += 4, column += 4 * size) {  // several at once, to load and store sums less often
    const double a = weights[columns_[i]], b = weights[columns_[i + 1]], c = weights[columns_[i + 2]],
                 d = weights[columns_[i + 3]];
    if (a == 0 && b == 0 && c == 0 && d == 0) continue;  // all others, along an axis
    const double *const one = column, *const two = one + size, *const three = two + size, *const four = three + size;
    for (std::size_t k = 0; k < size; ++k) sums[k] += (a * one[k] + b * two[k]) + (c * three[k] + d * four[k]);
  }
  for (; i < columns_.size(); ++i, column += size) {
    const double weight = weights[columns_[i]];
    for (std::size_t k = 0; k < size; ++k) sums[k] += weight * column[k];
  }
}

void Candidates::arrange() {
  if (!columns_.empty() && column_values_.size() == columns_.size() * size()) return;
  column_values_.clear();
  const auto all = ids_.values();
  columns_.assign(all.begin(), all.end());
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  if (columns_.size() * size() > 2 * all.size()) return columns_.clear();  // mostly zeros
  column_values_.resize(columns_.size() * size());
  for (std::size_t k = 0; k < size(); ++k) {
    std::size_t column = 0;
    const double* value = values_.data() + ids_.start(k);
    for (const FeatureId id : ids_[k]) {
      while (columns_[column] != id) ++column;
      column_values_[column * size() + k] = *value++;
    }
  }
}

std::uint32_t Candidates::intern(std::string_view text) {
  const auto [entry, fresh] = index_.try_emplace(std::string(text), static_cast<std::uint32_t>(strings_.size()));
  if (fresh) strings_.emplace_back(text);
  return entry->second;
}

bool Candidates::add(std::uint32_t text, std::span<const FeatureId> ids, std::span<const double> values) {
  std::uint64_t key = text;
  for (std::size_t i = 0; i < ids.size(); ++i)
    key = dragoman::combine(dragoman::combine(key, ids[i]), std::bit_cast<std::uint64_t>(rounded(values[i])));
  const auto [first, last] = seen_.equal_range(key);
  for (auto known = first; known != last; ++known) {
    const std::size_t other = known->second;
    if (texts_[other] == text && std::ranges::equal(features(other), ids) &&
        std::ranges::equal(this->values(other), values, {}, rounded, rounded))
      return false;
  }
  seen_.emplace(key, static_cast<std::uint32_t>(size()));
  texts_.push_back(text);
  ids_.push_back(ids);
  values_.insert(values_.end(), values.begin(), values.end());
  return true;
}

std::size_t Pool::candidates() const noexcept {
  std::size_t sum = 0;
  for (const Candidates& list : sentences_) sum += list.size();
  return sum;
}

bool Pool::add(Candidates& list, std::uint32_t text, std::vector<std::pair<FeatureId, double>>& features) {
  if (!std::is_sorted(features.begin(), features.end())) std::sort(features.begin(), features.end());
  std::vector<FeatureId> ids;
  std::vector<double> values;
  ids.reserve(features.size());
  values.reserve(features.size());
  for (const auto& [id, value] : features) {
    if (!ids.empty() && ids.back() == id) {
      values.back() += value;
    } else if (value != 0) {
      ids.push_back(id);
      values.push_back(value);
    }
  }
  return list.add(text, ids, values);
}

bool Pool::add(std::size_t sentence, std::string_view text, std::vector<std::pair<FeatureId, double>> features) {
  Candidates& list = sentences_[sentence];
  return add(list, list.intern(text), features);
}

std::vector<FeatureId> Pool::mapped(std::span<const std::int64_t> ids, VocabularyView features) {
  std::vector<bool> used(features.size());
  for (const std::int64_t id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= used.size()) throw InputError("a list with a feature without a name");
    used[static_cast<std::size_t>(id)] = true;
  }
  std::vector<FeatureId> map(features.size(), 0), fresh;
  for (FeatureId id = 0; id < map.size(); ++id) {
    if (!used[id]) continue;
    if (const auto known = names_.view().find(features.word(id)))
      map[id] = *known;
    else
      fresh.push_back(id);
  }
  std::sort(fresh.begin(), fresh.end(), [&](FeatureId a, FeatureId b) { return features.word(a) < features.word(b); });
  for (const FeatureId id : fresh) map[id] = names_.intern(features.word(id));
  return map;
}

std::size_t Pool::add_lists(std::span<const std::size_t> sentences, const ListsView& given, VocabularyView features,
                            int threads, const StopCallback& stop) {
  const auto ends_at = [](std::span<const std::int64_t> starts, std::size_t rows, std::size_t values) {
    return starts.size() == rows + 1 && starts.front() == 0 && std::is_sorted(starts.begin(), starts.end()) &&
           static_cast<std::size_t>(starts.back()) == values;
  };
  if (!ends_at(given.lists, sentences.size(), given.text_of.size()) ||
      !ends_at(given.rows, given.text_of.size(), given.ids.size()) || given.values.size() != given.ids.size())
    throw InputError("lists whose parts do not fit together");
  for (const std::int64_t text : given.text_of)
    if (text < 0 || static_cast<std::size_t>(text) >= given.texts.size())
      throw InputError("a candidate without a text");
  const std::vector<FeatureId> map = mapped(given.ids, features);
  std::vector<std::size_t> added(sentences.size(), 0);
  parallel_shards(
      sentences.size(), threads,
      [&](std::size_t i) {
        Candidates& list = sentences_[sentences[i]];
        std::vector<std::pair<FeatureId, double>> features_of;
        for (auto k = static_cast<std::size_t>(given.lists[i]); k < static_cast<std::size_t>(given.lists[i + 1]); ++k) {
          features_of.clear();
          for (auto at = static_cast<std::size_t>(given.rows[k]); at < static_cast<std::size_t>(given.rows[k + 1]);
               ++at)
            features_of.emplace_back(map[static_cast<std::size_t>(given.ids[at])], given.values[at]);
          const std::uint32_t text = list.intern(given.texts[static_cast<std::size_t>(given.text_of[k])]);
          if (add(list, text, features_of)) ++added[i];
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
  for (Candidates& list : sentences_) list.arrange();
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
    std::vector<double> scores;
    for (std::size_t sentence = begin; sentence < end; ++sentence) {
      const Candidates& list = pool[sentence];
      scores.resize(list.size());
      list.scores(weights, scores);
      const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();  // the first of equals
      const auto row = pool.statistics(sentence, list.text(static_cast<std::size_t>(best)));
      for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
    }
  });
  std::vector<double> total(pool.width(), 0.0);
  for (const auto& part : parts)
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  return total;
}

}  // namespace dragoman::tuning
