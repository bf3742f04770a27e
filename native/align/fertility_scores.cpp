#include "align/fertility_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace dragoman::align {

namespace {

constexpr double kNever = -1e6;  // log-probability of what cannot be, finite so that gains stay comparable
constexpr double kUnknown = 1;   // no logarithm of a probability
constexpr int kShifts = FertilityModel::kShifts, kShift = FertilityModel::kShift;

double safe_log(double p) { return p > 0 ? std::log(p) : kNever; }

// Classes numbered anew in order of appearance; how many there are.
std::size_t renumber(std::vector<std::size_t>& classes) {
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t& one : classes) one = numbers.try_emplace(one, numbers.size()).first->second;
  return numbers.size();
}

}  // namespace

FertilityScores::FertilityScores(const FertilityModel& model, const Sentence& sentence)
    : model_(model), sentence_(sentence), given_(sentence.given), generated_(sentence.generated) {
  for (int j = 0; j < generated_; ++j) {
    for (int i = 0; i < given_; ++i) emission_.push_back(safe_log(sentence.row(j)[i]));
    emission_.push_back(safe_log(sentence.null_emission[j]));
  }
  const std::size_t rows = model.fertility_.size() / FertilityModel::kFertilities;
  for (int i = 0; i < given_; ++i) {
    const WordId word = sentence.given_words[static_cast<std::size_t>(i)];
    const float* row = model.fertility_.data() + (word + 1 < rows ? word : rows - 1) * FertilityModel::kFertilities;
    for (int count = 0; count < generated_ + 2; ++count)
      fertility_.push_back(safe_log(row[std::min(count, FertilityModel::kMostFertile)]) +
                           (model.fourth_ ? 0 : std::lgamma(count + 1.0)));
  }
  for (int null = 0; null < generated_ + 2; ++null) {
    const int real = generated_ - null;
    if (null > real) {
      null_.push_back(kNever);
      continue;
    }
    const double choose = std::lgamma(real + 1.0) - std::lgamma(null + 1.0) - std::lgamma(real - null + 1.0);
    null_.push_back(choose + (real - null) * safe_log(1 - model.p1_) + (null > 0 ? null * safe_log(model.p1_) : 0));
  }
  if (!model.fourth_) {
    for (int j = 0; j < generated_; ++j)
      for (int i = 0; i < given_; ++i) placed_.push_back(safe_log(model.distortion(sentence, j, i)));
    return;
  }
  uniform_ = model.uniform_share_ / (2.0 * generated_);
  for (int i = 0; i < given_; ++i) given_class_.push_back(model.given_class(sentence, i));
  for (int j = 0; j < generated_; ++j) generated_class_.push_back(model.generated_class(sentence, j));
  given_class_.push_back(model.given_class(sentence, kNoLink));  // the start of the sentence comes last
  const std::size_t classes = renumber(given_class_);
  generated_classes_ = renumber(generated_class_);
  heads_.assign(classes * generated_classes_ * kShifts, kUnknown);
  tails_.assign(generated_classes_ * kShifts, kUnknown);
}

double FertilityScores::cept(const Cepts& cepts, int i) {
  if (i == kNoLink || i >= given_ || cepts.cept(i).empty()) return 0;
  const auto& positions = cepts.cept(i);
  const int previous = cepts.previous(i), centre = cepts.centre(previous);
  const auto first = static_cast<std::size_t>(positions[0]);
  const std::size_t from = given_class_[static_cast<std::size_t>(previous == kNoLink ? given_ : previous)];
  const int shift = std::clamp(positions[0] + 1 - centre, -kShift, kShift) + kShift;
  double& head =
      heads_[(from * generated_classes_ + generated_class_[first]) * kShifts + static_cast<std::size_t>(shift)];
  if (head == kUnknown)
    head = std::log((1 - model_.uniform_share_) *
                        model_.heads_[model_.head_index(sentence_, previous, centre, positions[0])] +
                    uniform_);
  double sum = head;
  for (std::size_t k = 1; k < positions.size(); ++k) {
    const int step = std::min(positions[k] - positions[k - 1], kShift) + kShift;
    double& tail =
        tails_[generated_class_[static_cast<std::size_t>(positions[k])] * kShifts + static_cast<std::size_t>(step)];
    if (tail == kUnknown)
      tail = std::log((1 - model_.uniform_share_) *
                          model_.tails_[model_.tail_index(sentence_, positions[k - 1], positions[k])] +
                      uniform_);
    sum += tail;
  }
  return sum;
}

double FertilityScores::score(const Cepts& cepts) {
  double sum = null_[static_cast<std::size_t>(cepts.null_fertility())];
  for (int i = 0; i < given_; ++i) {
    sum += fertility(i, cepts.fertility(i));
    if (model_.fourth_) sum += cept(cepts, i);
  }
  for (int j = 0; j < generated_; ++j) {
    sum += emission(j, cepts.link(j));
    if (!model_.fourth_) sum += placed(j, cepts.link(j));
  }
  return sum;
}

double FertilityScores::move_gain(Cepts& cepts, int j, int to) {
  const int from = cepts.link(j);
  if (from == to) return 0;
  double gain = emission(j, to) - emission(j, from);
  const auto null = static_cast<std::size_t>(cepts.null_fertility());
  if (from == kNoLink)
    gain += null_[null - 1] - null_[null];
  else
    gain += fertility(from, cepts.fertility(from) - 1) - fertility(from, cepts.fertility(from));
  if (to == kNoLink)
    gain += null_[null + 1] - null_[null];
  else
    gain += fertility(to, cepts.fertility(to) + 1) - fertility(to, cepts.fertility(to));
  if (!model_.fourth_) return gain + placed(j, to) - placed(j, from);
  // Shifts change in the two cepts and in those whose predecessor they are, before or after.
  std::array<int, 6> touched{};
  std::size_t count = 0;
  const auto touch = [&](int i) {
    if (i != kNoLink && i < given_ &&
        std::find(touched.begin(), touched.begin() + static_cast<std::ptrdiff_t>(count), i) ==
            touched.begin() + static_cast<std::ptrdiff_t>(count))
      touched[count++] = i;
  };
  const auto touch_both = [&] {
    for (const int i : {from, to})
      if (i != kNoLink) {
        touch(i);
        touch(cepts.next(i));
      }
  };
  touch_both();
  cepts.move(j, to);
  touch_both();
  for (std::size_t at = 0; at < count; ++at) gain += cept(cepts, touched[at]);
  cepts.move(j, from);
  for (std::size_t at = 0; at < count; ++at) gain -= cept(cepts, touched[at]);
  return gain;
}

double FertilityScores::swap_gain(Cepts& cepts, int first, int second) {
  const int one = cepts.link(first), other = cepts.link(second);
  double gain = emission(first, other) + emission(second, one) - emission(first, one) - emission(second, other);
  if (!model_.fourth_)
    return gain + placed(first, other) + placed(second, one) - placed(first, one) - placed(second, other);
  std::array<int, 4> touched{one, other, kNoLink, kNoLink};
  std::size_t count = 2;
  for (const int i : {one, other}) {
    if (i == kNoLink) continue;
    const int next = cepts.next(i);
    if (std::find(touched.begin(), touched.end(), next) == touched.end()) touched[count++] = next;
  }
  for (std::size_t at = 0; at < count; ++at) gain -= cept(cepts, touched[at]);
  cepts.swap(first, second);
  for (std::size_t at = 0; at < count; ++at) gain += cept(cepts, touched[at]);
  cepts.swap(first, second);
  return gain;
}

}  // namespace dragoman::align
