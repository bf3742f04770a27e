#pragma once
// How a hierarchical rule reorders: the way that the reader of the source goes while the target is written from left to
// right (Siahbani, Sankaran and Sarkar 2013), and what must be finished before its last part is begun (Watanabe,
// Tsukada and Isozaki 2006).
//
// The way begins at the start of the rule's span, goes over its runs of source words from left to right, then over its
// nonterminals in target order, and ends at the end of the span; the distortion is the number of words jumped over.
// Which of two symbols comes first is fixed by the rule, so the distortion is linear in the widths of the nonterminals:
// constant + sum of coefficient times width. It is worked out once per rule, and costs a few multiplications per match.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "features/coverage.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::features {

// All members by nonterminals in source order, counted from 0.
struct RuleReordering {
  std::int32_t constant = 0;
  std::vector<std::int32_t> coefficients;
  std::vector<std::uint8_t> order;  // the nonterminals in target order
  bool reordered = false;           // two or more nonterminals whose order differs between the sides

  [[nodiscard]] std::size_t arity() const noexcept { return coefficients.size(); }

  // Of a match in which nonterminal i is `widths(i)` words wide.
  template <typename Widths>
  [[nodiscard]] std::int32_t distortion(const Widths& widths) const {
    std::int32_t sum = constant;
    for (std::size_t i = 0; i < coefficients.size(); ++i) sum += coefficients[i] * static_cast<std::int32_t>(widths(i));
    return sum;
  }
  // The sum over all parts but the last, in target order: they must be finished before the last is begun. The width of
  // a rule sums widths, its height the heights of subtrees, which are 1 for a rule without nonterminals.
  template <typename Values>
  [[nodiscard]] std::int32_t before_last(const Values& values) const {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) sum += static_cast<std::int32_t>(values(order[i]));
    return sum;
  }
};

// Nonterminals of the sides are paired by their indices, each of which stands once on either side.
[[nodiscard]] inline RuleReordering reordering_of(std::span<const WordId> source, std::span<const WordId> target) {
  // Symbols of the source, runs of words taken together, between a start and an end of no width.
  constexpr int kRun = -1;
  struct Symbol {
    int nonterminal;  // or kRun
    std::int32_t words;
  };
  std::vector<Symbol> symbols{{kRun, 0}};
  std::vector<std::size_t> route{0}, place_of;  // numbers of symbols
  std::vector<std::uint32_t> indices;
  bool open = false;
  for (const WordId symbol : source) {
    if (grammar::is_nonterminal(symbol)) {
      place_of.push_back(symbols.size());
      symbols.push_back({static_cast<int>(indices.size()), 0});
      indices.push_back(grammar::index_of(symbol));
      open = false;
    } else if (open) {
      ++symbols.back().words;
    } else {
      route.push_back(symbols.size());
      symbols.push_back({kRun, 1});
      open = true;
    }
  }
  symbols.push_back({kRun, 0});

  RuleReordering found;
  found.coefficients.assign(indices.size(), 0);
  for (const WordId symbol : target) {
    if (!grammar::is_nonterminal(symbol)) continue;
    std::size_t number = 0;
    while (number < indices.size() && indices[number] != grammar::index_of(symbol)) ++number;
    assert(number < indices.size() && "nonterminals are paired");
    found.reordered |= !found.order.empty() && number < found.order.back();
    found.order.push_back(static_cast<std::uint8_t>(number));
    route.push_back(place_of[number]);
  }
  route.push_back(symbols.size() - 1);

  for (std::size_t step = 1; step < route.size(); ++step) {
    // Forward over all between the two, back over all of both as well.
    const std::size_t from = route[step - 1], to = route[step];
    const std::size_t first = to > from ? from + 1 : to, last = to > from ? to : from + 1;
    for (std::size_t at = first; at < last; ++at) {
      if (symbols[at].nonterminal == kRun)
        found.constant += symbols[at].words;
      else
        ++found.coefficients[static_cast<std::size_t>(symbols[at].nonterminal)];
    }
  }
  return found;
}

// The distortion of a match to `span` whose nonterminals cover `parts`, in target order; all else are its own words.
[[nodiscard]] inline std::int32_t distortion_of(Span span, std::span<const Span> parts) noexcept {
  std::int32_t sum = 0, last = span.start;
  const auto visit = [&](std::int32_t start, std::int32_t end) {
    sum += std::abs(start - last);
    last = end;
  };
  for (std::int32_t at = span.start; at < span.end;) {
    std::int32_t run_end = span.end, part_end = 0;
    for (const Span part : parts) {
      if (part.start == at) part_end = part.end;
      if (part.start > at) run_end = std::min<std::int32_t>(run_end, part.start);
    }
    if (part_end == 0) visit(at, run_end);
    at = part_end == 0 ? run_end : part_end;
  }
  for (const Span part : parts) visit(part.start, part.end);
  visit(span.end, span.end);
  return sum;
}

}  // namespace dragoman::features
