#pragma once

#include "common/ids.hpp"

namespace dragoman::lm {

inline constexpr WordId kBegin = 1, kEnd = 2;  // `<s>` and `</s>` in the vocabulary of an n-gram model

}  // namespace dragoman::lm
