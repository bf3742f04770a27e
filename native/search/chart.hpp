#pragma once
// What may become what, before anything is scored: the cells of a sentence, one per label and span that some rule
// derives, in an order in which parts come first. A bundle is one source side matched in one way: its options, best
// first, and for each nonterminal the cell it is filled from.
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::search {

using CellId = std::uint32_t;

struct Bundle {
  std::uint32_t first_option, options;
  std::uint32_t first_tail, arity;  // cells by nonterminal in source order, see Chart::tails
};

struct ChartCell {
  std::uint32_t label, start, end;
  std::uint32_t first_bundle, bundles;
  bool top;  // begins the sentence: nothing will ever stand before it
};

class Chart {
 public:
  void clear() {
    cells_.clear();
    bundles_.clear();
    tails_.clear();
  }
  std::uint32_t add_tails(std::span<const CellId> cells) {
    tails_.insert(tails_.end(), cells.begin(), cells.end());
    return static_cast<std::uint32_t>(tails_.size() - cells.size());
  }
  CellId add_cell(std::uint32_t label, std::uint32_t start, std::uint32_t end, bool top) {
    cells_.push_back({label, start, end, static_cast<std::uint32_t>(bundles_.size()), 0, top});
    return static_cast<CellId>(cells_.size() - 1);
  }
  // To the cell that was added last.
  void add_bundle(const Bundle& bundle) {
    bundles_.push_back(bundle);
    ++cells_.back().bundles;
  }
  void set_options(std::uint32_t bundle, std::uint32_t first, std::uint32_t count) noexcept {
    bundles_[bundle].first_option = first;
    bundles_[bundle].options = count;
  }

  [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }
  [[nodiscard]] const ChartCell& operator[](CellId cell) const noexcept { return cells_[cell]; }
  [[nodiscard]] std::span<const Bundle> bundles(const ChartCell& cell) const noexcept {
    return std::span(bundles_).subspan(cell.first_bundle, cell.bundles);
  }
  [[nodiscard]] std::span<const Bundle> bundles() const noexcept { return bundles_; }
  [[nodiscard]] std::span<const CellId> tails() const noexcept { return tails_; }
  [[nodiscard]] std::span<const CellId> tails(const Bundle& bundle) const noexcept {
    return std::span(tails_).subspan(bundle.first_tail, bundle.arity);
  }

 private:
  std::vector<ChartCell> cells_;
  std::vector<Bundle> bundles_;  // cell by cell
  std::vector<CellId> tails_;
};

}  // namespace dragoman::search
