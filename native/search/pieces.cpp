#include "search/pieces.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "common/error.hpp"

namespace dragoman::search {
namespace {

using namespace std::string_view_literals;
constexpr std::array kSentenceMarks{"."sv,  "!"sv,  "?"sv,  ";"sv,  "..."sv, "…"sv,
                                    "。"sv, "！"sv, "？"sv, "；"sv, "؟"sv,   "।"sv};
constexpr std::array kClauseMarks{","sv, ":"sv, "-"sv, "–"sv, "—"sv, "("sv, ")"sv, "，"sv, "、"sv, "："sv, "،"sv};

// How good a piece may end after a word: 2 ends a sentence, 1 a clause.
int closes(std::string_view word) {
  const auto among = [&](const auto& marks) { return std::find(marks.begin(), marks.end(), word) != marks.end(); };
  return among(kSentenceMarks) ? 2 : among(kClauseMarks) ? 1 : 0;
}

}  // namespace

std::vector<std::uint32_t> piece_ends(std::span<const std::string_view> words, std::span<const ExtraOption> extra,
                                      std::uint32_t most) {
  const auto length = static_cast<std::uint32_t>(words.size());
  const auto inside_option = [&](std::uint32_t end) {
    return std::any_of(extra.begin(), extra.end(),
                       [&](const ExtraOption& option) { return option.start < end && end < option.end; });
  };
  std::vector<std::uint32_t> ends;
  std::uint32_t start = 0;
  while (length - start > most) {
    std::uint32_t best = start;
    int best_rank = -1;
    for (std::uint32_t end = start + most; end > start; --end) {
      if (best_rank >= 0 && end < start + (most + 1) / 2) break;
      const int rank = closes(words[end - 1]);
      if (rank <= best_rank || inside_option(end)) continue;
      best = end;
      best_rank = rank;
    }
    if (best == start)
      throw InputError("an extra option of more than " + std::to_string(most) + " words",
                       "word " + std::to_string(start), "shorten it, or raise the longest sentence allowed");
    ends.push_back(best);
    start = best;
  }
  ends.push_back(length);
  return ends;
}

}  // namespace dragoman::search
