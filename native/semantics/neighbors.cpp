#include "semantics/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace dragoman::semantics {

namespace {

constexpr std::size_t kQueriesPerTask = 16;

// Each measure: what two values of a shared column add to the sum, and what the sum and the masses of the rows make.
struct Cosine {
  [[nodiscard]] double shared(double a, double b) const noexcept { return a * b; }
  [[nodiscard]] double finish(double sum, double a, double b) const noexcept { return a > 0 && b > 0 ? sum : 0.0; }
};
struct Jaccard {
  [[nodiscard]] double shared(double a, double b) const noexcept { return std::min(a, b); }
  [[nodiscard]] double finish(double sum, double a, double b) const noexcept {
    return a + b > sum ? sum / (a + b - sum) : (sum > 0 ? 1.0 : 0.0);
  }
};
struct Dice {
  [[nodiscard]] double shared(double a, double b) const noexcept { return std::min(a, b); }
  [[nodiscard]] double finish(double sum, double a, double b) const noexcept {
    return a + b > 0 ? 2 * sum / (a + b) : 0.0;
  }
};
struct Lin {
  [[nodiscard]] double shared(double a, double b) const noexcept { return a > 0 && b > 0 ? a + b : 0.0; }
  [[nodiscard]] double finish(double sum, double a, double b) const noexcept { return a + b > 0 ? sum / (a + b) : 0.0; }
};
struct CityBlock {
  [[nodiscard]] double shared(double a, double b) const noexcept { return std::abs(a - b) - std::abs(a) - std::abs(b); }
  [[nodiscard]] double finish(double sum, double a, double b) const noexcept { return std::max(0.0, a + b + sum); }
};
struct JensenShannon {  // sum of the two divergences from the mean, without a factor 1/2
  static double term(double a, double whole) noexcept { return a > 0 ? a * std::log(2 * a / whole) : 0.0; }
  [[nodiscard]] double shared(double a, double b) const noexcept {
    return term(a, a + b) + term(b, a + b) - (a + b) * std::numbers::ln2;
  }
  [[nodiscard]] double finish(double sum, double a, double b) const noexcept {
    return std::max(0.0, std::numbers::ln2 * (a + b) + sum);
  }
};
struct Skew {  // KL(a || alpha b + (1 - alpha) a)
  double alpha, unseen;
  [[nodiscard]] double shared(double a, double b) const noexcept {
    return a > 0 ? a * (std::log(a / (alpha * b + (1 - alpha) * a)) - unseen) : 0.0;
  }
  [[nodiscard]] double finish(double sum, double a, double) const noexcept { return std::max(0.0, unseen * a + sum); }
};

template <typename Use>
auto with_measure(const MeasureSettings& settings, const Use& use) {
  switch (settings.measure) {
    case Measure::kJaccard:
      return use(Jaccard{});
    case Measure::kDice:
      return use(Dice{});
    case Measure::kLin:
      return use(Lin{});
    case Measure::kCityBlock:
      return use(CityBlock{});
    case Measure::kJensenShannon:
      return use(JensenShannon{});
    case Measure::kSkew:
      if (!(settings.alpha > 0 && settings.alpha < 1))
        throw SettingError("alpha=" + std::to_string(settings.alpha), "choose between 0 and 1");
      return use(Skew{settings.alpha, -std::log(1 - settings.alpha)});
    case Measure::kCosine:
      break;
  }
  return use(Cosine{});
}

struct Found {
  double value;
  std::int32_t row;
};

// The candidates by column: rows [starts[c], starts[c + 1]) have a value there.
struct Postings {
  std::vector<std::size_t> starts;
  std::vector<std::int32_t> rows;
  std::vector<double> values;

  Postings(const Prepared& candidates, std::size_t width) : starts(width + 1, 0) {
    const RowsView& all = candidates.rows;
    for (const Column column : all.columns) ++starts[static_cast<std::size_t>(column) + 1];
    for (std::size_t column = 0; column < width; ++column) starts[column + 1] += starts[column];
    rows.resize(all.columns.size());
    values.resize(all.columns.size());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t row = 0; row < all.size(); ++row) {
      const auto columns = all.columns_of(row);
      const auto numbers = all.values_of(row);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t at = next[static_cast<std::size_t>(columns[i])]++;
        rows[at] = static_cast<std::int32_t>(row);
        values[at] = numbers[i];
      }
    }
  }
};

}  // namespace

