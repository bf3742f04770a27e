#include "search/state_bounds.hpp"

#include <set>

#include "common/parallel.hpp"

namespace dragoman::search {
namespace {

constexpr double kUnreached = -std::numeric_limits<double>::infinity();

// Adds what one feature can score to what others can.
void add(StateBounds& bounds, std::span<const double> most, double at_end) {
  for (std::size_t at = 0; at < most.size(); ++at)
    if (most[at] > kUnreached) bounds.most[at] += most[at];  // an option that no derivation has may score anything
  if (at_end > kUnreached) bounds.at_end += at_end;
}

// One feature of a chart: the states of each cell, from parts to wholes, and the most that any option makes of them.
class CellStates {
 public:
  CellStates(ChartExtender& extender, std::size_t feature, const Chart& chart, std::span<const Option> options)
      : extender_(extender), feature_(feature), chart_(chart), options_(options), states_(chart.size()) {}

  // False if there are too many.
  bool find(CellId goal, std::span<double> most, double& at_end) {
    for (CellId cell = 0; cell <= goal; ++cell) {
      stop_if_interrupted();
      std::set<StateId> found;
      for (const Bundle& bundle : chart_.bundles(chart_[cell]))
        for (std::uint32_t number = 0; number < bundle.options; ++number)
          if (!choose(bundle, bundle.first_option + number, found, most)) return false;
      states_[cell].assign(found.begin(), found.end());
    }
    for (const StateId state : states_[goal]) at_end = std::max(at_end, extender_.finish_other(feature_, state));
    return true;
  }

 private:
  static constexpr std::size_t kMostCombinations = 1'000'000;

  // All combinations of states of the parts that are still to be chosen.
  bool choose(const Bundle& bundle, std::uint32_t option, std::set<StateId>& found, std::span<double> most) {
    const auto tails = chart_.tails(bundle);
    if (chosen_.size() < tails.size()) {
      for (const StateId state : states_[tails[chosen_.size()]]) {
        chosen_.push_back(state);
        const bool fits = choose(bundle, option, found, most);
        chosen_.pop_back();
        if (!fits) return false;
      }
      return true;
    }
    double score = 0;
    found.insert(extender_.combine_other(feature_, options_[option], chosen_, score));
    most[option] = std::max(most[option], score);
    return found.size() <= kMostStates && ++combinations_ <= kMostCombinations;
  }

  ChartExtender& extender_;
  std::size_t feature_;
  const Chart& chart_;
  std::span<const Option> options_;
  std::vector<std::vector<StateId>> states_;  // per cell
  std::vector<StateId> chosen_;
  std::size_t combinations_ = 0;
};

}  // namespace

StateBounds state_bounds(Extender& extender, std::span<const Option> options) {
  StateBounds bounds{std::vector<double>(options.size()), 0};
  std::vector<double> most;
  for (std::size_t i = 0; i < extender.others.size(); ++i) {
    most.assign(options.size(), kUnreached);
    double at_end = kUnreached;
    const bool known = extender.for_each_step(
        i, options, kMostStates,
        [&](std::uint32_t, std::uint32_t option, std::uint32_t, double score) {
          most[option] = std::max(most[option], score);
        },
        [&](std::uint32_t, double score) { at_end = std::max(at_end, score); });
    if (!known) throw no_bound(extender.others[i]->label(), extender.others[i]->remedy());
    add(bounds, most, at_end);
  }
  return bounds;
}

StateBounds state_bounds(ChartExtender& extender, std::size_t features, const Chart& chart, CellId goal,
                         std::span<const Option> options) {
  StateBounds bounds{std::vector<double>(options.size()), 0};
  std::vector<double> most;
  for (std::size_t i = 0; i < features; ++i) {
    most.assign(options.size(), kUnreached);
    double at_end = kUnreached;
    if (!CellStates(extender, i, chart, options).find(goal, most, at_end))
      throw no_bound(extender.others[i]->label(), extender.others[i]->remedy());
    add(bounds, most, at_end);
  }
  return bounds;
}

}  // namespace dragoman::search
