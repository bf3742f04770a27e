// From adjusted counts to probabilities: denominators and back-off weights by context, then interpolation in suffix
// order, where the n-gram shortened by its oldest word is always the one just passed in the stream of the order below.
#include "lm/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lm/boundaries.hpp"

namespace dragoman::lm {
namespace {

// Discounts can take all of a count; ARPA files and sums of logarithms need a number all the same.
double safe_log(double value) { return std::log(std::max(value, 1e-100)); }

// Reads a spool that is sorted like another one, keeping up with it.
class Follower {
 public:
  Follower(const RecordSpool& spool, std::size_t key) : reader_(spool), key_(key) { record_ = reader_.next(); }

  // Moves to the record with this key, if there is one.
  const std::uint32_t* find(const std::uint32_t* key) {
    while (record_ != nullptr) {
      const int order = compare(record_, key);
      if (order == 0) return record_;
      if (order > 0) return nullptr;
      record_ = reader_.next();
    }
    return nullptr;
  }

 private:
  [[nodiscard]] int compare(const std::uint32_t* a, const std::uint32_t* b) const noexcept {
    for (std::size_t i = 0; i < key_; ++i)
      if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
  }

  RecordSpool::Reader reader_;
  std::size_t key_;
  const std::uint32_t* record_;
};

}  // namespace

void Estimator::normalize(int threads) {
  // Orders are independent here, and the longest take the most time.
  parallel_shards(order_ - 1, threads,
                  [&](std::size_t shard) { normalize_order(settings_.order - static_cast<int>(shard)); });
}

void Estimator::normalize_order(int order) {
  const auto n = static_cast<std::size_t>(order);
  Level& level = levels_[n - 1];
  const Discounts& discounts = reports_[n - 1].discounts;
  const std::uint64_t kept = level.words.size();
  const bool in_memory = kept * 16 <= settings_.budget.bytes / (4 * order_);
  RecordSorter back_in_order(6, 2, settings_.budget.part(0.2 / static_cast<double>(order_)));
  if (in_memory) level.shares.fill(kept);

  struct Entry {
    std::uint64_t count, number;
  };
  std::vector<Entry> group;
  std::vector<std::uint32_t> context(n - 1);
  std::uint64_t denominator = 0, pruned = 0, followers = 0;
  double discounted = 0;
  const auto close_group = [&] {
    if (group.empty() && pruned == 0) return;
    // What pruned n-grams had goes the same way as what was discounted.
    double total = static_cast<double>(denominator);
    double free = discounted + static_cast<double>(pruned);
    if (settings_.smoothing == Smoothing::witten_bell) {
      free += static_cast<double>(followers);
      total += static_cast<double>(followers);
    } else if (settings_.smoothing == Smoothing::katz && free <= 0) {
      free = 1;  // all counts are believed; something must be left for what was not seen
      total += 1;
    }
    const double weight = free / total;
    std::uint32_t record[kMaxOrder + 1];
    std::copy(context.begin(), context.end(), record);
    put(record + n - 1, weight);
    level.backoffs.append({record, n + 1});
    for (const Entry& entry : group) {
      const double share = (static_cast<double>(entry.count) - discounts.of(entry.count)) / total;
      std::uint32_t values[6];
      put(values, entry.number);
      put(values + 2, share);
      put(values + 4, weight);
      if (in_memory)
        std::memcpy(level.shares.record(entry.number), values + 2, 16);
      else
        back_in_order.append({values, 6});
    }
    group.clear();
    denominator = pruned = followers = 0;
    discounted = 0;
  };
  level.context.drain([&](const std::uint32_t* record) {
    if (std::memcmp(record, context.data(), (n - 1) * sizeof(std::uint32_t)) != 0) {
      close_group();
      std::copy(record, record + n - 1, context.begin());
    }
    const std::uint64_t count = get(record + n), number = get(record + n + 2);
    denominator += count;
    ++followers;
    if (number == ~std::uint64_t{0}) {
      pruned += count;
    } else {
      discounted += discounts.of(count);
      group.push_back({count, number});
    }
  });
  close_group();
  if (!in_memory) back_in_order.drain([&](const std::uint32_t* record) { level.shares.append({record + 2, 4}); });
}

void Estimator::interpolate(int order) {
  const auto n = static_cast<std::size_t>(order);
  Level& level = levels_[n - 1];
  ngrams_.levels.emplace_back(ngram_width(order), settings_.budget.part(0.4 / static_cast<double>(order_)));
  RecordSpool::Reader words(level.words);
  const RecordSpool none(2);
  const bool katz = settings_.smoothing == Smoothing::katz;
  const bool weighted = n < order_ && !katz;
  Follower backoffs(weighted ? levels_[n].backoffs : none, n);
  const auto keep = [&](const std::uint32_t* record, double probability) {
    const std::uint32_t* found = weighted ? backoffs.find(record) : nullptr;
    const double backoff = found == nullptr ? 0.0 : safe_log(get_double(found + n));
    ngrams_.append(order, {record, n}, safe_log(probability), backoff);
  };
  if (n == 1) {
    const Discounts& discounts = reports_[0].discounts;
    auto total = static_cast<double>(level.denominator);
    double kept_mass = 0, discounted = 0;
    std::uint64_t kept_count = 0;
    for (RecordSpool::Reader reader(level.words); const std::uint32_t* record = reader.next();) {
      kept_count += get(record + 1);
      discounted += discounts.of(get(record + 1));
    }
    kept_mass = static_cast<double>(kept_count);
    double free = discounted + (total - kept_mass);
    if (settings_.smoothing == Smoothing::witten_bell) {
      const auto seen = static_cast<double>(level.counts.types - 2);  // without `<unk>` and `<s>`
      free += seen;
      total += seen;
    } else if (katz && free <= 0) {
      free = 1;
      total += 1;
    }
    const double left_over = free / total;
    const double uniform = 1.0 / static_cast<double>(level.words.size() - 1);  // `<s>` is never predicted
    while (const std::uint32_t* record = words.next()) {
      const std::uint64_t count = get(record + 1);
      double probability = (static_cast<double>(count) - discounts.of(count)) / total;
      if (record[0] == kBegin)
        probability = 1;
      else if (settings_.interpolate_unigrams)
        probability += left_over * uniform;
      else if (record[0] == kUnknown)
        probability = left_over;
      keep(record, probability);
    }
  } else {
    RecordSpool::Reader shares(level.shares);
    Follower shorter(ngrams_.levels[n - 2], n - 1);
    while (const std::uint32_t* record = words.next()) {
      const std::uint32_t* share = shares.next();
      // Counts only grow from longer to shorter n-grams, so the shorter one was kept too.
      const double lower = std::exp(Ngrams::logprob(shorter.find(record), order - 1));
      keep(record, get_double(share) + (katz ? 0.0 : get_double(share + 2) * lower));
    }
    if (katz) back_off(order);
  }
  // What later orders do not need goes back.
  level.words = RecordSpool(level.words.width());
  level.shares = RecordSpool(4);
}

void Estimator::back_off(int order) {
  // The weight of a context is what its n-grams leave over, by what the order below gives to all other words.
  const auto n = static_cast<std::size_t>(order);
  RecordSorter by_context(n + 3, n - 1, settings_.budget.part(0.2 / static_cast<double>(order_)));
  {
    Follower shorter(ngrams_.levels[n - 2], n - 1);
    for (RecordSpool::Reader reader(ngrams_.levels[n - 1]); const std::uint32_t* record = reader.next();) {
      std::uint32_t entry[kMaxOrder + 4];
      std::copy(record + 1, record + n, entry);
      put(entry + n - 1, std::exp(Ngrams::logprob(record, order)));
      put(entry + n + 1, std::exp(Ngrams::logprob(shorter.find(record), order - 1)));
      by_context.append({entry, n + 3});
    }
  }
  RecordSpool& contexts = ngrams_.levels[n - 2];
  contexts.load();
  std::vector<std::uint32_t> context(n - 1);
  double own = 0, lower = 0;
  std::uint64_t at = 0;
  const auto close = [&] {
    if (own == 0) return;
    const auto before = [&](const std::uint32_t* record) {
      return std::lexicographical_compare(record, record + n - 1, context.begin(), context.end());
    };
    while (at < contexts.size() && before(contexts.record(at))) ++at;
    if (at < contexts.size() && std::equal(context.begin(), context.end(), contexts.record(at)))
      put(contexts.record(at) + n + 1, safe_log((1 - own) / (1 - lower)));
    own = lower = 0;
  };
  by_context.drain([&](const std::uint32_t* record) {
    if (!std::equal(context.begin(), context.end(), record)) {
      close();
      std::copy(record, record + n - 1, context.begin());
    }
    own += get_double(record + n - 1);
    lower += get_double(record + n + 1);
  });
  close();
}

}  // namespace dragoman::lm