Prepared::Prepared(RowsView given, const MeasureSettings& settings)
    : rows(given), values(given.values.begin(), given.values.end()), masses(given.size(), 0.0) {
  const bool cosine = settings.measure == Measure::kCosine;
  const bool signed_values = cosine || settings.measure == Measure::kCityBlock;
  const bool unit = settings.measure == Measure::kJensenShannon || settings.measure == Measure::kSkew;
  for (std::size_t row = 0; row < given.size(); ++row) {
    const std::span<double> own(values.data() + given.starts[row],
                                static_cast<std::size_t>(given.starts[row + 1] - given.starts[row]));
    double mass = 0;
    for (double& value : own) {
      if (!std::isfinite(value)) throw InputError("a profile with a value that is not finite");
      if (!signed_values) value = std::max(0.0, value);
      mass += cosine ? value * value : std::abs(value);
    }
    if (cosine) mass = std::sqrt(mass);
    if ((cosine || unit) && mass > 0) {
      for (double& value : own) value /= mass;
      mass = 1;
    }
    masses[row] = mass;
  }
  rows.values = values;
}

std::vector<double> pair_values(RowsView first, RowsView second, std::size_t width, const MeasureSettings& settings) {
  first.check(width);
  second.check(width);
  if (first.size() != second.size()) throw InputError("as many first rows as second ones are needed");
  const Prepared a(first, settings), b(second, settings);
  return with_measure(settings, [&](const auto& measure) {
    std::vector<double> found(first.size());
    for (std::size_t row = 0; row < first.size(); ++row) {
      const auto x = a.rows.columns_of(row), y = b.rows.columns_of(row);
      const auto u = a.rows.values_of(row), v = b.rows.values_of(row);
      double sum = 0;
      for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
        if (x[i] == y[j])
          sum += measure.shared(u[i++], v[j++]);
        else if (x[i] < y[j])
          ++i;
        else
          ++j;
      }
      found[row] = measure.finish(sum, a.masses[row], b.masses[row]);
    }
    return found;
  });
}

Neighbors nearest(RowsView queries, RowsView candidates, std::size_t width, std::span<const std::int32_t> self,
                  std::size_t k, const MeasureSettings& settings, int threads, const StopCallback& stop) {
  queries.check(width);
  candidates.check(width);
  if (self.size() != queries.size()) throw InputError("one number of its own row for each query is needed");
  if (k < 1) throw SettingError("k=0", "ask for at least one neighbour");
  const Prepared asked(queries, settings), known(candidates, settings);
  const Postings postings(known, width);
  const double sign = settings.is_distance() ? -1.0 : 1.0;
  std::vector<std::vector<Found>> lists(queries.size());
  with_measure(settings, [&](const auto& measure) {
    parallel_ranges(
        queries.size(), kQueriesPerTask, threads,
        [&](std::size_t begin, std::size_t end) {
          // Most queries touch most candidates: plain sums and a pass over all of them beat a list of those touched.
          std::vector<double> sums(candidates.size());
          std::vector<char> shares(candidates.size());
          const auto nearer = [](const Found& x, const Found& y) {
            return x.value != y.value ? x.value > y.value : x.row < y.row;
          };
          for (std::size_t query = begin; query < end; ++query) {
            const auto columns = asked.rows.columns_of(query);
            const auto numbers = asked.rows.values_of(query);
            for (std::size_t i = 0; i < columns.size(); ++i) {
              const auto column = static_cast<std::size_t>(columns[i]);
              for (std::size_t at = postings.starts[column]; at < postings.starts[column + 1]; ++at) {
                const auto row = static_cast<std::size_t>(postings.rows[at]);
                sums[row] += measure.shared(numbers[i], postings.values[at]);
                shares[row] = 1;
              }
            }
            std::vector<Found>& list = lists[query];
            for (std::size_t row = 0; row < candidates.size(); ++row) {
              const auto number = static_cast<std::int32_t>(row);
              if (!shares[row] || number == self[query]) continue;
              const Found found{sign * measure.finish(sums[row], asked.masses[query], known.masses[row]), number};
              if (list.size() < k) {
                list.push_back(found);
                std::push_heap(list.begin(), list.end(), nearer);
              } else if (nearer(found, list.front())) {
                std::pop_heap(list.begin(), list.end(), nearer);
                list.back() = found;
                std::push_heap(list.begin(), list.end(), nearer);
              }
            }
            std::sort_heap(list.begin(), list.end(), nearer);
            std::fill(sums.begin(), sums.end(), 0.0);
            std::fill(shares.begin(), shares.end(), char{0});
          }
        },
        stop);
  });
  Neighbors found;
  for (const auto& list : lists) {
    for (const auto& [value, row] : list) {
      found.rows.push_back(row);
      found.values.push_back(sign * value);
    }
    found.starts.push_back(static_cast<std::int64_t>(found.rows.size()));
  }
  return found;
}

}  // namespace dragoman::semantics
