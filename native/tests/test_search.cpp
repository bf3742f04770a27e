// Search against exhaustive enumeration, with a bigram language model small enough to write down.
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/random.hpp"
#include "search/phrase.hpp"
#include "tests/check.hpp"

using namespace dragoman;
using namespace dragoman::search;

namespace {

// A bigram model over target words; the state is the last word, 0 at the start.
struct Bigrams {
  std::vector<std::vector<int>> phrases;  // by phrase id
  std::function<double(int, int)> logprob;

  [[nodiscard]] std::size_t states() const { return 1; }
  [[nodiscard]] std::size_t language_model_states() const { return 1; }
  void start(StateId* to) { to[0] = 0; }
  double extend(const StateId* from, const Option& option, const Coverage&, StateId* to) {
    double score = 0;
    int last = static_cast<int>(from[0]);
    for (const int word : phrases[option.phrase]) {
      score += logprob(last, word);
      last = word;
    }
    to[0] = static_cast<StateId>(last);
    return score;
  }
  double finish(const StateId* from) { return logprob(static_cast<int>(from[0]), kEnd); }

  static constexpr int kEnd = -1;
};

struct Toy {
  std::uint32_t length;
  std::vector<Option> options;
  Bigrams bigrams;
  SearchSettings settings;
  double distortion_weight = 0;

  [[nodiscard]] OptionChart chart(double unigram = 0) const {
    OptionChart chart;
    chart.reset(length, length);
    for (std::uint32_t start = 0; start < length; ++start) {
      for (std::uint32_t end = start + 1; end <= length; ++end) {
        std::vector<Option> found;
        for (Option option : options) {
          if (option.span.start != start || option.span.end != end) continue;
          option.estimate = option.score + unigram * static_cast<double>(bigrams.phrases[option.phrase].size());
          found.push_back(option);
        }
        if (!found.empty()) chart.add_span({static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end)}, found);
      }
    }
    chart.finish();
    return chart;
  }

  // Scores of all derivations allowed by the limit, by brute force.
  [[nodiscard]] std::vector<double> enumerate() const {
    std::vector<double> scores;
    const auto go = [&](const auto& self, std::set<int> covered, int end, int last, double score) -> void {
      if (covered.size() == length) {
        if (settings.distortion.final_jump) score -= distortion_weight * std::abs(static_cast<int>(length) - end);
        scores.push_back(score + bigrams.logprob(last, Bigrams::kEnd));
        return;
      }
      int gap = 0;
      while (covered.contains(gap)) ++gap;
      for (const Option& option : options) {
        bool free = true;
        for (int i = option.span.start; i < option.span.end; ++i) free = free && !covered.contains(i);
        const int limit = settings.distortion.limit;
        if (!free) continue;
        if (limit >= 0 && std::abs(option.span.start - end) > limit) continue;
        if (limit >= 0 && option.span.start != gap && option.span.end - gap > limit) continue;
        std::set<int> after = covered;
        for (int i = option.span.start; i < option.span.end; ++i) after.insert(i);
        double next = score + option.score - distortion_weight * std::abs(option.span.start - end);
        int word = last;
        for (const int w : bigrams.phrases[option.phrase]) {
          next += bigrams.logprob(word, w);
          word = w;
        }
        self(self, after, option.span.end, word, next);
      }
    };
    go(go, {}, 0, 0, 0);
    std::sort(scores.rbegin(), scores.rend());
    return scores;
  }

  double best(SearchSettings::Algorithm algorithm) {
    SearchSettings unlimited = settings;
    unlimited.algorithm = algorithm;
    unlimited.beam = unlimited.pop_limit = 1u << 30;
    const OptionChart options_by_span = chart(-1);
    PhraseSearch<Bigrams> search;
    const auto unasked = [](const Option&) { return std::span<const WordId>(); };
    search.run(unlimited, distortion_weight, options_by_span, bigrams, nullptr, unasked);
    if (search.goal_nodes().empty()) return -INFINITY;
    return search.node(search.goal_nodes()[0]).priority;
  }
};

Option option(int start, int end, std::uint32_t phrase, double score) {
  return {0, {static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end)}, 0, phrase, 0, 0, score, score};
}

bool near(double a, double b) { return a == b || std::abs(a - b) < 1e-9; }

// Words: x 1, x2 2, y 3, z 4.
Toy worked_example() {
  Toy toy;
  toy.length = 3;
  toy.bigrams.phrases = {{1}, {2}, {3}, {4}, {1, 3}, {4, 3}};
  toy.options = {option(0, 1, 0, -0.4), option(0, 1, 1, -1.2), option(1, 2, 2, -0.5),
                 option(2, 3, 3, -0.3), option(0, 2, 4, -0.7), option(1, 3, 5, -0.9)};
  const std::map<std::pair<int, int>, double> table{{{0, 1}, -.5},   {{1, 3}, -1},  {{1, 4}, -.4},
                                                    {{3, 4}, -2},    {{4, 3}, -.3}, {{3, -1}, -.2},
                                                    {{4, -1}, -1.5}, {{0, 4}, -2},  {{3, 1}, -2.5}};
  toy.bigrams.logprob = [table](int a, int b) {
    const auto found = table.find({a, b});
    return found == table.end() ? -3.0 : found->second;
  };
  toy.settings.distortion.limit = 2;
  toy.distortion_weight = 0.2;
  return toy;
}

}  // namespace

