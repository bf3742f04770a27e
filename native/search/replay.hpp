#pragma once
// A derivation, given by its options in target order, gone through once more: what it scores under the model itself,
// and the values that features fire.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "features/distortion.hpp"
#include "search/decoded.hpp"
#include "search/extender.hpp"
#include "search/phrase.hpp"
#include "search/sentence.hpp"

namespace dragoman::search {

class Replay {
 public:
  // `feature` is that of the distance of jumps, `weight` its weight.
  Replay(const features::DistortionSettings& distortion, FeatureId feature, double weight, const Sentence& sentence,
         Extender& extender)
      : distortion_(distortion),
        distortion_feature_(feature),
        distortion_weight_(weight),
        sentence_(sentence),
        chart_(sentence.chart()),
        extender_(extender) {}

  // Calls use(option, place before, states before, score of the step) one by one, then finish(states, end, score);
  // gives the total.
  template <typename Use, typename Finish>
  double run(std::span<const std::uint32_t> options, const Use& use, const Finish& finish) {
    const auto length = static_cast<int>(chart_.length());
    states_.assign(2 * extender_.states(), 0);
    StateId* from = states_.data();
    StateId* to = from + extender_.states();
    extender_.start(from);
    Place place;
    double total = 0;
    for (const std::uint32_t id : options) {
      const Option& option = chart_[id];
      const double score = option.score + extender_.extend(from, option, place.coverage, to) -
                           distortion_weight_ * features::jump_cost(distortion_, place, option.span, length);
      use(option, place, from, score);
      total += score;
      place = features::place_after(distortion_, place, option.span, length);
      std::swap(from, to);
    }
    double score = extender_.finish(from);
    if (distortion_.final_jump) score -= distortion_weight_ * std::abs(length - static_cast<int>(place.end));
    finish(from, static_cast<int>(place.end), score);
    return total + score;
  }
  double score(std::span<const std::uint32_t> options) {
    return run(options, [](const Option&, const Place&, const StateId*, double) {}, [](const StateId*, int, double) {});
  }

  // Appends the derivation of a piece of a sentence, which begins at word `offset`, with the values of all features.
  void append(std::span<const std::uint32_t> path, std::uint32_t offset, Decoded& decoded) {
    const auto length = static_cast<int>(chart_.length());
    std::vector<std::uint32_t> firsts(chart_.length() + 1);  // by where an option begins: its first word
    for (std::uint32_t position = 0; position < chart_.length(); ++position) firsts[position] = offset + position;
    if (!sentence_.paths().empty()) append_source(path, firsts, decoded);
    decoded.score += run(
        path,
        [&](const Option& option, const Place& place, const StateId* states, double score) {
          Step step;
          const std::size_t words = option.path == 0 ? static_cast<std::size_t>(option.span.end - option.span.start)
                                                     : sentence_.paths()[option.path - 1].words.size();
          step.source_start = step.span_start = firsts[option.span.start];
          step.source_end = step.span_end = step.source_start + static_cast<std::uint32_t>(words);
          step.target_start = static_cast<std::uint32_t>(decoded.target.size());
          for (const WordId word : sentence_.target(option)) decoded.target.emplace_back(sentence_.spell_target(word));
          step.target_end = static_cast<std::uint32_t>(decoded.target.size());
          step.unknown = sentence_.is_unknown(option);
          step.score = score;
          for (const grammar::Link link : sentence_.links(option))
            step.links.emplace_back(step.source_start + link.source, step.target_start + link.target);
          sentence_.option_values(option, step.values);
          extender_.extend_values(states, option, place.coverage, step.values);
          const double jump = features::jump_cost(distortion_, place, option.span, length);
          if (jump != 0) step.values.emplace_back(distortion_feature_, -jump);
          decoded.steps.push_back(std::move(step));
        },
        [&](const StateId* states, int end, double) {
          extender_.finish_values(states, decoded.final_values);
          if (distortion_.final_jump && end != length)
            decoded.final_values.emplace_back(distortion_feature_, -std::abs(length - end));
        });
  }

 private:
  // The words along the path of a lattice that options translate, and where those of each begin.
  void append_source(std::span<const std::uint32_t> path, std::vector<std::uint32_t>& firsts, Decoded& decoded) const {
    std::vector<const Option*> options;
    for (const std::uint32_t id : path) options.push_back(&chart_[id]);
    std::ranges::sort(options, {}, [](const Option* option) { return option->span.start; });
    for (const Option* option : options) {
      firsts[option->span.start] = static_cast<std::uint32_t>(decoded.source.size());
      for (const std::string_view word : sentence_.paths()[option->path - 1].spelt) decoded.source.emplace_back(word);
    }
  }

  const features::DistortionSettings& distortion_;
  FeatureId distortion_feature_;
  double distortion_weight_;
  const Sentence& sentence_;
  const OptionChart& chart_;
  Extender& extender_;
  std::vector<StateId> states_;
};

}  // namespace dragoman::search
