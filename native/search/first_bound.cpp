#include "search/first_bound.hpp"

#include "common/parallel.hpp"

namespace dragoman::search {

double first_bound(const Chart& chart, CellId goal, const OptionBounds& options, double height_weight) {
  struct Bound {
    double score = OptionBounds::kNever;
    double height = 0;  // of its highest subtree
  };
  std::vector<Bound> bounds(chart.size());
  for (CellId cell = 0; cell <= goal; ++cell) {
    stop_if_interrupted();
    Bound& whole = bounds[cell];
    for (const Bundle& bundle : chart.bundles(chart[cell])) {
      double score = options.best(bundle.first_option, bundle.options), highest = 0, sum = 0;
      for (const CellId tail : chart.tails(bundle)) {
        score += bounds[tail].score;
        highest = std::max(highest, bounds[tail].height);
        sum += bounds[tail].height;
      }
      if (bundle.arity > 1) score += std::max(0.0, height_weight) * sum;
      whole.score = std::max(whole.score, score);
      whole.height = std::max(whole.height, highest + 1);
    }
  }
  return bounds[goal].score;
}

double first_bound(LeftToRightSentence& sentence, const OptionBounds& options, double height_weight) {
  const std::uint32_t length = sentence.length();
  if (length == 0) return 0;
  std::vector<double> bounds(std::size_t{length} * (length + 1), OptionBounds::kNever);
  const auto at = [&](Span span) -> double& { return bounds[std::size_t{span.start} * (length + 1) + span.end]; };
  for (std::uint32_t width = 1; width <= length; ++width)
    for (std::uint32_t start = 0; start + width <= length; ++start) {
      stop_if_interrupted();
      const Span span{static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(start + width)};
      const auto [from, to] = sentence.applications(span);
      for (std::uint32_t number = from; number < to; ++number) {
        const Application& application = sentence.application(number);
        const auto parts = sentence.parts(application);
        double score = application.score + options.best(application.first_option, application.options);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          score += at(parts[i]);
          // Every rule has a word of its own, so a subtree is at least 1 and at most as many rules high as it has
          // words.
          if (i + 1 < parts.size()) score += height_weight * (height_weight > 0 ? parts[i].end - parts[i].start : 1);
        }
        at(span) = std::max(at(span), score);
      }
      sentence.forget_applications(span);
    }
  return at({0, static_cast<std::uint16_t>(length)});
}

}  // namespace dragoman::search
