#pragma once
// The averaged perceptron over hashed features, the one learner of this room: features are 64-bit hashes of what was
// seen (no vocabulary is kept; two that collided would share their weights), a label has a weight only where an update
// put one, and the weights that predict are the mean over all updates (Freund and Schapire 1999; Collins 2002).
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/hash.hpp"

namespace dragoman::annotations {

using Feature = std::uint64_t;
using Label = std::uint16_t;

// The hash of a template and what fills it.
template <typename... Atoms>
[[nodiscard]] constexpr Feature feature(std::uint64_t shape, Atoms... atoms) noexcept {
  std::uint64_t state = shape + 1;
  ((state = combine(state, static_cast<std::uint64_t>(atoms))), ...);
  return state;
}

// Where the entry of a feature lies: open addressing over indices.
class FeatureIndex {
 public:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  explicit FeatureIndex(std::size_t expected = 0);
  [[nodiscard]] std::uint32_t find(Feature key) const noexcept {
    for (std::size_t at = key & mask_;; at = (at + 1) & mask_) {
      if (slots_[at].entry == kAbsent || slots_[at].key == key) return slots_[at].entry;
    }
  }
  void prefetch(Feature key) const noexcept { __builtin_prefetch(&slots_[key & mask_]); }
  // The entry of the key, or a new one, numbered from 0.
  std::uint32_t insert(Feature key);
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::vector<Feature> keys() const;

 private:
  struct Slot {
    Feature key = 0;
    std::uint32_t entry = kAbsent;
  };
  std::vector<Slot> slots_;
  std::size_t mask_ = 0, size_ = 0;
};

// Calls use(entry) for each feature that has one. Tables are larger than caches, so memory is asked for ahead of its
// use: first for the slots of all features, then for what `fetch(entry)` touches.
template <typename Fetch, typename Use>
void for_each_entry(const FeatureIndex& index, std::span<const Feature> features, const Fetch& fetch, const Use& use) {
  constexpr std::size_t kTogether = 64;
  std::array<std::uint32_t, kTogether> found;
  for (std::size_t from = 0; from < features.size(); from += kTogether) {
    const auto some = features.subspan(from, std::min(kTogether, features.size() - from));
    for (const Feature key : some) index.prefetch(key);
    std::size_t count = 0;
    for (const Feature key : some) {
      const std::uint32_t entry = index.find(key);
      if (entry == FeatureIndex::kAbsent) continue;
      fetch(entry);
      found[count++] = entry;
    }
    for (std::size_t at = 0; at < count; ++at) use(found[at]);
  }
}

// Weights that no longer change: for each feature, labels and their weights.
class Weights {
 public:
  struct Arrays {
    std::vector<Feature> keys;
    std::vector<std::uint32_t> ends;  // of each feature's labels
    std::vector<Label> labels;
    std::vector<float> values;
  };

  Weights() = default;
  explicit Weights(const Arrays& arrays, std::size_t labels);  // throws InputError unless they fit together

  void add(std::span<const Feature> features, std::span<float> scores) const noexcept {
    for_each_entry(
        index_, features, [this](std::uint32_t entry) { __builtin_prefetch(&begins_[entry]); },
        [&](std::uint32_t entry) {
          for (std::uint32_t at = begins_[entry]; at < begins_[entry + 1]; ++at) {
            scores[cells_[at].label] += cells_[at].value;
          }
        });
  }
  [[nodiscard]] Arrays arrays() const;

 private:
  struct Cell {
    float value;
    Label label;
  };
  FeatureIndex index_;
  std::vector<std::uint32_t> begins_{0};
  std::vector<Cell> cells_;
};

// Weights that learn. The labels of a feature lie side by side; a feature that outgrows its place moves to a larger
// one.
class Learner {
 public:
  void add(std::span<const Feature> features, std::span<float> scores) const noexcept {
    for_each_entry(
        index_, features, [this](std::uint32_t entry) { __builtin_prefetch(&places_[entry]); },
        [&](std::uint32_t entry) {
          const Place& place = places_[entry];
          for (std::uint32_t at = place.begin; at < place.begin + place.size; ++at) {
            scores[cells_[at].label] += cells_[at].value;
          }
        });
  }
  void update(std::span<const Feature> features, Label label, float change);
  void step() noexcept { ++steps_; }  // one item was seen; call before its updates
  // Means over all steps; those nearer to zero than `least` are left out.
  [[nodiscard]] Weights::Arrays averaged(double least) const;

 private:
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t size = 0, room = 0;
  };
  struct Cell {
    float value;
    Label label;
  };
  struct Past {
    double total;           // of the value over the steps before
    std::uint32_t changed;  // this one
  };
  [[nodiscard]] std::uint32_t cell(Feature key, Label label);

  FeatureIndex index_;
  std::vector<Place> places_;
  std::vector<Cell> cells_;
  std::vector<Past> pasts_;
  std::uint32_t steps_ = 0;
};

// The label with the highest score, the lowest of equals.
[[nodiscard]] inline Label best_label(std::span<const float> scores) noexcept {
  std::size_t best = 0;
  for (std::size_t at = 1; at < scores.size(); ++at) {
    if (scores[at] > scores[best]) best = at;
  }
  return static_cast<Label>(best);
}

// A shuffled order of [0, size), the same for the same seed and pass.
[[nodiscard]] std::vector<std::uint32_t> shuffled(std::size_t size, std::uint64_t seed, std::uint64_t pass);

}  // namespace dragoman::annotations
