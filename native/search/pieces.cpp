#include "search/pieces.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "common/error.hpp"

namespace dragoman::search {
namespace {

constexpr std::size_t kLongestForest = 2'000;  // every node of a forest says which words it covers

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

std::vector<std::uint32_t> piece_ends(std::span<const std::string_view> words, const Request& request,
                                      std::uint32_t most) {
  const auto length = static_cast<std::uint32_t>(words.size());
  const auto inside = [&](std::uint32_t end) {
    return std::ranges::any_of(request.extra,
                               [&](const ExtraOption& option) { return option.start < end && end < option.end; }) ||
           std::ranges::any_of(request.constraints.zones,
                               [&](const auto& zone) { return zone.first < end && end < zone.second; });
  };
  std::vector<std::uint32_t> ends;
  std::uint32_t start = 0;
  while (length - start > most) {
    std::uint32_t best = start;
    int best_rank = -1;
    for (std::uint32_t end = start + most; end > start; --end) {
      if (best_rank >= 0 && end < start + (most + 1) / 2) break;
      const int rank = closes(words[end - 1]);
      if (rank <= best_rank || inside(end)) continue;
      best = end;
      best_rank = rank;
    }
    if (best == start)
      throw InputError("an extra option or zone of more than " + std::to_string(most) + " words",
                       "word " + std::to_string(start), "shorten it, or raise the longest sentence allowed");
    ends.push_back(best);
    start = best;
  }
  ends.push_back(length);
  return ends;
}

std::vector<std::uint32_t> limited_pieces(std::size_t number, std::span<const std::string_view> words,
                                          const Request& request, const LengthLimit& limit, bool keep_forest) {
  const auto place = [&] { return "sentence " + std::to_string(number + 1); };
  if (words.size() > limit.longest && !limit.split)
    throw InputError("a sentence of " + std::to_string(words.size()) + " tokens where at most " +
                         std::to_string(limit.longest) + " are translated" + std::string(limit.when),
                     place(), "split it, or let it be split");
  if (words.size() > kLongestForest && keep_forest)
    throw InputError("alternatives for a sentence of " + std::to_string(words.size()) + " tokens; at most " +
                         std::to_string(kLongestForest) + " can have them",
                     place(), "split it, or ask for the best translation only");
  return piece_ends(words, request, limit.longest);
}

Request part_of(const Request& request, std::uint32_t begin, std::uint32_t end, bool last) {
  Request part;
  for (const ExtraOption& option : request.extra) {
    if (option.start < begin || (option.start >= end && !last)) continue;
    part.extra.push_back(option);
    part.extra.back().start -= begin;
    part.extra.back().end -= begin;
  }
  const features::SentenceMarks& marks = request.marks;
  part.marks.domain = marks.domain;
  if (marks.tags.size() >= end) part.marks.tags.assign(marks.tags.begin() + begin, marks.tags.begin() + end);
  if (marks.heads.size() >= end)
    for (std::uint32_t i = begin; i < end; ++i)
      part.marks.heads.push_back(marks.heads[i] - static_cast<std::int32_t>(begin));
  if (marks.relations.size() >= end)
    part.marks.relations.assign(marks.relations.begin() + begin, marks.relations.begin() + end);
  for (const features::LabelledSpan& node : marks.constituents) {  // of one that is cut, what lies in this part
    const std::uint32_t start = std::max(node.start, begin), stop = std::min(node.end, end);
    if (start < stop) part.marks.constituents.push_back({node.label, start - begin, stop - begin});
  }
  for (const features::LabelledSpan& node : marks.nodes)  // one that is cut is none
    if (begin <= node.start && node.end <= end)
      part.marks.nodes.push_back({node.label, node.start - begin, node.end - begin});
  const Constraints& whole = request.constraints;
  if (begin == 0) part.constraints.prefix = whole.prefix;
  part.constraints.references = whole.references;
  part.constraints.monotone = whole.monotone;
  part.constraints.no_drop = whole.no_drop;
  for (const std::uint32_t wall : whole.walls)
    if (begin < wall && (wall < end || last)) part.constraints.walls.push_back(wall - begin);
  for (const auto& [start, stop] : whole.zones)
    if (begin <= start && (start < end || last)) part.constraints.zones.emplace_back(start - begin, stop - begin);
  return part;
}

}  // namespace dragoman::search
