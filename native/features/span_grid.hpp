#pragma once
// What a tree says of every span of its sentence: which labels have a node of exactly that span, and which have a node
// that the span crosses, overlapping it without either containing the other. A span within a node, around one or beside
// one does neither. (Marton and Resnik 2008.)
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman::features {

struct LabelledSpan {
  std::string label;
  std::uint32_t start, end;  // half-open, in words
};

// Labels as bits: those that somebody asks for have one each, and all nodes, whatever their label, share the last.
class SpanGrid {
 public:
  using Labels = std::uint64_t;
  static constexpr std::size_t kMostLabels = 63;
  static constexpr Labels kAny = Labels{1} << kMostLabels;

  // Spans of up to `longest` words of a sentence of `length` words; `labels` are those with a bit of their own.
  void fill(std::span<const LabelledSpan> nodes, std::span<const std::string> labels, std::uint32_t length,
            std::uint32_t longest);

  [[nodiscard]] Labels matching(std::uint32_t start, std::uint32_t end) const noexcept {
    return cells_[slot(start, end)].matching;
  }
  [[nodiscard]] Labels crossing(std::uint32_t start, std::uint32_t end) const noexcept {
    return cells_[slot(start, end)].crossing;
  }
  // Every span has a number below `size`.
  [[nodiscard]] std::size_t slot(std::uint32_t start, std::uint32_t end) const noexcept {
    return std::size_t{start} * longest_ + (end - start - 1);
  }
  [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }

 private:
  struct Cell {
    Labels matching = 0, crossing = 0;
  };
  std::uint32_t longest_ = 0;
  std::vector<Cell> cells_;
};

}  // namespace dragoman::features
