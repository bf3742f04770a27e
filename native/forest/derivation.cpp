#include "forest/derivation.hpp"

#include <algorithm>

namespace dragoman::forest {

Rows<std::uint32_t> child_steps(const Forest& forest, std::span<const EdgeId> derivation) {
  // From the last step to the first, a stack holds the roots of complete subtrees, the leftmost on top.
  std::vector<std::vector<std::uint32_t>::size_type> starts(derivation.size());
  std::vector<std::uint32_t> stack, children;
  for (std::size_t step = derivation.size(); step-- > 0;) {
    starts[step] = children.size();
    for (std::size_t k = forest.tails(derivation[step]).size(); k > 0; --k) {
      children.push_back(stack.back());
      stack.pop_back();
    }
    stack.push_back(static_cast<std::uint32_t>(step));
  }
  Rows<std::uint32_t> rows;
  rows.reserve(derivation.size(), children.size());
  for (std::size_t step = 0; step < derivation.size(); ++step)
    rows.push_back({children.data() + starts[step], forest.tails(derivation[step]).size()});
  return rows;
}

Yield yield_of(const Forest& forest, std::span<const EdgeId> derivation) {
  Yield yield;
  if (derivation.empty()) return yield;
  const Rows<std::uint32_t> children = child_steps(forest, derivation);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{0, 0}};  // step, next symbol of its target
  while (!stack.empty()) {
    auto& [step, symbol] = stack.back();
    const auto target = forest.target(derivation[step]);
    if (symbol == target.size()) {
      stack.pop_back();
      continue;
    }
    const WordId word = target[symbol];
    if (is_tail(word)) {
      ++symbol;
      stack.emplace_back(children[step][tail_index(word)], 0);
    } else {
      yield.words.push_back(word);
      yield.steps.push_back(step);
      yield.symbols.push_back(symbol++);
    }
  }
  return yield;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> links_of(const Forest& forest, std::span<const EdgeId> derivation,
                                                              const Yield& yield) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  for (std::uint32_t position = 0; position < yield.words.size(); ++position) {
    const EdgeId edge = derivation[yield.steps[position]];
    for (const Link& link : forest.links(edge))
      if (link.target == yield.symbols[position]) links.emplace_back(forest.span(edge).start + link.source, position);
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

const char* derivation_problem(const Forest& forest, std::span<const EdgeId> edges) {
  if (forest.empty()) return "the forest has no derivation";
  std::vector<NodeId> open{forest.goal()};
  for (const EdgeId edge : edges) {
    if (edge >= forest.edges()) return "no such edge";
    if (open.empty()) return "edges are left over";
    if (forest.head(edge) != open.back()) return "an edge does not build the node that is needed";
    open.pop_back();
    const auto tails = forest.tails(edge);
    open.insert(open.end(), tails.rbegin(), tails.rend());
  }
  return open.empty() ? nullptr : "edges are missing";
}

}  // namespace dragoman::forest
