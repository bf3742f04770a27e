#include "align/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "align/ibm.hpp"
#include "common/error.hpp"

namespace dragoman::align {

// The transitions of one sentence. State `given` is the start of the sentence; the others are given positions. A jump
// from state p to i weighs scale[p] * shape(p)[i] + flat; rows of one class are slices of one array.
struct HmmModel::Lattice {
  std::vector<std::vector<float>> by_class;  // of distances from -(given) to given
  std::vector<const float*> shape;           // per state, indexed by the position jumped to
  std::vector<float> scale;
  std::vector<std::size_t> class_of_state;
  float flat = 0, start_flat = 0, null = 0;
  int given = 0;

  [[nodiscard]] float uniform(int state) const noexcept { return state == given ? start_flat : flat; }
};

HmmModel::HmmModel(const PositionSettings& settings)
    : null_probability_(settings.null_probability),
      max_jump_(settings.max_jump),
      uniform_share_(settings.uniform_share),
      start_by_jump_(settings.start_by_jump),
      classes_(settings.given_classes),
      class_count_(2) {
  for (const std::int32_t word_class : classes_) {
    if (word_class < 0 || word_class > 10000) throw SettingError("word classes are numbers from 0 to 10000");
    class_count_ = std::max(class_count_, static_cast<std::size_t>(word_class) + 2);
  }
  jumps_.assign(class_count_ * width(), 1.0);
}

std::size_t HmmModel::index(int d, std::size_t from_class) const noexcept {
  const int at = std::abs(d) <= max_jump_ ? d + max_jump_ : 2 * max_jump_ + 1;
  return from_class * width() + static_cast<std::size_t>(at);
}

std::size_t HmmModel::class_of(const Sentence& sentence, int state) const noexcept {
  if (state == sentence.given) return class_count_ - 1;
  if (classes_.empty()) return 0;
  const WordId word = sentence.given_words[static_cast<std::size_t>(state)];
  return word < classes_.size() ? static_cast<std::size_t>(classes_[word]) : 0;
}

double HmmModel::triangular(int d, int free) noexcept {
  if (free <= 0 || std::abs(d) >= free) return 0;
  return static_cast<double>(free - std::abs(d)) / (static_cast<double>(free) * free);
}

void HmmModel::build(const Sentence& sentence, Lattice& lattice) const {
  const int given = sentence.given;
  lattice.given = given;
  lattice.by_class.assign(class_count_, {});
  lattice.shape.resize(static_cast<std::size_t>(given) + 1);
  lattice.scale.resize(lattice.shape.size());
  lattice.class_of_state.resize(lattice.shape.size());
  const double real = 1 - null_probability_;
  lattice.null = static_cast<float>(null_probability_);
  lattice.flat = static_cast<float>(real * uniform_share_ / given);
  lattice.start_flat = start_by_jump_ ? lattice.flat : static_cast<float>(real / given);
  const auto jump_prior = [free = sentence.free_given](int d) {
    return free == 0 ? 1.0 : std::max(1e-3, triangular(d, free) * free);
  };
  for (int state = 0; state <= given; ++state) {
    const auto at = static_cast<std::size_t>(state);
    const std::size_t from = class_of(sentence, state);
    lattice.class_of_state[at] = from;
    auto& shape = lattice.by_class[from];
    if (shape.empty()) {
      shape.resize(2 * static_cast<std::size_t>(given) + 2);
      for (int d = -given; d <= given; ++d)
        shape[static_cast<std::size_t>(d + given)] = static_cast<float>(jump(d, from) * jump_prior(d));
    }
    const int origin = state == given ? -1 : state;  // the start lies before the first position
    lattice.shape[at] = shape.data() + given - origin;
    double total = 0;
    for (int i = 0; i < given; ++i) total += lattice.shape[at][i];
    const double share = state == given && !start_by_jump_ ? 0 : real * (1 - uniform_share_);
    lattice.scale[at] = total > 0 ? static_cast<float>(share / total) : 0;
  }
}

double HmmModel::expect(const Sentence& sentence, std::span<double> evidence) {
  const int given = sentence.given, generated = sentence.generated;
  const auto states = static_cast<std::size_t>(given) + 1;
  thread_local Lattice lattice;
  build(sentence, lattice);
  thread_local std::vector<float> alive, linked, future, reach;  // alive: by last real position, NULL or not
  alive.assign(static_cast<std::size_t>(generated + 1) * states, 0);
  linked.assign(static_cast<std::size_t>(generated) * static_cast<std::size_t>(given), 0);
  alive[static_cast<std::size_t>(given)] = 1;
  double loglik = 0;
  thread_local std::vector<float> norm;
  norm.resize(static_cast<std::size_t>(generated));
  for (int j = 0; j < generated; ++j) {
    const float* before = alive.data() + static_cast<std::size_t>(j) * states;
    float* after = alive.data() + static_cast<std::size_t>(j + 1) * states;
    float* link = linked.data() + static_cast<std::ptrdiff_t>(j) * given;
    float flat = 0;
    for (int state = 0; state <= given; ++state) {
      const float mass = before[state];
      if (mass == 0) continue;
      flat += mass * lattice.uniform(state);
      const float weight = mass * lattice.scale[static_cast<std::size_t>(state)];
      const float* shape = lattice.shape[static_cast<std::size_t>(state)];
      for (int i = 0; i < given; ++i) link[i] += weight * shape[i];
    }
    const float* emission = sentence.row(j);
    const float null = lattice.null * sentence.null_emission[j];
    double total = 0;
    for (int i = 0; i < given; ++i) {
      link[i] = (link[i] + flat) * emission[i];
      after[i] = link[i] + null * before[i];
      total += after[i];
    }
    after[given] = null * before[given];
    total += after[given];
    if (!(total > 0)) return -std::numeric_limits<double>::infinity();
    const auto inverse = static_cast<float>(1 / total);
    norm[static_cast<std::size_t>(j)] = inverse;
    for (int i = 0; i < given; ++i) link[i] *= inverse;
    for (int state = 0; state <= given; ++state) after[state] *= inverse;
    loglik += std::log(total);
  }

  // Backwards: future[s] is the probability of the rest after a state whose last real position is s.
  future.assign(states, 1);
  reach.resize(static_cast<std::size_t>(given));
  thread_local std::vector<std::vector<float>> moved;  // per class and distance: expected jumps without their weight
  moved.resize(class_count_);
  for (auto& row : moved) row.clear();
  for (int j = generated - 1; j >= 0; --j) {
    const float* before = alive.data() + static_cast<std::size_t>(j) * states;
    const float* link = linked.data() + static_cast<std::ptrdiff_t>(j) * given;
    const float* emission = sentence.row(j);
    const float inverse = norm[static_cast<std::size_t>(j)];
    const float null = lattice.null * sentence.null_emission[j] * inverse;
    float* posterior = sentence.posterior_row(j);
    float all = 0;
    for (int i = 0; i < given; ++i) {
      posterior[i] = link[i] * future[static_cast<std::size_t>(i)];
      reach[static_cast<std::size_t>(i)] = emission[i] * future[static_cast<std::size_t>(i)] * inverse;
      all += reach[static_cast<std::size_t>(i)];
    }
    float null_mass = 0;
    for (int state = 0; state <= given; ++state)
      null_mass += before[state] * null * future[static_cast<std::size_t>(state)];
    sentence.null_posterior[j] = null_mass;
    for (int state = 0; state <= given; ++state) {
      const auto at = static_cast<std::size_t>(state);
      const float* shape = lattice.shape[at];
      float sum = 0;
      for (int i = 0; i < given; ++i) sum += shape[i] * reach[static_cast<std::size_t>(i)];
      const float mass = before[state] * lattice.scale[at];
      if (mass != 0) {
        auto& row = moved[lattice.class_of_state[at]];
        if (row.empty()) row.assign(2 * static_cast<std::size_t>(given) + 2, 0);
        float* distance = row.data() + given - (state == given ? -1 : state);
        for (int i = 0; i < given; ++i) distance[i] += mass * reach[static_cast<std::size_t>(i)];
      }
      future[at] = sum * lattice.scale[at] + all * lattice.uniform(state) + null * future[at];
    }
  }
  for (std::size_t from = 0; from < class_count_; ++from) {
    if (moved[from].empty()) continue;
    for (int d = -given; d <= given; ++d)
      evidence[index(d, from)] += sentence.weight *
                                  static_cast<double>(moved[from][static_cast<std::size_t>(d + given)]) *
                                  lattice.by_class[from][static_cast<std::size_t>(d + given)];
  }
  return loglik;
}

void HmmModel::maximize(std::span<const double> evidence) {
  constexpr double kLeast = 1e-3;  // no jump is impossible
  for (std::size_t from = 0; from < class_count_; ++from) {
    double total = 0;
    for (std::size_t at = 0; at < width(); ++at) total += evidence[from * width() + at];
    if (!(total > 0)) continue;
    for (std::size_t at = 0; at < width(); ++at) jumps_[from * width() + at] = evidence[from * width() + at];
    // The shared parameter speaks for about as many distances as have one of their own.
    jumps_[from * width() + width() - 1] /= static_cast<double>(2 * max_jump_);
    const double least = kLeast * total / static_cast<double>(width());
    for (std::size_t at = 0; at < width(); ++at)
      jumps_[from * width() + at] = (jumps_[from * width() + at] + least) / total;
  }
}

void HmmModel::viterbi(const Sentence& sentence, std::span<int> links) const {
  const int given = sentence.given, generated = sentence.generated;
  const auto states = static_cast<std::size_t>(given) + 1;
  Lattice lattice;
  build(sentence, lattice);
  // best[s]: the best path whose last real position is s; from[j][s]: its last real position before j, and whether j
  // is linked to NULL (then the state does not change).
  std::vector<float> best(states, 0), next(states);
  std::vector<std::int32_t> from(static_cast<std::size_t>(generated) * states);
  best[static_cast<std::size_t>(given)] = 1;
  for (int j = 0; j < generated; ++j) {
    std::int32_t* back = from.data() + static_cast<std::size_t>(j) * states;
    const float* emission = sentence.row(j);
    const float null = lattice.null * sentence.null_emission[j];
    std::fill(next.begin(), next.end(), 0.0F);
    for (int state = 0; state <= given; ++state) {
      const float mass = best[static_cast<std::size_t>(state)];
      if (mass == 0) continue;
      const float scale = lattice.scale[static_cast<std::size_t>(state)], flat = lattice.uniform(state);
      const float* shape = lattice.shape[static_cast<std::size_t>(state)];
      for (int i = 0; i < given; ++i)
        if (const float value = mass * (scale * shape[i] + flat); value > next[static_cast<std::size_t>(i)]) {
          next[static_cast<std::size_t>(i)] = value;
          back[i] = state;
        }
    }
    float most = 0;
    for (int state = 0; state <= given; ++state) {
      const auto at = static_cast<std::size_t>(state);
      float value = state == given ? 0 : next[at] * emission[state];
      if (const float empty = best[at] * null; empty >= value) {
        value = empty;
        back[state] = kNoLink;
      }
      next[at] = value;
      most = std::max(most, value);
    }
    if (!(most > 0)) {  // contradictory priors: nothing is possible
      std::fill(links.begin(), links.end(), kNoLink);
      return;
    }
    for (float& value : next) value /= most;
    best.swap(next);
  }
  int state = static_cast<int>(std::max_element(best.begin(), best.end()) - best.begin());
  for (int j = generated - 1; j >= 0; --j) {
    const std::int32_t before = from[static_cast<std::size_t>(j) * states + static_cast<std::size_t>(state)];
    if (before == kNoLink) {
      links[static_cast<std::size_t>(j)] = kNoLink;
    } else {
      links[static_cast<std::size_t>(j)] = state;
      state = before;
    }
  }
}

std::vector<double> HmmModel::parameters() const {
  std::vector<double> values{
      null_probability_,          static_cast<double>(max_jump_),    uniform_share_,
      start_by_jump_ ? 1.0 : 0.0, static_cast<double>(class_count_), static_cast<double>(classes_.size())};
  values.insert(values.end(), classes_.begin(), classes_.end());
  values.insert(values.end(), jumps_.begin(), jumps_.end());
  return values;
}

void HmmModel::set_parameters(std::span<const double> values) {
  require_parameters(values.size() >= 6);
  require_parameters(values[0] >= 0 && values[0] < 1 && values[1] >= 1 && values[1] <= 10000);
  require_parameters(values[2] >= 0 && values[2] <= 1 && values[4] >= 2 && values[4] <= 10002);
  require_parameters(values[5] >= 0 && values[5] <= static_cast<double>(values.size()));
  null_probability_ = values[0];
  max_jump_ = static_cast<int>(values[1]);
  uniform_share_ = values[2];
  start_by_jump_ = values[3] != 0;
  class_count_ = static_cast<std::size_t>(values[4]);
  const auto words = static_cast<std::size_t>(values[5]);
  require_parameters(values.size() == 6 + words + class_count_ * width());
  classes_.clear();
  for (const double value : values.subspan(6, words)) {
    require_parameters(value >= 0 && value + 1 < static_cast<double>(class_count_));
    classes_.push_back(static_cast<std::int32_t>(value));
  }
  jumps_.assign(values.begin() + static_cast<std::ptrdiff_t>(6 + words), values.end());
  for (const double value : jumps_) require_parameters(std::isfinite(value) && value >= 0);
}

}  // namespace dragoman::align