TEST("search finds the best of nine derivations (worked example of a three-word sentence)") {
  Toy toy = worked_example();
  const auto scores = toy.enumerate();
  CHECK(scores.size() == 9);
  CHECK(near(scores[0], -2.7) && near(scores[1], -3.2) && near(scores[2], -6.0) && near(scores[3], -6.2));
  CHECK(near(toy.best(SearchSettings::Algorithm::kCube), -2.7));
  CHECK(near(toy.best(SearchSettings::Algorithm::kStack), -2.7));
}

TEST("future costs join spans by dynamic programming (worked example)") {
  const Toy toy = worked_example();
  const double unigrams[] = {0, -1, -2, -1.2, -1.1};
  FutureCost future;
  future.compute(3, 2, [&](std::uint32_t start, std::uint32_t end) {
    double best = -INFINITY;
    for (const Option& o : toy.options) {
      if (o.span.start != start || o.span.end != end) continue;
      // The first word has no context; later ones have the phrase's own words.
      const auto& words = toy.bigrams.phrases[o.phrase];
      double score = o.score + unigrams[words[0]];
      for (std::size_t i = 1; i < words.size(); ++i) score += toy.bigrams.logprob(words[i - 1], words[i]);
      best = std::max(best, score);
    }
    return best;
  });
  CHECK(near(future.span(0, 1), -1.4) && near(future.span(1, 2), -1.7) && near(future.span(2, 3), -1.4));
  CHECK(near(future.span(0, 2), -2.7) && near(future.span(1, 3), -2.3) && near(future.span(0, 3), -3.7));
  CHECK(near(future.of({0, 0b010}), -1.4 - 1.4) && near(future.of({1, 0}), -2.3) && near(future.of({3, 0}), 0));
}

TEST("future costs of gaps and of the rest equal the quadratic definition on long sentences") {
  RandomStream random(3, 1);
  constexpr std::uint32_t kLength = 90, kLongest = 4;
  std::vector<std::vector<double>> isolated(kLength, std::vector<double>(kLength + 1, -INFINITY));
  for (std::uint32_t start = 0; start < kLength; ++start)
    for (std::uint32_t end = start + 1; end <= std::min(kLength, start + kLongest); ++end)
      if (end == start + 1 || random.below(3) == 0) isolated[start][end] = -random.uniform();
  std::vector<std::vector<double>> best = isolated;
  for (std::uint32_t size = 2; size <= kLength; ++size)
    for (std::uint32_t start = 0; start + size <= kLength; ++start)
      for (std::uint32_t middle = start + 1; middle < start + size; ++middle)
        best[start][start + size] =
            std::max(best[start][start + size], best[start][middle] + best[middle][start + size]);
  FutureCost future;
  future.compute(kLength, kLongest, [&](std::uint32_t start, std::uint32_t end) { return isolated[start][end]; });
  for (std::uint32_t start = 0; start < kLength; ++start) {
    CHECK(near(future.span(start, kLength), best[start][kLength]));
    for (std::uint32_t end = start + 1; end <= std::min<std::uint32_t>(kLength, start + Coverage::kWindow); ++end)
      CHECK(near(future.span(start, end), best[start][end]));
  }
}

TEST("the queue gives out the best first, and of equals the first made") {
  RandomStream random(5, 2);
  Queue queue;
  std::vector<Queued> all;
  const auto fresh = [&] {
    return Queued{static_cast<double>(random.below(20)), static_cast<std::uint32_t>(all.size())};
  };
  for (int i = 0; i < 50; ++i) {
    all.push_back(fresh());
    queue.append(all.back());
  }
  queue.arrange();
  const auto best = [&] {
    return *std::min_element(all.begin(), all.end(), [](const Queued& a, const Queued& b) { return a.before(b); });
  };
  const auto take = [&](std::uint32_t cell) { all[cell].key = -INFINITY; };
  for (int i = 0; i < 300; ++i) {
    CHECK(queue.top().cell == best().cell);
    take(queue.top().cell);
    all.push_back(fresh());
    if (i % 3 == 0) {
      queue.pop();
      queue.push(all.back());
    } else {
      queue.replace_top(all.back());
    }
  }
  for (int left = 50; left > 0; --left) {
    CHECK(!queue.empty() && queue.top().cell == best().cell);
    take(queue.top().cell);
    queue.pop();
  }
  CHECK(queue.empty());
}

