#pragma once
// Cube pruning: the best cells of many grids, found by looking at a few. Every grid puts its corner into a queue; what
// comes out is taken, and its neighbours are looked at (Huang and Chiang 2007). A corner that looks bad hides good
// cells behind it, so each grid may put more than its corner into the queue at first: the best of those that are found
// by going on from the best so far (Siahbani and Sarkar 2014).
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "common/hash.hpp"
#include "common/parallel.hpp"
#include "search/queue.hpp"
#include "search/recombination.hpp"

namespace dragoman::search {

struct CubeSize {
  std::uint32_t rows, columns;
};

class CubeMerge {
 public:
  struct Limits {
    std::uint32_t pops;
    std::uint32_t diversity = 1;  // cells that each grid scores before any is taken, if it has so many
    std::uint32_t patience = 0;  // cells in a row that are no better than the grid's best, after which it stops; 0: any
  };

  // `size(cube)` has a row and a column at least; `score(cube, row, column)` makes a cell and gives its key and number;
  // `take(number)` gets the best, at most `limits.pops` of them. No cell is scored twice.
  template <typename Size, typename Score, typename Take>
  void run(std::uint32_t cubes, const Limits& limits, const Size& size, const Score& score, const Take& take) {
    begin(cubes, limits);
    const auto look = [&](std::uint32_t cube, std::uint32_t row, std::uint32_t column) {
      if (!is_new(size(cube), cube, row, column)) return false;
      Cell cell = cells_.back();
      std::tie(cell.key, cell.number) = score(cube, row, column);
      cells_.back() = cell;
      ++scored_;
      return true;
    };
    for (std::uint32_t cube = 0; cube < cubes; ++cube) open(cube, limits, look);
    for (std::uint32_t id = 0; id < cells_.size(); ++id) queue_.append({cells_[id].key, id});
    queue_.arrange();
    for (std::uint32_t pops = 0; !queue_.empty() && pops < limits.pops; ++pops) {
      if (pops % 1024 == 1023) stop_if_interrupted();
      const Cell cell = cells_[queue_.top().cell];
      queue_.pop();
      take(cell.number);
      if (pops + 1 == limits.pops) break;
      if (look(cell.cube, cell.row + 1, cell.column)) push_last();
      if (look(cell.cube, cell.row, cell.column + 1)) push_last();
    }
  }

  // The same, lazily; `estimate(cube, row, column)` gives a key. Diversity has no meaning here.
  template <typename Size, typename Estimate, typename Score, typename Take>
  void run_lazily(std::uint32_t cubes, const Limits& limits, const Size& size, const Estimate& estimate,
                  const Score& score, const Take& take) {
    begin(cubes, limits);
    const auto look = [&](std::uint32_t cube, std::uint32_t row, std::uint32_t column) {
      if (!is_new(size(cube), cube, row, column)) return false;
      cells_.back().key = estimate(cube, row, column);
      cells_.back().number = kNotScored;
      return true;
    };
    for (std::uint32_t cube = 0; cube < cubes; ++cube) {
      look(cube, 0, 0);
      queue_.append({cells_[cube].key, cube});
    }
    queue_.arrange();
    for (std::uint32_t pops = 0; !queue_.empty() && pops < limits.pops;) {
      if (pops % 1024 == 1023) stop_if_interrupted();
      const std::uint32_t id = queue_.top().cell;
      Cell cell = cells_[id];
      if (cell.number == kNotScored) {
        std::tie(cell.key, cell.number) = score(cell.cube, cell.row, cell.column);
        cells_[id] = cell;
        ++scored_;
        queue_.replace_top({cell.key, id});
        if (queue_.top().cell != id) continue;
      }
      queue_.pop();
      take(cell.number);
      ++pops;
      if (look(cell.cube, cell.row + 1, cell.column)) push_last();
      if (look(cell.cube, cell.row, cell.column + 1)) push_last();
    }
  }

  [[nodiscard]] std::size_t scored() const noexcept { return scored_; }
  [[nodiscard]] std::size_t queued() const noexcept { return cells_.size(); }

 private:
  static constexpr std::uint32_t kNotScored = ~std::uint32_t{0};
  struct Cell {
    std::uint32_t cube, row, column, number;
    double key;
    [[nodiscard]] bool same_place(const Cell& other) const noexcept {
      return cube == other.cube && row == other.row && column == other.column;
    }
  };

  void begin(std::uint32_t cubes, const Limits& limits) {
    cells_.clear();
    queue_.clear();
    scored_ = 0;
    seen_.clear(std::size_t{cubes} + limits.pops);
  }

  // A cell that was not seen before becomes the last.
  bool is_new(const CubeSize& size, std::uint32_t cube, std::uint32_t row, std::uint32_t column) {
    if (row >= size.rows || column >= size.columns) return false;
    const auto id = static_cast<std::uint32_t>(cells_.size());
    cells_.push_back({cube, row, column, 0, 0});
    const std::uint64_t hash = combine(combine(cube, row), column);
    if (seen_.find(hash, id, [&](std::uint32_t other) { return cells_[other].same_place(cells_[id]); }) == id)
      return true;
    cells_.pop_back();
    return false;
  }

  void push_last() {
    const auto id = static_cast<std::uint32_t>(cells_.size() - 1);
    queue_.push({cells_[id].key, id});
  }

  // The first cells of a grid, the best first.
  template <typename Look>
  void open(std::uint32_t cube, const Limits& limits, const Look& look) {
    const std::size_t first = cells_.size();
    look(cube, 0, 0);
    if (limits.diversity <= 1) return;
    own_.clear();
    own_.append({cells_[first].key, static_cast<std::uint32_t>(first)});
    double best = cells_[first].key;
    std::uint32_t idle = 0;
    while (!own_.empty() && cells_.size() - first < limits.diversity) {
      const Cell from = cells_[own_.top().cell];
      own_.pop();
      for (const auto& [row, column] : {std::pair{from.row + 1, from.column}, {from.row, from.column + 1}}) {
        if (!look(cube, row, column)) continue;
        const double key = cells_.back().key;
        own_.push({key, static_cast<std::uint32_t>(cells_.size() - 1)});
        idle = key > best ? 0 : idle + 1;
        best = std::max(best, key);
      }
      if (limits.patience != 0 && idle >= limits.patience) break;
    }
  }

  std::vector<Cell> cells_;
  std::size_t scored_ = 0;
  Queue queue_, own_;
  Recombination seen_;
};

}  // namespace dragoman::search
