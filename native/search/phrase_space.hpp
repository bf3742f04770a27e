#pragma once
// All ways in which a sentence can be cut into phrases and ordered within the distortion limit, without language
// models: places (what is covered, where the last phrase ended, and the states of features that are kept exactly) and
// steps between them, in the order of the number of covered words. (Aziz, Dymetman and Specia 2014.)
#include <cstdint>
#include <span>
#include <vector>

#include "common/hash.hpp"
#include "common/interned.hpp"
#include "features/distortion.hpp"
#include "search/option.hpp"
#include "search/phrase.hpp"

namespace dragoman::search {

class PhraseSpace {
 public:
  static constexpr std::uint32_t kGoal = ~std::uint32_t{0};  // the option of the step that completes

  struct Step {
    std::uint32_t option;  // of the chart
    std::uint32_t head;    // place
    double score;          // all but language models
  };
  struct Signature {
    Place place;
    std::vector<StateId> states;
    friend bool operator==(const Signature&, const Signature&) = default;
    [[nodiscard]] std::uint64_t hash() const noexcept {
      return combine(place.hash(), hash_bytes(states.data(), states.size() * sizeof(StateId)));
    }
  };

  // `Exact` holds the features whose states are part of a place:
  //   std::size_t exact_states() const;
  //   void start_exact(StateId*);
  //   double extend_exact(const StateId* from, const Option&, const Coverage& before, StateId* to);
  //   double finish_exact(const StateId*);
  // False if within() became so on the way.
  template <typename Exact, typename Within>
  bool build(const features::DistortionSettings& distortion, const SourceOrder* order, double distortion_weight,
             const OptionChart& options, Exact& exact, const Within& within) {
    const std::uint32_t length = options.length();
    places_.clear();
    begins_.clear();
    steps_.clear();
    by_count_.assign(length + 2, {});
    Signature start;
    start.states.resize(exact.exact_states());
    exact.start_exact(start.states.data());
    intern(start);
    for (std::uint32_t count = 0; count <= length; ++count) {
      for (std::size_t i = 0; i < by_count_[count].size(); ++i) {
        const std::uint32_t id = by_count_[count][i];
        if (begins_.size() <= id) begins_.resize(id + 1, {0, 0});
        begins_[id].first = static_cast<std::uint32_t>(steps_.size());
        const Signature from = places_[id];
        Signature to = from;
        for_each_span(distortion, order, options, from.place, [&](Span span, std::uint32_t first, std::uint32_t last) {
          to.place = features::place_after(distortion, from.place, span, static_cast<int>(length));
          const double jump =
              -distortion_weight * features::jump_cost(distortion, from.place, span, static_cast<int>(length));
          for (std::uint32_t option = first; option < last; ++option) {
            const double score =
                exact.extend_exact(from.states.data(), options[option], from.place.coverage, to.states.data());
            steps_.push_back({option, intern(to), options[option].score + jump + score});
          }
        });
        if (count == length) {
          double score = exact.finish_exact(from.states.data());
          if (distortion.final_jump)
            score -= distortion_weight * std::abs(static_cast<int>(length) - static_cast<int>(from.place.end));
          steps_.push_back({kGoal, kGoal, score});
        }
        begins_[id].second = static_cast<std::uint32_t>(steps_.size());
        if (!within()) return false;
      }
    }
    begins_.resize(places_.size(), {0, 0});
    return true;
  }

  // A space given step by step: places get numbers as they come, the start first.
  void begin(std::uint32_t length) {
    places_.clear();
    steps_.clear();
    begins_.clear();
    gathered_.clear();
    gathered_steps_ = 0;
    by_count_.assign(length + 2, {});
  }
  std::uint32_t add_place(const Signature& signature) {
    const std::uint32_t id = intern(signature);
    if (gathered_.size() <= id) gathered_.resize(id + 1);
    return id;
  }
  void add_step(std::uint32_t place, const Step& step) {
    for (const Step& known : gathered_[place])
      if (known.option == step.option) return;
    gathered_[place].push_back(step);
    ++gathered_steps_;
  }
  void finish() {
    for (const auto& steps : gathered_) {
      const auto first = static_cast<std::uint32_t>(steps_.size());
      steps_.insert(steps_.end(), steps.begin(), steps.end());
      begins_.emplace_back(first, static_cast<std::uint32_t>(steps_.size()));
    }
    gathered_.clear();
    gathered_steps_ = 0;
  }

  // What it takes in memory, about; lists that grow have room to spare.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return steps_.capacity() * sizeof(Step) + gathered_steps_ * 2 * sizeof(Step) + places_.size() * kPlaceBytes;
  }
  // All steps, those that are not in their places yet included.
  [[nodiscard]] std::size_t size() const noexcept { return steps_.size() + gathered_steps_; }
  [[nodiscard]] std::size_t places() const noexcept { return places_.size(); }
  [[nodiscard]] const Signature& signature(std::uint32_t place) const noexcept { return places_[place]; }
  [[nodiscard]] std::span<const Step> steps() const noexcept { return steps_; }
  // Numbers of the steps that leave a place: [first, last).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> steps_of(std::uint32_t place) const noexcept {
    return begins_[place];
  }
  // Places by the number of covered words; the goal, which is none, would be the last.
  [[nodiscard]] std::span<const std::vector<std::uint32_t>> by_count() const noexcept { return by_count_; }
  [[nodiscard]] std::uint32_t count(std::uint32_t place) const noexcept {
    return places_[place].place.coverage.count();
  }

 private:
  static constexpr std::uint64_t kPlaceBytes = 256;  // with its states, and what finds it by them

  std::uint32_t intern(const Signature& signature) {
    return places_.intern(signature, signature.hash(),
                          [&](std::uint32_t id) { by_count_[signature.place.coverage.count()].push_back(id); });
  }

  Interned<Signature> places_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> begins_;
  std::vector<Step> steps_;
  std::vector<std::vector<std::uint32_t>> by_count_;
  std::vector<std::vector<Step>> gathered_;  // per place, until `finish`
  std::size_t gathered_steps_ = 0;
};

}  // namespace dragoman::search
