#pragma once
// Finds the nodes of a stack that look the same to the future: an open-addressing table over the winners so far. It
// compares no nodes itself; the search says which keys are equal.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::search {

class Recombination {
 public:
  // Forgets all winners; `expected` of them are to come.
  void clear(std::size_t expected) {
    const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(64, expected * 2));
    slots_.assign(std::min<std::size_t>(wanted, kMostAtOnce), Slot{});
    winners_.clear();
  }

  // The winner with this key, or a place for a new one, which then holds `fresh`. `same(winner)` compares keys. The
  // reference is valid until the next call.
  template <typename Same>
  std::uint32_t& find(std::uint64_t hash, std::uint32_t fresh, const Same& same) {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].winner != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].tag == tag && same(winners_[slots_[at].winner - 1].node))
        return winners_[slots_[at].winner - 1].node;
    winners_.push_back({hash, fresh});
    slots_[at] = {tag, static_cast<std::uint32_t>(winners_.size())};
    if (winners_.size() * 2 > slots_.size()) grow();
    return winners_.back().node;
  }

  struct Winner {
    std::uint64_t hash;
    std::uint32_t node;
  };
  // In the order in which their keys first came.
  [[nodiscard]] std::span<const Winner> winners() const noexcept { return winners_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t winner = 0;  // its number + 1; 0: empty
  };
  static constexpr std::size_t kMostAtOnce = 1u << 16;  // a limit may be set to infinity; the table grows as needed

  void grow() {
    slots_.assign(slots_.size() * 2, Slot{});
    for (std::size_t i = 0; i < winners_.size(); ++i) {
      std::size_t at = winners_[i].hash & (slots_.size() - 1);
      while (slots_[at].winner != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {static_cast<std::uint32_t>(winners_[i].hash >> 32), static_cast<std::uint32_t>(i + 1)};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Winner> winners_;
};

}  // namespace dragoman::search
