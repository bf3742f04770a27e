#pragma once
// Which words of each system are used up, and what using one does to the others.
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "combination/combiner.hpp"

namespace dragoman::combination {

// Reads and writes sets of used places; a set is a row of 64-bit words, the words of a system next to each other.
class Frontiers {
 public:
  Frontiers(const Outputs& outputs, const CombinerSettings& settings) : outputs_(outputs), settings_(settings) {
    std::size_t start = 0;
    for (int e = 0; e < outputs.systems(); ++e) {
      starts_.push_back(start);
      start += static_cast<std::size_t>(outputs.length(e)) / 64 + 1;
    }
    width_ = start;
  }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  // The first place of a system that is not used, or one beyond its end.
  [[nodiscard]] int frontier(std::span<const std::uint64_t> used, int system) const noexcept {
    for (int base = 0; base <= outputs_.length(system); base += 64) {
      const int ones = std::countr_one(used[starts_[system] + static_cast<std::size_t>(base / 64)]);
      if (ones < 64) return base + ones;
    }
    return outputs_.length(system) + 1;
  }
  [[nodiscard]] bool takes_part(std::span<const std::uint64_t> used, int system) const noexcept {
    return outputs_.length(system) != 0 && frontier(used, system) <= outputs_.length(system);
  }
  [[nodiscard]] bool is_used(std::span<const std::uint64_t> used, int system, int index) const noexcept {
    return used[starts_[system] + static_cast<std::size_t>(index / 64)] >> (index % 64) & 1;
  }

  // The word at `place` is appended.
  void use(std::span<std::uint64_t> used, Place place) const {
    mark(used, place.system, place.index);
    for (int o = 0; o < outputs_.systems(); ++o)
      if (const Partner partner = outputs_.partner(place, o); partner && o != place.system)
        mark_with_punctuation(used, o, partner.index);
    for (int o = 0; o < outputs_.systems(); ++o)
      if (o != place.system) skip_punctuation(used, o);
    if (settings_.horizon == Horizon::length) {
      drop_by_length(used);
    } else {
      drop_by_alignment(used);
    }
  }

  // Punctuation follows the word before it: having taken that, a hypothesis must go on in the same system.
  [[nodiscard]] bool must_go_on(std::span<const std::uint64_t> used, Place place) const noexcept {
    const int next = place.index + 1;
    return next < outputs_.length(place.system) && outputs_.is_punctuation(place.system, next) &&
           !is_used(used, place.system, next);
  }

 private:
  void mark(std::span<std::uint64_t> used, int system, int index) const noexcept {
    used[starts_[system] + static_cast<std::size_t>(index / 64)] |= std::uint64_t{1} << (index % 64);
  }
  void mark_with_punctuation(std::span<std::uint64_t> used, int system, int index) const noexcept {
    mark(used, system, index);
    if (!outputs_.is_punctuation(system, index)) return;
    for (int i = index - 1; i >= 0 && outputs_.is_punctuation(system, i); --i) mark(used, system, i);
    for (int i = index + 1; i < outputs_.length(system) && outputs_.is_punctuation(system, i); ++i)
      mark(used, system, i);
  }
  void skip_punctuation(std::span<std::uint64_t> used, int system) const noexcept {
    for (int i = frontier(used, system); i < outputs_.length(system) && outputs_.is_punctuation(system, i);
         i = frontier(used, system))
      mark(used, system, i);
  }
  void drop(std::span<std::uint64_t> used, int system) const noexcept {
    mark(used, system, frontier(used, system));
    skip_punctuation(used, system);
  }

  // No frontier stays more than `radius` words behind the foremost. To drop a word may bring a laggard to the front,
  // past words that were used before, so everyone is looked at again.
  void drop_by_length(std::span<std::uint64_t> used) const noexcept {
    while (true) {
      int foremost = 0, laggard = -1, least = 0;
      for (int e = 0; e < outputs_.systems(); ++e) {
        if (outputs_.length(e) == 0) continue;
        const int at = frontier(used, e);
        foremost = std::max(foremost, at);
        if (at <= outputs_.length(e) && (laggard < 0 || at < least)) {
          laggard = e;
          least = at;
        }
      }
      if (laggard < 0 || least + settings_.radius >= foremost) return;
      drop(used, laggard);
    }
  }

  // A frontier stays while enough systems have not gone past it; where a system stands in another is read from the
  // links on either side of its frontier.
  void drop_by_alignment(std::span<std::uint64_t> used) const noexcept {
    for (int o = 0; o < outputs_.systems(); ++o) {
      while (takes_part(used, o)) {
        int present = 0, votes = 0;
        for (int e = 0; e < outputs_.systems(); ++e) {
          if (outputs_.length(e) == 0) continue;
          ++present;
          votes += e == o || frontier(used, o) >= projection(frontier(used, e), e, o) - settings_.radius;
        }
        if (votes >= settings_.stay_threshold * present) break;
        drop(used, o);
      }
    }
  }
  [[nodiscard]] double projection(int index, int from, int to) const noexcept {
    int left = -1, left_image = -1, right = outputs_.length(from), right_image = outputs_.length(to);
    const auto image = [&](int i) {
      return outputs_.partner({static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(i)}, to);
    };
    for (int i = std::min(index, right); i >= 0; --i)
      if (const Partner partner = image(i)) {
        left = i;
        left_image = partner.index;
        break;
      }
    for (int i = index; i < right; ++i)
      if (const Partner partner = image(i)) {
        right = i;
        right_image = partner.index;
        break;
      }
    if (left >= right) return left_image + (index - left);
    return left_image + double(right_image - left_image) * (index - left) / (right - left);
  }

  const Outputs& outputs_;
  const CombinerSettings& settings_;
  std::vector<std::size_t> starts_;
  std::size_t width_ = 0;
};

}  // namespace dragoman::combination
