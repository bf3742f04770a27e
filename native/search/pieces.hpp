#pragma once
// Long lines are translated piece by piece, so that time and memory stay bounded whatever arrives.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "search/phrase_model.hpp"

namespace dragoman::search {

// Where pieces of at most `most` words end: after the last mark that ends a sentence in the second half of what fits,
// else after the last that ends a clause, else where there is no room for more. No piece ends inside an extra option; a
// piece that would have to throws InputError.
[[nodiscard]] std::vector<std::uint32_t> piece_ends(std::span<const std::string_view> words,
                                                    std::span<const ExtraOption> extra, std::uint32_t most);

}  // namespace dragoman::search
