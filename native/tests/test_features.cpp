#include <algorithm>
#include <numeric>
#include <vector>

#include "features/orientation.hpp"
#include "features/per_rule.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::features;

namespace {

// A sentence of which nothing is known but its rules.
struct Remembering final : SentenceView {
  RememberedRules rules{0, 0, 0};
  SentenceMarks none;
  [[nodiscard]] std::span<const WordId> source() const override { return {}; }
  [[nodiscard]] std::span<const std::string_view> words() const override { return {}; }
  [[nodiscard]] std::string_view spell_target(WordId) const override { return {}; }
  void spell_source(const OptionView&, std::vector<std::string_view>& words) const override { words.clear(); }
  [[nodiscard]] std::size_t number() const override { return 0; }
  [[nodiscard]] const SentenceMarks& marks() const override { return none; }
  [[nodiscard]] std::span<const double> weights() const override { return {}; }
  [[nodiscard]] RememberedRules remembered() const override { return rules; }
  [[nodiscard]] std::span<const grammar::Link> links(const OptionView&) const override { return {}; }
};

OptionView option(std::uint32_t entry) { return {0, 0, entry, {0, 1}, {}, {}}; }

Span word(int position) { return {static_cast<std::uint16_t>(position), static_cast<std::uint16_t>(position + 1)}; }

// Orientations with previous of single-word phrases translated in this order.
std::vector<Orientation> labels(const std::vector<int>& order, bool hierarchical) {
  OrientationSettings settings;
  settings.hierarchical = hierarchical;
  settings.features = {0, 1, 2, 3, 4, 5, 6, 7};
  OrientationFeature feature(settings, {});
  std::vector<Orientation> found;
  StateId states[2][OrientationFeature::kStates];
  feature.start(states[0]);
  Coverage coverage;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t option = feature.add_option(word(order[i]), OrientationFeature::kNoRow);
    found.push_back(feature.with_previous(states[i & 1], word(order[i])));
    (void)feature.extend(states[i & 1], option, coverage, states[(i + 1) & 1]);
    coverage = coverage.with(word(order[i]));
  }
  return found;
}

// The same by definition: monotone (swap) if some block of already translated words, contiguous in the target and in
// the source and ending at the previous word, ends (starts) right before (after) this word.
Orientation by_definition(const std::vector<int>& order, std::size_t at) {
  const int here = order[at];
  if (at == 0) return here == 0 ? Orientation::kMonotone : Orientation::kRight;
  for (std::size_t first = at; first-- > 0;) {
    const auto [low, high] = std::minmax_element(order.begin() + static_cast<std::ptrdiff_t>(first),
                                                 order.begin() + static_cast<std::ptrdiff_t>(at));
    if (*high - *low + 1 != static_cast<int>(at - first)) continue;
    if (*high + 1 == here) return Orientation::kMonotone;
    if (*low - 1 == here) return Orientation::kSwap;
  }
  return here < order[at - 1] ? Orientation::kLeft : Orientation::kRight;
}

}  // namespace

