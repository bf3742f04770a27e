#pragma once
// How searches number their nodes.
#include <cstdint>

namespace dragoman::search {

using NodeId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

}  // namespace dragoman::search
