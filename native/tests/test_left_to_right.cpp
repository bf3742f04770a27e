// Parts of left-to-right search: cube pruning with queue diversity, heights, lists of spans.
#include <tuple>
#include <vector>

#include "common/random.hpp"
#include "search/cube_merge.hpp"
#include "search/heights.hpp"
#include "search/left_to_right_sentence.hpp"
#include "search/span_lists.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::search;

namespace {

using Cube = std::vector<std::vector<double>>;  // costs: lower is better

struct Merged {
  std::vector<double> taken;
  std::size_t scored;
};

Merged merge(const std::vector<Cube>& cubes, CubeMerge::Limits limits) {
  CubeMerge merge;
  Merged found;
  std::vector<double> costs;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  merge.run(
      static_cast<std::uint32_t>(cubes.size()), limits,
      [&](std::uint32_t cube) {
        return CubeSize{static_cast<std::uint32_t>(cubes[cube].size()),
                        static_cast<std::uint32_t>(cubes[cube][0].size())};
      },
      [&](std::uint32_t cube, std::uint32_t row, std::uint32_t column) {
        const std::tuple place{cube, row, column};
        CHECK(std::find(seen.begin(), seen.end(), place) == seen.end());
        seen.push_back(place);
        costs.push_back(cubes[cube][row][column]);
        return std::pair{-costs.back(), static_cast<std::uint32_t>(costs.size() - 1)};
      },
      [&](std::uint32_t number) { found.taken.push_back(costs[number]); });
  found.scored = merge.scored();
  CHECK(found.scored == seen.size());
  return found;
}

// Cube pruning as it is usually written down, every corner first.
std::vector<double> plain_cube_pruning(const std::vector<Cube>& cubes, std::size_t pops) {
  struct Entry {
    double cost;
    std::size_t made, cube, row, column;
  };
  std::vector<Entry> heap;
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> seen;
  std::size_t made = 0;
  const auto push = [&](std::size_t cube, std::size_t row, std::size_t column) {
    const std::tuple place{cube, row, column};
    if (row >= cubes[cube].size() || column >= cubes[cube][0].size() ||
        std::find(seen.begin(), seen.end(), place) != seen.end())
      return;
    seen.push_back(place);
    heap.push_back({cubes[cube][row][column], made++, cube, row, column});
  };
  for (std::size_t cube = 0; cube < cubes.size(); ++cube) push(cube, 0, 0);
  std::vector<double> taken;
  while (!heap.empty() && taken.size() < pops) {
    const auto best = std::min_element(heap.begin(), heap.end(), [](const Entry& a, const Entry& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.made < b.made;
    });
    const Entry entry = *best;
    heap.erase(best);
    taken.push_back(entry.cost);
    push(entry.cube, entry.row + 1, entry.column);
    push(entry.cube, entry.row, entry.column + 1);
  }
  return taken;
}

// A derivation tree by arities in the order of expansion, and the height of Watanabe's feature from its definition.
struct Tree {
  std::vector<Tree> parts;

  [[nodiscard]] std::uint32_t height() const {
    std::uint32_t highest = 0;
    for (const Tree& part : parts) highest = std::max(highest, part.height());
    return highest + 1;
  }
  [[nodiscard]] std::uint32_t feature() const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      sum += parts[i].feature() + (i + 1 < parts.size() ? parts[i].height() : 0);
    return sum;
  }
};

Tree random_tree(RandomStream& random, std::uint32_t depth, std::vector<std::uint32_t>& arities) {
  Tree tree;
  const std::uint32_t arity = depth == 0 ? 0 : random.below(4);
  arities.push_back(arity);
  for (std::uint32_t i = 0; i < arity; ++i) tree.parts.push_back(random_tree(random, depth - 1, arities));
  return tree;
}

WordId X(std::uint32_t index) { return grammar::nonterminal(1, index); }

}  // namespace

TEST("queue diversity brings up what a bad corner hides (worked example)") {
  const std::vector<Cube> cubes{{{2.0, 2.2}, {2.1, 2.3}}, {{5.0, 1.2}, {1.6, 1.6}}};
  const Merged one = merge(cubes, {3, 1, 0}), two = merge(cubes, {3, 2, 0}), four = merge(cubes, {3, 4, 0});
  CHECK((one.taken == std::vector<double>{2.0, 2.1, 2.2}) && one.scored == 5);
  CHECK((two.taken == std::vector<double>{1.2, 1.6, 1.6}) && two.scored == 7);
  CHECK((four.taken == std::vector<double>{1.2, 1.6, 1.6}) && four.scored == 8);
}

