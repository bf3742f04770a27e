#pragma once
// Exact line search on n-best lists: along a direction, the metric of the best candidates everywhere.
#include <span>
#include <vector>

#include "tuning/pool.hpp"
#include "tuning/sweep.hpp"

namespace dragoman::tuning {

// Keeps the scores of the candidates at the last point that it was asked about; not for several threads at once.
class LineSearch {
 public:
  LineSearch(const Pool& pool, const metrics::Gain& gain);

  // The plateaus of weights + x * direction; `threads` work on sentences.
  [[nodiscard]] std::vector<Plateau> line(std::span<const double> weights, std::span<const double> direction,
                                          const Windows& windows, int threads, const StopCallback& stop);

 private:
  void stand_at(std::span<const double> weights, int threads);

  const Pool& pool_;
  const metrics::Gain& gain_;
  std::vector<std::size_t> starts_;        // of each sentence in `heights_`
  std::vector<double> weights_, heights_;  // heights: scores of all candidates at `weights_`
  std::vector<std::vector<Choice>> choices_;
};

}  // namespace dragoman::tuning
