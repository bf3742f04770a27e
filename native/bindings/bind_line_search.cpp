#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cmath>

#include "bindings/bind_tuning.hpp"
#include "common/vocabulary.hpp"
#include "forest/derivation.hpp"
#include "tuning/envelope.hpp"
#include "tuning/forest_envelope.hpp"
#include "tuning/line_search.hpp"

namespace dragoman {

using namespace nb::literals;
using namespace tuning;

namespace {

Windows windows_of(const std::string& smoothing, std::size_t window) {
  if (window % 2 == 0) throw SettingError("a window of " + std::to_string(window) + " plateaus", "choose 3, 5 or 7");
  if (smoothing == "none") return {Smoothing::kNone, window};
  if (smoothing == "average") return {Smoothing::kAverage, window};
  if (smoothing == "minimum") return {Smoothing::kMinimum, window};
  throw SettingError("no smoothing is called '" + smoothing + "'", "choose none, average or minimum");
}

nb::tuple handed_over(const std::vector<Plateau>& line) {
  std::vector<double> from, gains, judged;
  for (const Plateau& plateau : line) {
    from.push_back(plateau.from);
    gains.push_back(plateau.gain);
    judged.push_back(plateau.smoothed);
  }
  return nb::make_tuple(owned(std::move(from)), owned(std::move(gains)), owned(std::move(judged)));
}

nb::tuple handed_over(const LinePoint& point) { return nb::make_tuple(point.x, point.gain, point.smoothed); }

// A line search that keeps the pool and the gain that it uses.
struct BoundLineSearch {
  nb::object pool, gain;
  LineSearch search;

