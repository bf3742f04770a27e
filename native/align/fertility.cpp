#include "align/fertility.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "align/fertility_scores.hpp"
#include "common/error.hpp"

namespace dragoman::align {

namespace {

constexpr float kNegligible = 1e-3F;  // neighbours below this share are counted like the best alignment itself

std::size_t class_count(const std::vector<std::int32_t>& classes) {
  std::size_t count = 1;
  for (const std::int32_t one : classes) {
    if (one < 0 || one > 10000) throw SettingError("word classes are numbers from 0 to 10000");
    count = std::max(count, static_cast<std::size_t>(one) + 1);
  }
  return count;
}

}  // namespace

FertilityModel::FertilityModel(bool fourth, const PositionSettings& settings, std::shared_ptr<PositionModel> previous)
    : fourth_(fourth),
      smoothing_(settings.fertility_smoothing),
      uniform_share_(settings.distortion_smoothing),
      given_classes_(settings.given_classes),
      generated_classes_(settings.generated_classes),
      start_(previous),
      teacher_(previous) {
  if (const auto* before = dynamic_cast<const FertilityModel*>(previous.get())) {
    start_ = before->start_;
    p1_ = before->p1_;
    fertility_ = before->fertility_;
  }
  take_settings();
  if (fourth_) {
    heads_.assign((given_class_count_ + 1) * generated_class_count_ * kShifts, 1.0F / kShifts);
    tails_.assign(generated_class_count_ * kShifts, 1.0F / kShifts);
    head_counts_.resize(heads_.size());
    tail_counts_.resize(tails_.size());
  }
}

void FertilityModel::take_settings() {
  given_class_count_ = class_count(given_classes_);
  generated_class_count_ = class_count(generated_classes_);
}

void FertilityModel::prepare(const Bitext& bitext, bool forward) {
  constexpr std::array<float, kFertilities> kUsual{0.2F,   0.62F,  0.1F,   0.04F,  0.02F, 0.01F,
                                                   0.004F, 0.003F, 0.001F, 0.001F, 0.001F};
  const std::size_t words = forward ? bitext.source_words() : bitext.target_words();
  while (fertility_.size() < (words + 1) * kFertilities)
    fertility_.insert(fertility_.end(), kUsual.begin(), kUsual.end());
  fertility_counts_.resize(fertility_.size());
  if (!fourth_) {
    const LengthTable known = std::move(lengths_);
    const std::vector<float> before = std::move(distortion_);
    lengths_ = {};
    lengths_.prepare(bitext, forward);
    distortion_.assign(lengths_.size(), 0);
    lengths_.for_each_block([&](int given, int generated, std::size_t offset) {
      const auto cells = static_cast<std::size_t>(given) * static_cast<std::size_t>(generated);
      const auto here = distortion_.begin() + static_cast<std::ptrdiff_t>(offset);
      if (const auto old = known.find(given, generated); old >= 0)
        std::copy_n(before.begin() + old, cells, here);
      else
        std::fill_n(here, cells, 1 / static_cast<float>(generated));
    });
    distortion_counts_.resize(distortion_.size());
  }
}

void FertilityModel::set_fertility(WordId word, int fertility, double probability) {
  fertility_[word * kFertilities + static_cast<std::size_t>(fertility)] = static_cast<float>(probability);
}

double FertilityModel::distortion(const Sentence& sentence, int j, int i) const {
  const double uniform = 1.0 / sentence.generated;
  const auto block = lengths_.find(sentence.given, sentence.generated);
  if (block < 0) return uniform;
  const auto at =
      static_cast<std::size_t>(block) + static_cast<std::size_t>(j) * static_cast<std::size_t>(sentence.given);
  return (1 - uniform_share_) * distortion_[at + static_cast<std::size_t>(i)] + uniform_share_ * uniform;
}

std::size_t FertilityModel::given_class(const Sentence& sentence, int i) const {
  if (i == kNoLink) return given_class_count_;
  const WordId word = sentence.given_words[static_cast<std::size_t>(i)];
  return word < given_classes_.size() ? static_cast<std::size_t>(given_classes_[word]) : 0;
}

std::size_t FertilityModel::generated_class(const Sentence& sentence, int j) const {
  const WordId word = sentence.generated_words[static_cast<std::size_t>(j)];
  return word < generated_classes_.size() ? static_cast<std::size_t>(generated_classes_[word]) : 0;
}

std::size_t FertilityModel::head_index(const Sentence& sentence, int previous, int centre, int j) const {
  const std::size_t pair = given_class(sentence, previous) * generated_class_count_ + generated_class(sentence, j);
  return pair * kShifts + static_cast<std::size_t>(std::clamp(j + 1 - centre, -kShift, kShift) + kShift);
}

std::size_t FertilityModel::tail_index(const Sentence& sentence, int before, int j) const {
  return generated_class(sentence, j) * kShifts + static_cast<std::size_t>(std::min(j - before, kShift) + kShift);
}

double FertilityModel::score(const Sentence& sentence, const Cepts& cepts) const {
  return FertilityScores(*this, sentence).score(cepts);
}

Cepts FertilityModel::start(const Sentence& sentence, const PositionModel& model) const {
  std::vector<int> links(static_cast<std::size_t>(sentence.generated));
  model.viterbi(sentence, links);
  // At most half of the words can come from NULL; the others take the word that explains them best.
  int null = static_cast<int>(std::count(links.begin(), links.end(), kNoLink));
  for (int j = 0; j < sentence.generated && 2 * null > sentence.generated; ++j) {
    if (links[static_cast<std::size_t>(j)] != kNoLink) continue;
    const float* row = sentence.row(j);
    const float* best = std::max_element(row, row + sentence.given);
    if (*best <= 0) continue;
    links[static_cast<std::size_t>(j)] = static_cast<int>(best - row);
    --null;
  }
  return {links, sentence.given};
}

double FertilityModel::climb(const Sentence& sentence, FertilityScores& scores, Cepts& cepts) const {
  constexpr double kLeastGain = 1e-6;
  const int most_steps = 3 * sentence.generated + 10;
  for (int step = 0; step < most_steps; ++step) {
    double best = kLeastGain;
    int best_first = 0, best_second = kNoLink, best_to = kNoLink;
    bool is_swap = false;
    for (int j = 0; j < sentence.generated; ++j) {
      for (int to = kNoLink; to < sentence.given; ++to) {
        if (to == cepts.link(j) || !((to == kNoLink ? sentence.null_emission[j] : sentence.row(j)[to]) > 0)) continue;
        if (const double gain = scores.move_gain(cepts, j, to); gain > best) {
          best = gain;
          best_first = j;
          best_to = to;
          is_swap = false;
        }
      }
      for (int second = j + 1; second < sentence.generated; ++second) {
        if (cepts.link(j) == cepts.link(second)) continue;
        if (const double gain = scores.swap_gain(cepts, j, second); gain > best) {
          best = gain;
          best_first = j;
          best_second = second;
          is_swap = true;
        }
      }
    }
    if (best <= kLeastGain) break;
    if (is_swap)
      cepts.swap(best_first, best_second);
    else
      cepts.move(best_first, best_to);
  }
  return scores.score(cepts);
}

void FertilityModel::count_shifts(const Sentence& sentence, const Cepts& cepts, float weight) {
  for (int i = 0; i < sentence.given; ++i) {
    const auto& positions = cepts.cept(i);
    if (positions.empty()) continue;
    const int previous = cepts.previous(i);
    head_counts_.add(head_index(sentence, previous, cepts.centre(previous), positions[0]), sentence.weight * weight);
    for (std::size_t k = 1; k < positions.size(); ++k)
      tail_counts_.add(tail_index(sentence, positions[k - 1], positions[k]), sentence.weight * weight);
  }
}

double FertilityModel::expect(const Sentence& sentence, std::span<double> evidence) {
  const auto width = static_cast<std::size_t>(sentence.given);
  std::fill_n(sentence.posterior, width * static_cast<std::size_t>(sentence.generated), 0.0F);
  std::fill_n(sentence.null_posterior, sentence.generated, 0.0F);
  const auto posterior = [&](int j, int i) -> float& {
    return i == kNoLink ? sentence.null_posterior[j] : sentence.posterior_row(j)[i];
  };
  Cepts cepts = start(sentence, teacher_ ? *teacher_ : *start_);
  FertilityScores scores(*this, sentence);
  double best = scores.score(cepts);
  std::vector<double> fertilities(width * kFertilities);
  const auto fertility_count = [&](int i, int fertility) -> double& {
    return fertilities[static_cast<std::size_t>(i) * kFertilities +
                       static_cast<std::size_t>(std::min(fertility, kMostFertile))];
  };
  struct Neighbour {
    int first, second, to;  // a move of `first` to `to`, or a swap when `second` is a position
    double weight;
  };
  std::vector<Neighbour> neighbours;
  double total = 1;
  if (!teacher_) {
    best = climb(sentence, scores, cepts);
    for (int j = 0; j < sentence.generated; ++j) {
      for (int to = kNoLink; to < sentence.given; ++to) {
        if (to == cepts.link(j) || !((to == kNoLink ? sentence.null_emission[j] : sentence.row(j)[to]) > 0)) continue;
        neighbours.push_back({j, kNoLink, to, std::exp(scores.move_gain(cepts, j, to))});
      }
      for (int second = j + 1; second < sentence.generated; ++second)
        if (cepts.link(j) != cepts.link(second))
          neighbours.push_back({j, second, kNoLink, std::exp(scores.swap_gain(cepts, j, second))});
    }
    for (const Neighbour& neighbour : neighbours) total += neighbour.weight;
  }
  for (int j = 0; j < sentence.generated; ++j) posterior(j, cepts.link(j)) = 1;
  for (int i = 0; i < sentence.given; ++i) fertility_count(i, cepts.fertility(i)) += 1;
  double rest = 1;  // what the distant neighbours leave to the shifts of the best alignment
  for (const Neighbour& neighbour : neighbours) {
    const auto share = static_cast<float>(neighbour.weight / total);
    if (share < 1e-9F) continue;
    if (neighbour.second != kNoLink) {
      const int one = cepts.link(neighbour.first), other = cepts.link(neighbour.second);
      posterior(neighbour.first, one) -= share;
      posterior(neighbour.first, other) += share;
      posterior(neighbour.second, other) -= share;
      posterior(neighbour.second, one) += share;
    } else {
      const int from = cepts.link(neighbour.first);
      posterior(neighbour.first, from) -= share;
      posterior(neighbour.first, neighbour.to) += share;
      for (const auto& [i, change] : {std::pair(from, -1), std::pair(neighbour.to, 1)}) {
        if (i == kNoLink) continue;
        fertility_count(i, cepts.fertility(i)) -= share;
        fertility_count(i, cepts.fertility(i) + change) += share;
      }
    }
    if (fourth_ && share > kNegligible) {
      Cepts changed = cepts;
      if (neighbour.second != kNoLink)
        changed.swap(neighbour.first, neighbour.second);
      else
        changed.move(neighbour.first, neighbour.to);
      count_shifts(sentence, changed, share);
      rest -= share;
    }
  }
  double null_mass = 0;
  for (int j = 0; j < sentence.generated; ++j) {
    for (int i = 0; i < sentence.given; ++i) {
      float& value = sentence.posterior_row(j)[i];
      value = std::clamp(value, 0.0F, 1.0F);
    }
    sentence.null_posterior[j] = std::clamp(sentence.null_posterior[j], 0.0F, 1.0F);
    null_mass += sentence.null_posterior[j];
  }
  evidence[0] += sentence.weight * null_mass;
  evidence[1] += sentence.weight * (sentence.generated - null_mass);
  for (int i = 0; i < sentence.given; ++i)
    for (int fertility = 0; fertility < kFertilities; ++fertility) {
      const std::size_t row = std::min<std::size_t>(sentence.given_words[static_cast<std::size_t>(i)],
                                                    fertility_.size() / kFertilities - 1);
      fertility_counts_.add(row * kFertilities + static_cast<std::size_t>(fertility),
                            sentence.weight * static_cast<float>(std::max(0.0, fertility_count(i, fertility))));
    }
  if (fourth_) {
    count_shifts(sentence, cepts, static_cast<float>(std::max(0.0, rest)));
  } else if (const auto block = lengths_.find(sentence.given, sentence.generated); block >= 0) {
    for (std::size_t at = 0; at < width * static_cast<std::size_t>(sentence.generated); ++at)
      distortion_counts_.add(static_cast<std::size_t>(block) + at, sentence.weight * sentence.posterior[at]);
  }
  return best + std::log(total);
}

void FertilityModel::maximize(std::span<const double> evidence) {
  teacher_.reset();
  constexpr double kLeastNull = 1e-4, kMostNull = 0.5;
  if (evidence[1] > 0) p1_ = std::clamp(evidence[0] / evidence[1], kLeastNull, kMostNull);
  const std::size_t rows = fertility_.size() / kFertilities;
  std::array<double, kFertilities> general{};
  double all = 0;
  for (std::size_t at = 0; at < fertility_.size(); ++at) general[at % kFertilities] += fertility_counts_[at];
  for (double& count : general) all += count += 1e-3;
  for (std::size_t row = 0; row < rows; ++row) {
    double total = smoothing_;
    for (std::size_t phi = 0; phi < kFertilities; ++phi) total += fertility_counts_[row * kFertilities + phi];
    for (std::size_t phi = 0; phi < kFertilities; ++phi) {
      const double usual = general[phi] / all;
      fertility_[row * kFertilities + phi] = static_cast<float>(
          total > 0 ? (fertility_counts_[row * kFertilities + phi] + smoothing_ * usual) / total : usual);
    }
  }
  fertility_counts_.clear();
  lengths_.for_each_block([&](int given, int generated, std::size_t offset) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(given); ++i) {
      const auto at = [&](std::size_t j) { return offset + j * static_cast<std::size_t>(given) + i; };
      double total = 0;
      for (std::size_t j = 0; j < static_cast<std::size_t>(generated); ++j) total += distortion_counts_[at(j)];
      if (total <= 0) continue;
      for (std::size_t j = 0; j < static_cast<std::size_t>(generated); ++j)
        distortion_[at(j)] = static_cast<float>(distortion_counts_[at(j)] / total);
    }
  });
  distortion_counts_.clear();
  const auto normalize = [](std::vector<float>& table, FixedCounts& counts) {
    for (std::size_t row = 0; row < table.size(); row += kShifts) {
      double total = 0;
      for (std::size_t at = row; at < row + kShifts; ++at) total += counts[at];
      if (total <= 0) continue;
      for (std::size_t at = row; at < row + kShifts; ++at) table[at] = static_cast<float>(counts[at] / total);
    }
    counts.clear();
  };
  normalize(heads_, head_counts_);
  normalize(tails_, tail_counts_);
}

void FertilityModel::viterbi(const Sentence& sentence, std::span<int> links) const {
  Cepts cepts = start(sentence, *start_);
  FertilityScores scores(*this, sentence);
  climb(sentence, scores, cepts);
  std::copy(cepts.links().begin(), cepts.links().end(), links.begin());
}

}  // namespace dragoman::align
