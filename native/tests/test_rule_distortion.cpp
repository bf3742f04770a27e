// Reordering of hierarchical rules: the worked derivation of Siahbani, Sankaran and Sarkar (2013), closed forms, and
// the definition on random rules.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "common/random.hpp"
#include "features/rule_distortion.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::features;

namespace {

using Symbols = std::vector<WordId>;
using Spans = std::vector<std::pair<int, int>>;

WordId X(std::uint32_t index) { return grammar::nonterminal(1, index); }

// The places that the reader visits, as the paper lists them: [start, end) each, given the spans of nonterminals in
// source order.
Spans visits(const Symbols& source, const Symbols& target, int start, int end, const Spans& spans) {
  Spans found{{start, start}};
  int at = start;
  std::size_t number = 0;
  bool open = false;
  std::vector<std::uint32_t> indices;
  for (const WordId symbol : source) {
    if (grammar::is_nonterminal(symbol)) {
      at = spans[number++].second;
      indices.push_back(grammar::index_of(symbol));
      open = false;
    } else {
      if (open)
        ++found.back().second;
      else
        found.push_back({at, at + 1});
      open = true;
      ++at;
    }
  }
  for (const WordId symbol : target)
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (grammar::is_nonterminal(symbol) && indices[i] == grammar::index_of(symbol)) found.push_back(spans[i]);
  found.push_back({end, end});
  return found;
}

int jumps(const Spans& visits) {
  int sum = 0;
  for (std::size_t i = 1; i < visits.size(); ++i) sum += std::abs(visits[i].first - visits[i - 1].second);
  return sum;
}

auto widths(const Spans& spans) {
  return [spans](std::size_t i) { return spans[i].second - spans[i].first; };
}

}  // namespace

TEST("distortion, width, height of the worked derivation: 10 and 12, 6, 3") {
  // schuler ihre arbeit noch nicht gemacht haben . / students have not yet done their work .
  const Symbols yet_source{X(0), 4, 5, X(1)}, yet_target{10, 11, X(1), X(0)};
  const Spans yet{{1, 3}, {5, 6}};
  const auto not_yet = reordering_of(yet_source, yet_target);
  CHECK((visits(yet_source, yet_target, 1, 6, yet) == Spans{{1, 1}, {3, 5}, {5, 6}, {1, 3}, {6, 6}}));
  CHECK(not_yet.distortion(widths(yet)) == 10 && not_yet.reordered);

  const Symbols have_source{X(0), 6, X(1)}, have_target{12, X(0), X(1)};
  const Spans have{{1, 6}, {7, 8}};
  const auto have_rule = reordering_of(have_source, have_target);
  CHECK((visits(have_source, have_target, 1, 8, have) == Spans{{1, 1}, {6, 7}, {1, 6}, {7, 8}, {8, 8}}));
  CHECK(have_rule.distortion(widths(have)) == 12 && !have_rule.reordered);

  const auto first = reordering_of(Symbols{1, X(0)}, Symbols{13, X(0)});
  CHECK(first.distortion([](std::size_t) { return 7; }) == 0 && !first.reordered);
  const auto lexical = reordering_of(Symbols{2, 3}, Symbols{14, 15});
  CHECK(lexical.distortion([](std::size_t) { return 0; }) == 0 && lexical.arity() == 0);

  const int width = have_rule.before_last(widths(have)) + not_yet.before_last(widths(yet)) +
                    first.before_last([](std::size_t) { return 7; });
  CHECK(width == 6);
  const auto inside_have = [](std::size_t i) { return i == 0 ? 2 : 1; };  // not yet over two words; the full stop
  const auto inside_yet = [](std::size_t) { return 1; };
  CHECK(have_rule.before_last(inside_have) + not_yet.before_last(inside_yet) == 3);
}

TEST("rules of one run of words have the closed forms of distortion") {
  const auto three = [](std::size_t) { return 3; };
  CHECK(reordering_of(Symbols{1, 2, X(0)}, Symbols{9, X(0)}).distortion(three) == 0);
  CHECK(reordering_of(Symbols{X(0), 1, 2}, Symbols{9, X(0)}).distortion(three) == 2 * (3 + 2));
  CHECK(reordering_of(Symbols{X(0), 1, 2, X(1)}, Symbols{9, X(0), X(1)}).distortion(three) == 2 * (3 + 2));
  CHECK(reordering_of(Symbols{X(0), 1, 2, X(1)}, Symbols{9, X(1), X(0)}).distortion(three) == 2 * (3 + 2 + 3));
}

TEST("the linear form of distortion equals its definition on random rules of any arity") {
  for (std::uint64_t item = 0; item < 500; ++item) {
    RandomStream random(5, item);
    Symbols source, target{9};
    const std::uint32_t arity = random.below(5);
    Spans spans;
    const int start = static_cast<int>(random.below(4));
    int at = start;
    for (std::uint32_t number = 0; number <= arity; ++number) {
      for (std::uint32_t words = random.below(3); words > 0; --words, ++at) source.push_back(1);
      if (number == arity) break;
      source.push_back(X(number));
      const int size = 1 + static_cast<int>(random.below(4));
      spans.push_back({at, at + size});
      at += size;
    }
    std::vector<std::uint32_t> order(arity);
    std::iota(order.begin(), order.end(), 0);
    for (std::uint32_t i = arity; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (const std::uint32_t number : order) target.push_back(X(number));
    const auto found = reordering_of(source, target);
    CHECK(found.distortion(widths(spans)) == jumps(visits(source, target, start, at, spans)));
    CHECK(found.reordered == !std::is_sorted(order.begin(), order.end()));
    std::vector<Span> parts;
    for (const std::uint32_t number : order)
      parts.push_back(
          {static_cast<std::uint16_t>(spans[number].first), static_cast<std::uint16_t>(spans[number].second)});
    const Span whole{static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(at)};
    CHECK(distortion_of(whole, parts) == found.distortion(widths(spans)));
    CHECK(std::equal(found.order.begin(), found.order.end(), order.begin(), order.end()));
  }
}
