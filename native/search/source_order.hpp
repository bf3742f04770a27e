#pragma once
// Walls and zones: in which order the words of a sentence may be translated. All words in front of a wall come before
// those behind it; words of a zone come one after the other, without others between them. A wall inside a zone holds
// for the words of that zone only. No phrase crosses a wall, or covers a zone in part together with other words.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "features/coverage.hpp"
#include "search/constraints.hpp"

namespace dragoman::search {

class SourceOrder {
 public:
  // For a sentence of `length` words; throws InputError for walls and zones that are not in it, or zones that cross.
  void begin(const Constraints& constraints, std::uint32_t length, int distortion_limit) {
    limit_ = distortion_limit;
    walls_.clear();
    zones_.clear();
    for (const auto& [start, end] : constraints.zones) {
      if (start >= end || end > length) throw InputError("a zone of " + words(start, end, length));
      for (const Range& other : zones_)
        if (start < other.end && other.start < end && !within(other, start, end) &&
            !within({start, end}, other.start, other.end))
          throw InputError("a zone of " + words(start, end, length) + " that crosses the one of " +
                               words(other.start, other.end, length),
                           "", "let zones lie side by side or inside each other");
      zones_.push_back({start, end});
    }
    for (const std::uint32_t at : constraints.walls) {
      if (at > length)
        throw InputError("a wall in front of word " + std::to_string(at) + " of " + std::to_string(length));
      Range within{0, length};
      for (const Range& zone : zones_)
        if (zone.start < at && at < zone.end && zone.end - zone.start < within.end - within.start) within = zone;
      walls_.push_back({at, within});
    }
  }
  [[nodiscard]] bool any() const noexcept { return !walls_.empty() || !zones_.empty(); }

  // Whether a phrase may cover these words at all.
  [[nodiscard]] bool admits(std::uint32_t start, std::uint32_t end) const noexcept {
    return std::ranges::none_of(walls_, [&](const Wall& wall) { return start < wall.at && wall.at < end; }) &&
           std::ranges::none_of(zones_, [&](const Range& zone) {
             return start < zone.end && zone.start < end && !within(zone, start, end) &&
                    !within({start, end}, zone.start, zone.end);
           });
  }
  // Whether a phrase that it admits may be the next. A zone is entered only if its end is near enough to come back.
  [[nodiscard]] bool follows(const features::Coverage& coverage, features::Span span) const noexcept {
    for (const Wall& wall : walls_)
      if (span.start >= wall.at && span.start < wall.zone.end && !covers_all(coverage, wall.zone.start, wall.at))
        return false;
    for (const Range& zone : zones_) {
      const bool inside = within(zone, span.start, span.end);
      const bool begun = coverage.covers_any(zone.start, zone.end) && !covers_all(coverage, zone.start, zone.end);
      if (begun && !inside) return false;
      if (!begun && inside && limit_ >= 0 && zone.start > coverage.first_gap &&
          static_cast<int>(zone.end - coverage.first_gap) > limit_)
        return false;
    }
    return true;
  }

 private:
  struct Range {
    std::uint32_t start, end;
  };
  struct Wall {
    std::uint32_t at;
    Range zone;  // where it holds
  };
  [[nodiscard]] static bool within(const Range& zone, std::uint32_t start, std::uint32_t end) noexcept {
    return zone.start <= start && end <= zone.end;
  }
  [[nodiscard]] static bool covers_all(const features::Coverage& coverage, std::uint32_t start,
                                       std::uint32_t end) noexcept {
    for (std::uint32_t position = std::max(start, coverage.first_gap); position < end; ++position)
      if (!coverage.covers(position)) return false;
    return true;
  }
  [[nodiscard]] static std::string words(std::uint32_t start, std::uint32_t end, std::uint32_t length) {
    return "words " + std::to_string(start) + " to " + std::to_string(end) + " of " + std::to_string(length);
  }

  int limit_ = -1;
  std::vector<Wall> walls_;
  std::vector<Range> zones_;
};

}  // namespace dragoman::search