  std::vector<Plateau> line(const In<double>& weights, const In<double>& direction, const std::string& smoothing,
                            std::size_t window, int threads) {
    const Windows windows = windows_of(smoothing, window);
    const StopCallback stop = stop_on_signal();
    const nb::gil_scoped_release unlocked;
    return search.line(view(weights), view(direction), windows, threads, stop);
  }
};

// The envelopes of forests as flat arrays: how many segments up to each sentence, where each begins, and its text.
nb::tuple forest_envelopes(const nb::list& forests, const nb::list& words, const In<double>& weights,
                           const In<double>& direction, int threads) {
  const std::size_t size = nb::len(forests);
  if (nb::len(words) != size) throw InputError("a vocabulary is needed for each forest");
  std::vector<const forest::Forest*> graphs;
  std::vector<VocabularyView> names;
  for (std::size_t i = 0; i < size; ++i) {
    graphs.push_back(&nb::cast<const forest::Forest&>(forests[i]));
    names.push_back(nb::cast<const Vocabulary&>(words[i]).view());
  }
  std::vector<ForestEnvelope> found(size);
  std::vector<std::vector<std::string>> strings(size);
  const StopCallback stop = stop_on_signal();
  {
    const nb::gil_scoped_release unlocked;
    parallel_shards(
        size, threads,
        [&](std::size_t i) {
          found[i] = forest_envelope(*graphs[i], view(weights), view(direction));
          for (std::size_t k = 0; k < found[i].from.size(); ++k) {
            std::string& text = strings[i].emplace_back();
            for (const WordId word : forest::yield_of(*graphs[i], found[i].derivations[k]).words) {
              if (!text.empty()) text += ' ';
              text += names[i].word(word);
            }
          }
        },
        stop);
  }
  std::vector<std::int64_t> ends;
  std::vector<double> from, slopes, heights;
  nb::list texts;
  for (std::size_t i = 0; i < size; ++i) {
    from.insert(from.end(), found[i].from.begin(), found[i].from.end());
    slopes.insert(slopes.end(), found[i].slopes.begin(), found[i].slopes.end());
    heights.insert(heights.end(), found[i].heights.begin(), found[i].heights.end());
    for (const std::string& text : strings[i]) texts.append(text);
    ends.push_back(static_cast<std::int64_t>(from.size()));
  }
  return nb::make_tuple(owned(std::move(ends)), owned(std::move(from)), owned(std::move(slopes)),
                        owned(std::move(heights)), texts);
}

// Choices of sentences whose segments end at `ends`; every sentence has one at least.
std::vector<std::vector<Choice>> choices_of(const In<std::int64_t>& ends, const In<double>& from,
                                            const In2<double>& rows) {
  std::vector<std::vector<Choice>> choices;
  std::size_t at = 0;
  if (rows.shape(0) != from.size()) throw InputError("a row of statistics is needed for each segment");
  for (const std::int64_t end : view(ends)) {
    if (end <= static_cast<std::int64_t>(at) || static_cast<std::size_t>(end) > from.size())
      throw InputError("a sentence without a derivation, or ends that do not fit");
    auto& list = choices.emplace_back();
    for (; at < static_cast<std::size_t>(end); ++at) {
      if (std::isnan(from.data()[at])) throw InputError("a point that is not a number");
      list.push_back({from.data()[at], rows.data() + at * rows.shape(1)});
    }
  }
  return choices;
}

}  // namespace

void bind_line_search(nb::module_& m) {
  m.def(
      "upper_envelope",
      [](const In<double>& slopes, const In<double>& heights) {
        if (slopes.size() != heights.size()) throw InputError("a height for each slope is needed");
        std::vector<Segment> envelope;
        EnvelopeBuilder().build(view(slopes), view(heights), envelope);
        std::vector<double> from;
        std::vector<std::uint32_t> lines;
        for (const Segment& segment : envelope) {
          from.push_back(segment.from);
          lines.push_back(segment.line.id);
        }
        return nb::make_tuple(owned(std::move(from)), owned(std::move(lines)));
      },
      "slopes"_a.noconvert(), "heights"_a.noconvert(),
      nb::sig("def upper_envelope(slopes: NDArray[float64], heights: NDArray[float64]) -> "
              "tuple[NDArray[float64], NDArray[uint32]]"),
      "Which line is highest, and from where on.");

  nb::class_<BoundLineSearch>(m, "LineSearch", "Exact line search on n-best lists, for one thread at a time.")
      .def(
          "__init__",
          [](BoundLineSearch* self, nb::object pool, nb::object gain) {
            const auto& lists = nb::cast<const Pool&>(pool);
            const auto& wanted = nb::cast<const metrics::Gain&>(gain);
            check_width(wanted, lists.width());
            new (self) BoundLineSearch{pool, gain, LineSearch(lists, wanted)};
          },
          "pool"_a, "gain"_a, nb::sig("def __init__(self, pool: Pool, gain: dragoman._native.metrics.Gain) -> None"))
      .def(
          "plateaus",
          [](BoundLineSearch& self, const In<double>& weights, const In<double>& direction,
             const std::string& smoothing, std::size_t window,
             int threads) { return handed_over(self.line(weights, direction, smoothing, window, threads)); },
          "weights"_a.noconvert(), "direction"_a.noconvert(), nb::kw_only(), "smoothing"_a = "none", "window"_a = 1,
          "threads"_a = 0,
          nb::sig("def plateaus(self, weights: NDArray[float64], direction: NDArray[float64], *, smoothing: str = "
                  "'none', window: int = 1, threads: int = 0) -> "
                  "tuple[NDArray[float64], NDArray[float64], NDArray[float64]]"),
          "Where each plateau begins, its gain, and its gain as its neighbours see it.")
      .def(
          "search",
          [](BoundLineSearch& self, const In<double>& weights, const In<double>& direction,
             const std::string& smoothing, std::size_t window, int threads) {
            return handed_over(best_point(self.line(weights, direction, smoothing, window, threads)));
          },
          "weights"_a.noconvert(), "direction"_a.noconvert(), nb::kw_only(), "smoothing"_a = "none", "window"_a = 1,
          "threads"_a = 0,
          nb::sig("def search(self, weights: NDArray[float64], direction: NDArray[float64], *, smoothing: str = "
                  "'none', window: int = 1, threads: int = 0) -> tuple[float, float, float]"),
          "The best point x of weights + x * direction, its gain, and what it was chosen by.");

  m.def("forest_envelopes", &forest_envelopes, "forests"_a, "words"_a, "weights"_a.noconvert(),
        "direction"_a.noconvert(), nb::kw_only(), "threads"_a = 0,
        nb::sig("def forest_envelopes(forests: list[dragoman._native.forest.Forest], words: "
                "list[dragoman._native.common.Vocabulary], weights: NDArray[float64], direction: NDArray[float64], *, "
                "threads: int = 0) -> "
                "tuple[NDArray[int64], NDArray[float64], NDArray[float64], NDArray[float64], list[str]]"),
        "The derivations that are best somewhere on a line: where those of each forest end, from where on each is "
        "best, its slope and height, and its text.");
  m.def(
      "best_point",
      [](const In<std::int64_t>& ends, const In<double>& from, const In2<double>& rows, const metrics::Gain& gain,
         const std::string& smoothing, std::size_t window) {
        const Windows windows = windows_of(smoothing, window);
        check_width(gain, rows.shape(1));
        return handed_over(best_point(plateaus(choices_of(ends, from, rows), rows.shape(1), gain, windows)));
      },
      "ends"_a.noconvert(), "from_"_a.noconvert(), "rows"_a.noconvert(), "gain"_a, nb::kw_only(),
      "smoothing"_a = "none", "window"_a = 1,
      nb::sig("def best_point(ends: NDArray[int64], from_: NDArray[float64], rows: NDArray[float64], gain: "
              "dragoman._native.metrics.Gain, *, "
              "smoothing: str = 'none', window: int = 1) -> tuple[float, float, float]"),
      "The best point on a line, given the envelopes of the sentences and the statistics of their segments.");
  m.def(
      "smoothed",
      [](const In<double>& gains, const std::string& smoothing, std::size_t window) {
        return owned(smoothed(view(gains), windows_of(smoothing, window)));
      },
      "gains"_a.noconvert(), "smoothing"_a, "window"_a, "Each plateau as its neighbours see it.");
}

}  // namespace dragoman
