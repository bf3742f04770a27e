#pragma once
// What every metric reads: hypotheses, and for each of them one reference or more. Statistics are a matrix with a row
// per segment; rows are independent, so shards of rows run in parallel and the result never depends on threads.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/parallel.hpp"
#include "metrics/tokenizer.hpp"

namespace dragoman::metrics {

using Words = std::span<const WordId>;

// References of segment i are the lines [groups[i-1], groups[i]) of `lines`.
struct References {
  const EncodedLines& lines;
  std::span<const std::int64_t> groups;

  [[nodiscard]] std::size_t size() const noexcept { return groups.size(); }
  [[nodiscard]] std::size_t begin(std::size_t i) const noexcept {
    return static_cast<std::size_t>(i == 0 ? 0 : groups[i - 1]);
  }
  [[nodiscard]] std::size_t end(std::size_t i) const noexcept { return static_cast<std::size_t>(groups[i]); }
};

// Throws InputError unless every hypothesis has a reference and the numbers fit together.
inline void check_segments(const EncodedLines& hypotheses, const References& references) {
  if (hypotheses.size() != references.size()) {
    throw InputError(std::to_string(hypotheses.size()) + " hypotheses for " + std::to_string(references.size()) +
                     " segments of references");
  }
  std::int64_t before = 0;
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references.groups[i] <= before) throw InputError("no reference", "segment " + std::to_string(i + 1));
    before = references.groups[i];
  }
  if (static_cast<std::size_t>(before) != references.lines.size()) {
    throw InputError("groups of references do not cover them");
  }
}

// A matrix of statistics, filled by fill(worker, segment, row); every shard has a worker of its own, which keeps memory
// between segments.
template <typename Worker, typename Fill>
[[nodiscard]] std::vector<double> fill_statistics(std::size_t segments, std::size_t width, int threads,
                                                  const StopCallback& stop, const Fill& fill) {
  constexpr std::size_t kShardSegments = 32;
  std::vector<double> matrix(segments * width, 0.0);
  parallel_ranges(
      segments, kShardSegments, threads,
      [&](std::size_t begin, std::size_t end) {
        Worker worker;
        for (std::size_t i = begin; i < end; ++i) fill(worker, i, std::span<double>(matrix).subspan(i * width, width));
      },
      stop);
  return matrix;
}

}  // namespace dragoman::metrics