TEST("without diversity the merge is cube pruning, with all of it the best come first") {
  for (std::uint64_t item = 0; item < 200; ++item) {
    RandomStream random(13, item);
    std::vector<Cube> cubes(1 + random.below(5));
    std::vector<double> all;
    for (Cube& cube : cubes) {
      cube.assign(1 + random.below(4), std::vector<double>(1 + random.below(4)));
      for (auto& row : cube) {
        row.resize(cube[0].size());
        for (double& cost : row) all.push_back(cost = static_cast<double>(random.below(12)));
      }
    }
    const std::uint32_t pops = 1 + random.below(20);
    CHECK(merge(cubes, {pops, 1, 0}).taken == plain_cube_pruning(cubes, pops));
    std::sort(all.begin(), all.end());
    all.resize(std::min<std::size_t>(all.size(), pops));
    CHECK(merge(cubes, {pops, 100, 0}).taken == all);
    CHECK(merge(cubes, {pops, 100, 2}).scored <= merge(cubes, {pops, 100, 0}).scored);
  }
}

TEST("heights that grow from left to right equal those of the finished tree") {
  for (std::uint64_t item = 0; item < 500; ++item) {
    RandomStream random(17, item);
    std::vector<std::uint32_t> arities;
    const Tree tree = random_tree(random, 5, arities);
    Heights heights;
    heights.clear();
    StateId state = heights.start();
    double sum = 0;
    for (const std::uint32_t arity : arities) {
      const Heights::Step step = heights.extend(state, arity);
      sum += step.more;
      state = step.next;
    }
    CHECK(sum == tree.feature());
  }
}

TEST("equal lists of spans are one, and know what they will cost") {
  SpanLists lists;
  lists.clear();
  const ListId end = lists.push({7, 8}, SpanLists::kEmpty, -1);
  const ListId list = lists.push({1, 3}, end, -2);
  CHECK(lists.push({1, 3}, lists.push({7, 8}, SpanLists::kEmpty, -1), -2) == list);
  CHECK(lists.push({1, 4}, end, -2) != list && lists.push({1, 3}, SpanLists::kEmpty, -2) != list);
  CHECK((lists.first(list) == Span{1, 3}) && lists.rest(list) == end && lists.rest(end) == SpanLists::kEmpty);
  CHECK(lists.future(list) == -3 && lists.future(SpanLists::kEmpty) == 0);
}

TEST("rules are typed by how they end, and those that do not begin with words are told") {
  using Symbols = std::vector<WordId>;
  CHECK(end_of_rule(Symbols{X(0), 1, 2, 3, X(1)}, Symbols{9, 10, X(1), X(0)}) == RuleEnd::kOther);
  CHECK(end_of_rule(Symbols{1, 2, 3, X(0)}, Symbols{9, 10, X(0)}) == RuleEnd::kSame);
  CHECK(end_of_rule(Symbols{1, X(0), 2}, Symbols{9, 10, X(0)}) == RuleEnd::kWord);
  CHECK(end_of_rule(Symbols{1, 2}, Symbols{9, 10}) == RuleEnd::kLexical);
  CHECK(left_to_right_problem(Symbols{X(0), 1, X(1)}, Symbols{9, X(1), X(0)}) == nullptr);
  CHECK(left_to_right_problem(Symbols{1}, Symbols{9}) == nullptr);
  CHECK(left_to_right_problem(Symbols{X(0), 1}, Symbols{X(0), 9}) != nullptr);
  CHECK(left_to_right_problem(Symbols{X(0), 1}, Symbols{9, X(0), 9}) != nullptr);
  CHECK(left_to_right_problem(Symbols{X(0), X(1), 1}, Symbols{9, X(0), X(1)}) != nullptr);
  CHECK(left_to_right_problem(Symbols{X(0), 1}, Symbols{9}) != nullptr);
  CHECK(left_to_right_problem(Symbols{1}, Symbols{9, X(0)}) != nullptr);
}
