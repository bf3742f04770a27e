#pragma once
// What two strings have in common, in order: the longest common subsequence (as `diff` finds it) and the longest common
// stretch, of characters or of words between white space.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"

namespace dragoman::text {

using Symbols = std::span<const std::uint32_t>;

// Length of the longest common subsequence, 64 symbols of the first at a time (Hyyrö 2004).
[[nodiscard]] std::int64_t common_subsequence(Symbols first, Symbols second);

// Length of the longest stretch that both have.
[[nodiscard]] std::int64_t common_stretch(Symbols first, Symbols second);

enum class StringUnit : std::uint8_t { kCharacter, kWord };
enum class InCommon : std::uint8_t { kSubsequence, kStretch };

// For each pair of texts (UTF-8): what they have in common, and the length of each, three numbers a pair.
[[nodiscard]] std::vector<std::int64_t> in_common(const std::vector<std::string_view>& first,
                                                  const std::vector<std::string_view>& second, StringUnit unit,
                                                  InCommon what, int threads, const StopCallback& stop);

}  // namespace dragoman::text
