#include "bindings/bind_tuning.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/rooms.hpp"
#include "tuning/mira.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace tuning;

void bind_tuning(nb::module_& m) {
  m.doc() = "Lists of candidates and the loops that tune weights on them.";
  bind_pool(m);
  bind_line_search(m);
  m.def(
      "batch_mira",
      [](const Pool& pool, const metrics::Gain& gain, const In<double>& start, const In<double>& words,
         const In<std::uint8_t>& fixed, const std::string& rule, double step, double pull, double decay,
         std::size_t passes, int length_column, std::uint64_t seed, int threads) {
        if (words.size() != pool.size()) throw InputError("a number of reference words for each sentence is needed");
        check_features(pool, fixed);
        check_width(gain, pool.width());
        if (rule != "margin" && rule != "perceptron" && rule != "ramp")
          throw SettingError("no rule is called '" + rule + "'", "choose margin, perceptron or ramp");
        const MiraRule kind = rule == "margin" ? MiraRule::kMargin
                              : rule == "ramp" ? MiraRule::kRamp
                                               : MiraRule::kPerceptron;
        const StopCallback stop = stop_on_signal();
        MiraResult result;
        {
          const nb::gil_scoped_release unlocked;
          result = batch_mira(pool, gain, view(start), view(words), view(fixed),
                              {kind, step, pull, decay, passes, length_column, seed, threads}, stop);
        }
        return nb::make_tuple(owned(std::move(result.weights)), result.gain, result.pass,
                              owned(std::move(result.gains)));
      },
      "pool"_a, "gain"_a, "start"_a.noconvert(), "words"_a.noconvert(), "fixed"_a.noconvert(), nb::kw_only(), "rule"_a,
      "step"_a, "pull"_a, "decay"_a, "passes"_a, "length_column"_a, "seed"_a, "threads"_a,
      nb::sig("def batch_mira(pool: Pool, gain: dragoman._native.metrics.Gain, start: NDArray[float64], words: "
              "NDArray[float64], fixed: "
              "NDArray[uint8], *, rule: str, step: float, pull: float, decay: float, passes: int, length_column: int, "
              "seed: int, threads: int) -> tuple[NDArray[float64], float, int, NDArray[float64]]"),
      "The best average of the weights, its gain, the pass after which it was taken, and the gain after each pass.");
}

}  // namespace dragoman
