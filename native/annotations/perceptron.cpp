#include "annotations/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.hpp"
#include "common/random.hpp"

namespace dragoman::annotations {

FeatureIndex::FeatureIndex(std::size_t expected) {
  std::size_t capacity = 16;
  while (capacity < 2 * expected) capacity *= 2;
  slots_.resize(capacity);
  mask_ = capacity - 1;
}

std::uint32_t FeatureIndex::insert(Feature key) {
  if (2 * (size_ + 1) > slots_.size()) {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.entry == kAbsent) continue;
      std::size_t at = slot.key & mask_;
      while (slots_[at].entry != kAbsent) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }
  std::size_t at = key & mask_;
  while (slots_[at].entry != kAbsent) {
    if (slots_[at].key == key) return slots_[at].entry;
    at = (at + 1) & mask_;
  }
  slots_[at] = {key, static_cast<std::uint32_t>(size_)};
  return static_cast<std::uint32_t>(size_++);
}

std::vector<Feature> FeatureIndex::keys() const {
  std::vector<Feature> found(size_);
  for (const Slot& slot : slots_) {
    if (slot.entry != kAbsent) found[slot.entry] = slot.key;
  }
  return found;
}

Weights::Weights(const Arrays& arrays, std::size_t labels) : index_(arrays.keys.size()) {
  const char* const remedy = "copy or train the model again";
  if (arrays.ends.size() != arrays.keys.size() || arrays.labels.size() != arrays.values.size() ||
      (arrays.ends.empty() ? 0 : arrays.ends.back()) != arrays.labels.size() ||
      !std::is_sorted(arrays.ends.begin(), arrays.ends.end())) {
    throw InputError("weights whose parts do not fit together", "", remedy);
  }
  for (const Label label : arrays.labels) {
    if (label >= labels) throw InputError("a weight for a label that the model does not have", "", remedy);
  }
  for (std::size_t at = 0; at < arrays.keys.size(); ++at) {
    if (index_.insert(arrays.keys[at]) != at) throw InputError("weights that name a feature twice", "", remedy);
  }
  begins_.insert(begins_.end(), arrays.ends.begin(), arrays.ends.end());
  cells_.reserve(arrays.values.size());
  for (std::size_t at = 0; at < arrays.values.size(); ++at) cells_.push_back({arrays.values[at], arrays.labels[at]});
}

Weights::Arrays Weights::arrays() const {
  Arrays out;
  out.keys = index_.keys();
  out.ends.assign(begins_.begin() + 1, begins_.end());
  for (const Cell& cell : cells_) {
    out.labels.push_back(cell.label);
    out.values.push_back(cell.value);
  }
  return out;
}

std::uint32_t Learner::cell(Feature key, Label label) {
  const std::uint32_t entry = index_.insert(key);
  if (entry == places_.size()) places_.emplace_back();
  Place& place = places_[entry];
  for (std::uint32_t at = place.begin; at < place.begin + place.size; ++at) {
    if (cells_[at].label == label) return at;
  }
  if (place.size == place.room) {
    const auto begin = static_cast<std::uint32_t>(cells_.size());
    place.room = std::max(1u, 2 * place.room);
    cells_.resize(begin + place.room);
    pasts_.resize(begin + place.room);
    std::copy_n(cells_.begin() + place.begin, place.size, cells_.begin() + begin);
    std::copy_n(pasts_.begin() + place.begin, place.size, pasts_.begin() + begin);
    place.begin = begin;
  }
  const std::uint32_t at = place.begin + place.size++;
  cells_[at] = {0, label};
  pasts_[at] = {0, steps_};
  return at;
}

void Learner::update(std::span<const Feature> features, Label label, float change) {
  for (const Feature key : features) {
    const std::uint32_t at = cell(key, label);
    pasts_[at].total += static_cast<double>(cells_[at].value) * (steps_ - pasts_[at].changed);
    pasts_[at].changed = steps_;
    cells_[at].value += change;
  }
}

Weights::Arrays Learner::averaged(double least) const {
  Weights::Arrays out;
  const std::vector<Feature> keys = index_.keys();
  const double steps = std::max<double>(1, steps_);
  std::vector<std::pair<Label, float>> kept;
  for (std::size_t entry = 0; entry < keys.size(); ++entry) {
    kept.clear();
    const Place& place = places_[entry];
    for (std::uint32_t at = place.begin; at < place.begin + place.size; ++at) {
      const double since = steps_ - pasts_[at].changed + 1;
      const double mean = (pasts_[at].total + static_cast<double>(cells_[at].value) * since) / steps;
      if (mean != 0 && std::abs(mean) >= least) kept.emplace_back(cells_[at].label, static_cast<float>(mean));
    }
    if (kept.empty()) continue;
    std::sort(kept.begin(), kept.end());
    out.keys.push_back(keys[entry]);
    for (const auto& [label, value] : kept) {
      out.labels.push_back(label);
      out.values.push_back(value);
    }
    out.ends.push_back(static_cast<std::uint32_t>(out.labels.size()));
  }
  return out;
}

std::vector<std::uint32_t> shuffled(std::size_t size, std::uint64_t seed, std::uint64_t pass) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(seed, pass);
  for (std::size_t at = size; at > 1; --at)
    std::swap(order[at - 1], order[random.below(static_cast<std::uint32_t>(at))]);
  return order;
}

}  // namespace dragoman::annotations
