#pragma once

#include <cstddef>

namespace dragoman::text {

inline constexpr std::size_t kLinesPerShard = 256;  // that a thread takes at once

}  // namespace dragoman::text
