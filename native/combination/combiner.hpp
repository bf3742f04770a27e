#pragma once
// Multi-engine machine translation: a sentence is put together from the outputs of several systems, word by word
// (Heafield and Lavie 2010). Each system has a frontier, its first word that is not used yet; a hypothesis is extended
// by the word at some frontier, which uses up the words that correspond to it in all systems. A horizon drops words
// that lag too far behind. What is good is decided by a language model and by how long the hypothesis runs along with
// each system.
#include <memory>
#include <string>
#include <vector>

#include "combination/outputs.hpp"
#include "features/feature.hpp"
#include "forest/forest.hpp"
#include "lm/model.hpp"

namespace dragoman::combination {

using features::FeatureId;
using features::FeatureVector;

// Runs along a system are counted over links of some kinds: a feature for each system and each length up to
// `per_system`, and one over all systems for each length above that, up to `collective`.
struct MatchSet {
  KindSet kinds = 0;
  int per_system = 2;
  int collective = 0;
  [[nodiscard]] int longest() const noexcept { return std::max(per_system, collective); }
};

enum class Horizon : std::uint8_t { length, alignment };

struct CombinerSettings {
  int systems = 0;
  std::vector<MatchSet> matches;
  Horizon horizon = Horizon::length;
  int radius = 7;
  double stay_threshold = 0.8;  // share of systems that must still see a word; of the alignment horizon
  std::size_t beam = 500;       // hypotheses kept for each length
};

// Ids of features: 1 `lm`, 2 `length`, 3 `oov`, then for each match set the lengths of each system, then the collective
// lengths.
class FeatureLayout {
 public:
  static constexpr FeatureId kLanguageModel = 1, kLength = 2, kUnknown = 3;
  explicit FeatureLayout(const CombinerSettings& settings);
  [[nodiscard]] FeatureId match(std::size_t set, int system, int length) const noexcept {
    return starts_[set] + static_cast<FeatureId>(system * per_system_[set] + length - 1);
  }
  [[nodiscard]] FeatureId collective(std::size_t set, int length) const noexcept {
    return starts_[set] + static_cast<FeatureId>(systems_ * per_system_[set] + length - per_system_[set] - 1);
  }
  [[nodiscard]] FeatureId size() const noexcept { return size_; }  // ids are below this

 private:
  int systems_;
  std::vector<FeatureId> starts_;
  std::vector<int> per_system_;
  FeatureId size_ = 4;
};

struct CombinerStatistics {
  std::uint64_t built = 0, recombined = 0, pruned = 0, kept = 0, language_model_queries = 0;
};

struct Combined {
  forest::Forest forest;  // empty if there is no way through
  std::shared_ptr<Vocabulary> words;
  CombinerStatistics statistics;
  double seconds = 0;
};

class Combiner {
 public:
  // Without a language model its features are 0. Throws SettingError.
  Combiner(CombinerSettings settings, std::shared_ptr<const lm::Model> language_model);

  [[nodiscard]] const CombinerSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const FeatureLayout& layout() const noexcept { return layout_; }
  // `weights` by feature id. Throws InputError if the number of systems is another.
  [[nodiscard]] Combined combine(const Outputs& outputs, std::span<const double> weights) const;

 private:
  CombinerSettings settings_;
  FeatureLayout layout_;
  std::shared_ptr<const lm::Model> language_model_;
};

}  // namespace dragoman::combination
