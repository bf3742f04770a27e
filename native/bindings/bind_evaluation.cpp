#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "evaluation/hybrid.hpp"
#include "evaluation/shuffle.hpp"

namespace dragoman {

using namespace nb::literals;

void bind_evaluation(nb::module_& m) {
  m.doc() = "Shuffled and mixed statistics.";
  m.def(
      "masked_sums",
      [](const In2<double>& statistics, std::size_t samples, std::uint64_t seed, int threads) {
        const std::size_t width = statistics.shape(1);
        std::vector<double> sums;
        const StopCallback stop = stop_on_signal();
        {
          const nb::gil_scoped_release unlocked;
          sums = evaluation::masked_sums({statistics.data(), statistics.size()}, width, samples, seed, threads, stop);
        }
        return owned(std::move(sums), samples, width);
      },
      "statistics"_a.noconvert(), nb::kw_only(), "samples"_a, "seed"_a, "threads"_a = 0,
      "Sums of rows taken or left by the toss of a coin: a row per sample, whose tosses follow from (seed, sample).");
  m.def(
      "hybrid_sums",
      [](const In2<double>& statistics, const In<std::int64_t>& ends, std::size_t hybrids, std::uint64_t seed,
         int threads) {
        const std::size_t width = statistics.shape(1);
        std::vector<double> sums;
        const StopCallback stop = stop_on_signal();
        {
          const nb::gil_scoped_release unlocked;
          sums = evaluation::hybrid_sums({statistics.data(), statistics.size()}, width, view(ends), hybrids, seed,
                                         threads, stop);
        }
        return owned(std::move(sums), hybrids, width);
      },
      "statistics"_a.noconvert(), "ends"_a.noconvert(), nb::kw_only(), "hybrids"_a, "seed"_a, "threads"_a = 0,
      "Sums over segments of a row drawn for each; those of segment s end before row `ends[s]`.");
}

}  // namespace dragoman
