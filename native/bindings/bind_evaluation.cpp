#include "bindings/arrays.hpp"
#include "bindings/rooms.hpp"
#include "common/error.hpp"
#include "evaluation/resample.hpp"
#include "evaluation/shuffle.hpp"

namespace dragoman {

using namespace nb::literals;

void bind_evaluation(nb::module_& m) {
  m.doc() = "Resampling of statistics.";
  m.def(
      "bootstrap_sums",
      [](const In2<double>& statistics, std::size_t samples, std::uint64_t seed, int threads) {
        const std::size_t width = statistics.shape(1);
        std::vector<double> sums;
        const StopCallback stop = stop_on_signal();
        {
          const nb::gil_scoped_release unlocked;
          sums =
              evaluation::bootstrap_sums({statistics.data(), statistics.size()}, width, samples, seed, threads, stop);
        }
        return owned(std::move(sums), samples, width);
      },
      "statistics"_a.noconvert(), nb::kw_only(), "samples"_a, "seed"_a, "threads"_a = 1,
      "Sums of rows drawn with replacement: a row per sample, whose draws follow from (seed, sample) alone.");
  m.def(
      "shuffled_sums",
      [](const In2<double>& first, const In2<double>& second, std::size_t samples, std::uint64_t seed, int threads) {
        const std::size_t width = first.shape(1);
        if (second.shape(0) != first.shape(0) || second.shape(1) != width)
          throw InputError("statistics of two systems must have the same shape");
        std::vector<double> sums;
        const StopCallback stop = stop_on_signal();
        {
          const nb::gil_scoped_release unlocked;
          sums = evaluation::shuffled_sums({first.data(), first.size()}, {second.data(), second.size()}, width, samples,
                                           seed, threads, stop);
        }
        return owned(std::move(sums), samples, width);
      },
      "first"_a.noconvert(), "second"_a.noconvert(), nb::kw_only(), "samples"_a, "seed"_a, "threads"_a = 1,
      "Sums of the first system's rows after trading places at random with the second's: a row per sample.");
}

}  // namespace dragoman
