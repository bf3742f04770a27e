#pragma once
// Lists of spans still to be translated, the next one first. Lists share their ends, and equal lists have equal
// numbers.
#include <cstdint>
#include <vector>

#include "common/hash.hpp"
#include "common/interned.hpp"
#include "features/coverage.hpp"

namespace dragoman::search {

using features::Span;
using ListId = std::uint32_t;

class SpanLists {
 public:
  static constexpr ListId kEmpty = 0;

  void clear() {
    cells_.clear();
    futures_.assign(1, 0);
    cells_.intern({{0, 0}, 0}, 0);  // stands for the empty list
  }

  // The list that begins with a span; `future` is what the span will cost at best.
  ListId push(Span span, ListId rest, double future) {
    const Cell cell{span, rest};
    return cells_.intern(cell, cell.hash(), [&](ListId) { futures_.push_back(futures_[rest] + future); });
  }
  [[nodiscard]] Span first(ListId list) const noexcept { return cells_[list].span; }
  [[nodiscard]] ListId rest(ListId list) const noexcept { return cells_[list].rest; }
  // Of all spans of the list.
  [[nodiscard]] double future(ListId list) const noexcept { return futures_[list]; }

 private:
  struct Cell {
    Span span;
    ListId rest;
    friend bool operator==(const Cell&, const Cell&) = default;
    [[nodiscard]] std::uint64_t hash() const noexcept {
      return combine(std::uint64_t{span.start} << 16 | span.end, rest);
    }
  };

  Interned<Cell> cells_;
  std::vector<double> futures_;
};

}  // namespace dragoman::search
