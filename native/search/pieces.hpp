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
// else after the last that ends a clause, else where there is no room for more. No piece ends inside an extra option; a
// piece that would have to throws InputError.
[[nodiscard]] std::vector<std::uint32_t> piece_ends(std::span<const std::string_view> words,
                                                    std::span<const ExtraOption> extra, std::uint32_t most);

// What a decoder takes at once.
struct LengthLimit {
  std::uint32_t longest;  // words
  bool split;             // translate longer sentences piece by piece; else refuse them
  std::string_view when;  // under what condition, for messages
};

// Where the pieces of a sentence end; throws InputError for one that is not to be translated.
[[nodiscard]] std::vector<std::uint32_t> limited_pieces(std::size_t number, std::span<const std::string_view> words,
                                                        std::span<const ExtraOption> extra, const LengthLimit& limit,
                                                        bool keep_forest);

// What is known of the words from `begin` to `end`.
[[nodiscard]] features::SentenceMarks part_of(const features::SentenceMarks& marks, std::uint32_t begin,
                                              std::uint32_t end);

// Calls translate(begin, end, extra, marks) piece by piece, with what belongs to each.
template <typename Translate>
void for_each_piece(const Request& request, std::size_t words, std::span<const std::uint32_t> ends,
                    const Translate& translate) {
  std::vector<ExtraOption> extra;
  features::SentenceMarks part;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    stop_if_interrupted();
    extra.clear();
    for (const ExtraOption& option : request.extra) {
      if (option.start < begin || (option.end > end && end < words)) continue;
      extra.push_back(option);
      extra.back().start -= begin;
      extra.back().end -= begin;
    }
    const bool whole = end - begin == words;
    if (!whole) part = part_of(request.marks, begin, end);
    translate(begin, end, std::span<const ExtraOption>(extra), whole ? request.marks : part);
    begin = end;
  }
}

}  // namespace dragoman::search
