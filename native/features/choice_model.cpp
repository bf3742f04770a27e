#include "features/choice_model.hpp"

#include <algorithm>
#include <cmath>

namespace dragoman::features {

using annotations::FeatureIndex;

namespace {

// Scores become log probabilities.
void normalize_log(std::vector<double>& scores) {
  if (scores.empty()) return;
  const double best = *std::ranges::max_element(scores);
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - best);
  for (double& score : scores) score -= best + std::log(sum);
}

}  // namespace

ChoiceModel::ChoiceModel(std::span<const Cue> cues, std::span<const float> weights)
    : index_(cues.size()), weights_(weights.begin(), weights.end()) {
  for (const Cue cue : cues) (void)index_.insert(cue);
}

ChoiceModel ChoiceModel::read(const BinaryFile& file, std::size_t section) {
  const auto cues = file.section<Cue>(section);
  const auto weights = file.section<float>(section + 1);
  file.require(cues.size() == weights.size(), "cues and weights of different number");
  file.require(std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); }), "weights");
  ChoiceModel made(cues, weights);
  file.require(made.index_.size() == cues.size(), "the same cue twice");
  return made;
}

void ChoiceModel::log_probabilities(const Choices& choices, std::vector<double>& found) const {
  found.clear();
  for (std::size_t number = 0; number < choices.ends.size(); ++number)
    found.push_back(score(choices.candidate(number)));
  normalize_log(found);
}

ChoiceModel train_choices(std::size_t choices, const std::function<void(std::size_t, Choices&)>& fill,
                          const ChoiceTraining& training, const std::function<void(int, double)>& told,
                          const StopCallback& stop) {
  // Cues that are too rare have no weight, and neither have those that nothing taken ever had.
  Choices at;
  FeatureIndex all;
  std::vector<std::uint32_t> counts;
  for (std::size_t number = 0; number < choices; ++number) {
    if (number % 1024 == 0 && stop && stop()) throw Interrupted();
    at.clear();
    fill(number, at);
    if (at.ends.size() < 2) continue;
    for (const Cue cue : at.candidate(at.taken)) {
      const std::uint32_t entry = all.insert(cue);
      if (entry >= counts.size()) counts.resize(entry + 1, 0);
      ++counts[entry];
    }
  }
  const std::vector<Cue> seen = all.keys();
  std::vector<Cue> kept;
  for (std::size_t entry = 0; entry < seen.size(); ++entry)
    if (counts[entry] >= training.min_count) kept.push_back(seen[entry]);
  std::ranges::sort(kept);
  FeatureIndex index(kept.size());
  for (const Cue cue : kept) (void)index.insert(cue);

  std::vector<float> weights(kept.size(), 0);
  std::vector<float> squares(kept.size(), 0);
  std::vector<double> scores;
  std::vector<std::uint32_t> entries, ends;
  for (int pass = 0; pass < training.passes; ++pass) {
    double sum = 0;
    std::size_t learned = 0;
    for (const std::uint32_t number : annotations::shuffled(choices, training.seed, static_cast<std::uint64_t>(pass))) {
      if (++learned % 1024 == 0 && stop && stop()) throw Interrupted();
      at.clear();
      fill(number, at);
      if (at.ends.size() < 2) continue;
      entries.clear(), ends.clear(), scores.clear();
      for (std::size_t candidate = 0; candidate < at.ends.size(); ++candidate) {
        double score = 0;
        for (const Cue cue : at.candidate(candidate)) {
          const std::uint32_t entry = index.find(cue);
          if (entry == FeatureIndex::kAbsent) continue;
          entries.push_back(entry);
          score += weights[entry];
        }
        ends.push_back(static_cast<std::uint32_t>(entries.size()));
        scores.push_back(score);
      }
      normalize_log(scores);
      sum += scores[at.taken];
      for (std::size_t candidate = 0, place = 0; candidate < ends.size(); ++candidate) {
        const double slope = (candidate == at.taken ? 1.0 : 0.0) - std::exp(scores[candidate]);
        for (; place < ends[candidate]; ++place) {
          float& square = squares[entries[place]];
          square += static_cast<float>(slope * slope);
          weights[entries[place]] += static_cast<float>(training.step * slope / std::sqrt(1e-6 + square));
        }
      }
    }
    if (told) told(pass, choices == 0 ? 0 : sum / static_cast<double>(choices));
  }
  return {kept, weights};
}

}  // namespace dragoman::features