TEST("hierarchical orientation equals its definition on all permutations of up to seven words") {
  for (int length = 1; length <= 7; ++length) {
    std::vector<int> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    do {
      const auto found = labels(order, true);
      for (std::size_t i = 0; i < order.size(); ++i) CHECK(found[i] == by_definition(order, i));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST("orientation by the previous phrase and by blocks differ where they should (worked example)") {
  using enum Orientation;
  CHECK((labels({2, 1, 0, 3}, true) == std::vector{kRight, kSwap, kSwap, kMonotone}));
  CHECK((labels({2, 1, 0, 3}, false) == std::vector{kRight, kSwap, kSwap, kRight}));
  CHECK(labels({1, 3, 0, 2, 4}, true)[4] == kMonotone);
  CHECK(labels({1, 4, 0, 2, 3}, true)[4] == kMonotone);
}

TEST("a phrase with gaps makes a block once they are filled, and contains what fills them") {
  using enum Orientation;
  for (const bool hierarchical : {true, false}) {
    OrientationSettings settings;
    settings.hierarchical = hierarchical;
    settings.classes = OrientationClasses::kMslrc;
    settings.features = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    OrientationFeature feature(settings, {});
    // ne X pas, then the verb between, then what follows; and the verb first.
    const std::uint32_t around = feature.add_option({0, 3}, OrientationFeature::kNoRow, 2);
    const std::uint32_t verb = feature.add_option(word(1), OrientationFeature::kNoRow);
    StateId start[OrientationFeature::kStates], one[OrientationFeature::kStates], two[OrientationFeature::kStates];
    feature.start(start);
    (void)feature.extend(start, around, Coverage{}, one);
    CHECK(feature.with_previous(one, word(1)) == kContained);
    CHECK(feature.with_previous(one, word(3)) == (hierarchical ? kRight : kMonotone));
    (void)feature.extend(one, verb, Coverage{}, two);
    CHECK(feature.with_previous(two, word(3)) == (hierarchical ? kMonotone : kRight));
    (void)feature.extend(two, OrientationFeature::kNoOption, Coverage{}, one);
    CHECK(one[0] == two[0] && one[1] == two[1]);
  }
}

TEST("rows fire for the realised class only, forward for this phrase and backward for the one before") {
  OrientationSettings settings;
  settings.classes = OrientationClasses::kMsd;
  settings.hierarchical = false;
  settings.features = {0, 1, 2, 3, 4, 5};
  const std::vector<double> weights(6, 1.0);
  OrientationFeature feature(settings, weights);
  const std::vector<float> first{-1, -2, -3, -4, -5, -6}, second{-7, -8, -9, -10, -11, -12};
  const auto a = feature.add_row(first), b = feature.add_row(second);
  CHECK(a == feature.add_row(first) && a != b);
  const std::uint32_t jump = feature.add_option(word(1), a), swap = feature.add_option(word(0), b);
  FeatureVector values;
  Fire fire(weights, &values);
  StateId start[OrientationFeature::kStates], after[OrientationFeature::kStates], end[OrientationFeature::kStates];
  feature.start(start);
  feature.fire(start, jump, Coverage{}, fire);  // starts with a jump: D
  const double first_score = feature.extend(start, jump, Coverage{}, after);
  feature.fire(after, swap, Coverage{}.with(word(1)), fire);  // then swaps with it: S
  const double second_score = feature.extend(after, swap, Coverage{}.with(word(1)), end);
  CHECK((values == FeatureVector{{2, -3.0}, {1, -8.0}, {4, -5.0}}));
  CHECK(fire.score() == -16.0 && first_score == -3.0 && second_score == -13.0);
}

TEST("what is known of rules lasts as long as their numbers; what a sentence brought along goes with it") {
  Remembering sentence;
  PerRule<int> known(-1, 2);
  sentence.rules = {1, 2, 3};
  known.begin(sentence);
  for (std::uint32_t entry = 0; entry < 3; ++entry) known.row(option(entry))[1] = static_cast<int>(entry);
  sentence.rules = {1, 4, 5};  // two more rules: the first takes the number of the last sentence's own
  known.begin(sentence);
  const std::vector<int> expected = {0, 1, -1, -1, -1};
  for (std::uint32_t entry = 0; entry < 5; ++entry) {
    CHECK(known.row(option(entry))[0] == -1);
    CHECK(known.row(option(entry))[1] == expected[entry]);
  }
  known.row(option(3))[0] = 7;
  known.begin(sentence);  // the same sentence again
  CHECK(known.row(option(3))[0] == 7);
  sentence.rules = {2, 5, 5};  // other rules
  known.begin(sentence);
  CHECK(known.row(option(0))[1] == -1 && known.row(option(3))[0] == -1);
  known.row(option(0))[0] = 3;
  known.forget();
  known.begin(sentence);
  CHECK(known.row(option(0))[0] == -1);
}
