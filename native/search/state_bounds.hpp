#pragma once
// What features with states can score at most, whatever stands before an option or in its parts: all states that the
// options of a sentence lead to are gone through, as long as there are not too many.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "search/chart.hpp"
#include "search/chart_extender.hpp"
#include "search/extender.hpp"

namespace dragoman::search {

inline constexpr std::size_t kMostStates = 20000;  // of a feature in a sentence

// What is said of a feature that has more.
[[nodiscard]] inline SettingError no_bound(const std::string& label, const std::string& remedy) {
  return {"exact search knows no bound of a feature with so many states: the one " + label, remedy};
}

struct StateBounds {
  std::vector<double> most;  // per option, in the order of the sentence's options
  double at_end = 0;
};

// Of features that are extended option by option; throws where there is no bound.
[[nodiscard]] StateBounds state_bounds(Extender& extender, std::span<const Option> options);
// Of the first `features` that are made from parts.
[[nodiscard]] StateBounds state_bounds(ChartExtender& extender, std::size_t features, const Chart& chart, CellId goal,
                                       std::span<const Option> options);

}  // namespace dragoman::search