TEST("with unlimited beams both searches equal brute force on random problems") {
  for (std::uint64_t item = 0; item < 300; ++item) {
    RandomStream random(7, item);
    Toy toy;
    toy.length = 1 + random.below(5);
    for (std::uint32_t phrase = 0; phrase < 8; ++phrase) {
      std::vector<int> words(1 + random.below(2));
      for (int& word : words) word = 1 + static_cast<int>(random.below(3));
      toy.bigrams.phrases.push_back(words);
    }
    for (std::uint32_t start = 0; start < toy.length; ++start) {
      for (std::uint32_t end = start + 1; end <= std::min(toy.length, start + 3); ++end) {
        const std::uint32_t count = end == start + 1 ? 1 + random.below(2) : random.below(2);
        for (std::uint32_t i = 0; i < count; ++i)
          toy.options.push_back(
              option(static_cast<int>(start), static_cast<int>(end), random.below(8), -random.uniform()));
      }
    }
    std::map<std::pair<int, int>, double> table;
    for (int a = 0; a <= 3; ++a)
      for (int b = -1; b <= 3; ++b) table[{a, b}] = -3 * random.uniform();
    toy.bigrams.logprob = [table](int a, int b) { return table.at({a, b}); };
    toy.settings.distortion.limit = static_cast<int>(random.below(7)) - 1;
    toy.settings.distortion.final_jump = random.below(2) != 0;
    toy.settings.distortion.future = random.below(2) != 0;
    toy.settings.distortion.way_back = random.below(2) != 0 ? features::WayBack::kAll : features::WayBack::kTight;
    toy.settings.distortion.delay = random.below(2) != 0 ? random.uniform() : 0;
    toy.distortion_weight = random.uniform();
    const auto scores = toy.enumerate();
    const double expected = scores.empty() ? -INFINITY : scores[0];
    CHECK(near(toy.best(SearchSettings::Algorithm::kCube), expected));
    CHECK(near(toy.best(SearchSettings::Algorithm::kStack), expected));
  }
}

TEST("what a coverage covers of a span is what it covers word by word") {
  RandomStream random(11, 3);
  for (int i = 0; i < 500; ++i) {
    const Coverage coverage{random.below(10), random.below(2) != 0 ? random() & ~std::uint64_t{1} : 0};
    const std::uint32_t from = random.below(80), to = from + random.below(80);
    bool any = false;
    for (std::uint32_t position = from; position < to; ++position) any = any || coverage.covers(position);
    CHECK(coverage.covers_any(from, to) == any);
  }
}

TEST("coverage windows slide") {
  Coverage coverage;
  coverage = coverage.with({2, 4});
  CHECK(coverage.first_gap == 0 && coverage.count() == 2 && coverage.covers(3) && !coverage.covers(1));
  CHECK(!coverage.admits({1, 3}) && coverage.admits({0, 2}) && coverage.admits({4, 60}) && !coverage.admits({4, 65}));
  coverage = coverage.with({0, 2});
  CHECK(coverage.first_gap == 4 && coverage.mask == 0);
  coverage = coverage.with({4, 68});
  CHECK(coverage.first_gap == 68 && coverage.mask == 0 && coverage.count() == 68);
}

TEST("distortion that charges the way back early telescopes (worked example)") {
  using features::distortion_to_come;
  using features::WayBack;
  Coverage covered;
  for (const auto& [a, b] : {std::pair{0, 2}, {5, 8}, {9, 12}})
    covered = covered.with({static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)});
  for (const WayBack way : {WayBack::kTight, WayBack::kAll}) {
    CHECK(distortion_to_come(way, covered, 8, 13) == 12);
    CHECK(distortion_to_come(way, Coverage{}.with({2, 3}), 3, 4) == 4);
  }
  const Coverage last = Coverage{}.with({3, 4}), two = last.with({0, 1});
  CHECK(distortion_to_come(WayBack::kTight, last, 4, 4) == 4 && distortion_to_come(WayBack::kAll, last, 4, 4) == 5);
  CHECK(distortion_to_come(WayBack::kTight, two, 1, 4) == 0 && distortion_to_come(WayBack::kAll, two, 1, 4) == 1);
}

TEST("every form of distortion adds up to the jumps") {
  using features::Span;
  const auto costs = [](const features::DistortionSettings& settings, std::initializer_list<Span> spans, int length) {
    std::vector<double> found;
    features::Place place;
    for (const Span span : spans) {
      found.push_back(features::jump_cost(settings, place, span, length));
      place = features::place_after(settings, place, span, length);
    }
    return found;
  };
  features::DistortionSettings settings;
  const std::initializer_list<Span> swapped{{2, 3}, {0, 2}, {3, 4}}, backwards{{3, 4}, {0, 1}, {1, 3}};
  CHECK((costs(settings, swapped, 4) == std::vector<double>{2, 3, 1}));
  settings.future = true;
  CHECK((costs(settings, swapped, 4) == std::vector<double>{6, 0, 0}));
  CHECK((costs(settings, backwards, 4) == std::vector<double>{7, 0, 0}));
  settings.way_back = features::WayBack::kAll;
  CHECK((costs(settings, swapped, 4) == std::vector<double>{6, 0, 0}));
  CHECK((costs(settings, backwards, 4) == std::vector<double>{8, 0, -1}));
  settings.delay = 0.5;  // half of 4, then the rest of it and half of the -3 that follow, then what is left
  CHECK((costs(settings, swapped, 4) == std::vector<double>{4, 3.5, -1.5}));
  settings.delay = 1;
  CHECK((costs(settings, swapped, 4) == std::vector<double>{2, 7, -3}));
}
