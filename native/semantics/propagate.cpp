#include "semantics/propagate.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::semantics {

namespace {

constexpr std::size_t kNodesPerTask = 512;

double squared_distance(RowsView x, std::size_t row, RowsView y, std::size_t other) {
  const auto a = x.columns_of(row), b = y.columns_of(other);
  const auto u = x.values_of(row), v = y.values_of(other);
  double sum = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    double difference = 0;
    if (j == b.size() || (i < a.size() && a[i] < b[j]))
      difference = u[i++];
    else if (i == a.size() || b[j] < a[i])
      difference = v[j++];
    else
      difference = u[i++] - v[j++];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

Propagated propagate(RowsView coupling, RowsView given, RowsView start, std::span<const double> divisors,
                     std::size_t label_count, const PropagationSettings& settings, int threads,
                     const StopCallback& stop) {
  const std::size_t nodes = divisors.size();
  coupling.check(nodes);
  given.check(label_count);
  start.check(label_count);
  if (coupling.size() != nodes || given.size() != nodes || start.size() != nodes)
    throw InputError("graph, seeds and divisors of different sizes");
  for (const double divisor : divisors) {
    if (!(divisor > 0) || !std::isfinite(divisor)) throw InputError("a node whose labels are divided by nothing");
  }
  Propagated result;
  result.labels = Rows{{start.starts.begin(), start.starts.end()},
                       {start.columns.begin(), start.columns.end()},
                       {start.values.begin(), start.values.end()}};
  std::vector<Rows> parts(shard_count(nodes, kNodesPerTask));
  std::vector<double> changes(parts.size());
  for (int round = 0; round < settings.rounds; ++round) {
    const RowsView now = result.labels.view();
    parallel_shards(
        parts.size(), threads,
        [&](std::size_t shard) {
          Accumulator sums(label_count);
          Rows& rows = parts[shard];
          rows = {};
          changes[shard] = 0;
          const std::size_t end = std::min(nodes, (shard + 1) * kNodesPerTask);
          for (std::size_t node = shard * kNodesPerTask; node < end; ++node) {
            const auto add = [&](std::span<const Column> labels, std::span<const double> values, double factor) {
              for (std::size_t i = 0; i < labels.size(); ++i)
                sums.add(static_cast<std::size_t>(labels[i]), factor * values[i]);
            };
            add(given.columns_of(node), given.values_of(node), 1.0);
            const auto neighbors = coupling.columns_of(node);
            const auto weights = coupling.values_of(node);
            for (std::size_t i = 0; i < neighbors.size(); ++i) {
              const auto neighbor = static_cast<std::size_t>(neighbors[i]);
              add(now.columns_of(neighbor), now.values_of(neighbor), weights[i]);
            }
            const std::size_t begin = rows.columns.size();
            if (settings.keep_top > 0) sums.keep_greatest(settings.keep_top);
            sums.flush(rows);
            for (std::size_t at = begin; at < rows.values.size(); ++at) rows.values[at] /= divisors[node];
            changes[shard] += squared_distance(rows.view(), rows.starts.size() - 2, now, node);
          }
        },
        stop);
    Rows next;
    double change = 0;
    for (std::size_t shard = 0; shard < parts.size(); ++shard) {
      next.append(parts[shard]);
      change += changes[shard];
    }
    result.labels = std::move(next);
    result.rounds = round + 1;
    result.change = nodes > 0 ? change / static_cast<double>(nodes) : 0.0;
    if (result.change < settings.tolerance) break;
  }
  return result;
}

}  // namespace dragoman::semantics
