#pragma once
// What phrase-based search must heed in a sentence that is restricted.
#include <cstdint>
#include <vector>

#include "search/reference_prefixes.hpp"
#include "search/source_order.hpp"
#include "search/target_prefix.hpp"

namespace dragoman::search {

struct PhraseLimits {
  SourceOrder order;
  ReferencePrefixes references;  // if there are any, nothing else may be written
  TargetPrefix prefix;
  std::vector<std::vector<std::uint32_t>> fitting;  // options by the position in the prefix where they fit
  std::vector<std::vector<std::uint32_t>> made_up;  // those for where none does
};

}  // namespace dragoman::search
