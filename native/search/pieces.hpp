#pragma once
// Long lines are translated piece by piece, so that time and memory stay bounded whatever arrives.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/parallel.hpp"
#include "search/rule_model.hpp"

namespace dragoman::search {

// Where pieces of at most `most` words end: after the last mark that ends a sentence in the second half of what fits,
// else after the last that ends a clause, else where there is no room for more. No piece ends inside an extra option or
// a zone; a piece that would have to throws InputError.
[[nodiscard]] std::vector<std::uint32_t> piece_ends(std::span<const std::string_view> words, const Request& request,
                                                    std::uint32_t most);

// What a decoder takes at once.
struct LengthLimit {
  std::uint32_t longest;  // words
  bool split;             // translate longer sentences piece by piece; else refuse them
  std::string_view when;  // under what condition, for messages
};

// Where the pieces of a sentence end; throws InputError for one that is not to be translated.
[[nodiscard]] std::vector<std::uint32_t> limited_pieces(std::size_t number, std::span<const std::string_view> words,
                                                        const Request& request, const LengthLimit& limit,
                                                        bool keep_forest);

// What is asked of the words from `begin` to `end`, and known of them, without their line; the first piece has the
// prefix.
[[nodiscard]] Request part_of(const Request& request, std::uint32_t begin, std::uint32_t end, bool last);

// Calls translate(begin, end, request) piece by piece, with what belongs to each.
template <typename Translate>
void for_each_piece(const Request& request, std::size_t words, std::span<const std::uint32_t> ends,
                    const Translate& translate) {
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    stop_if_interrupted();
    if (end - begin == words)
      translate(begin, end, request);
    else
      translate(begin, end, part_of(request, begin, end, end == words));
    begin = end;
  }
}

}  // namespace dragoman::search
