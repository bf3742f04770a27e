#pragma once
// What the parts of the tuning binding share.
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "metrics/gain.hpp"
#include "tuning/pool.hpp"

namespace dragoman {

void bind_pool(nb::module_& m);
void bind_line_search(nb::module_& m);

// Throws InputError unless the gain is of the metric whose statistics are `width` wide.
inline void check_width(const metrics::Gain& gain, std::size_t width) {
  if (gain.width() != width)
    throw InputError("a gain of " + std::to_string(gain.width()) + " statistics for rows of " + std::to_string(width));
}

inline void check_features(const tuning::Pool& pool, const In<std::uint8_t>& fixed) {
  if (fixed.size() < pool.names().size()) throw InputError("a flag for every feature is needed");
}

}  // namespace dragoman
