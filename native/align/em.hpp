#pragma once
// Expectation-maximisation over both directions at once. One pass over the sentence pairs computes both posteriors,
// applies what is known in advance (anchors, a prior over word pairs) and, on request, multiplies the two so that the
// directions learn to agree (Liang, Taskar and Klein 2006).
#include <array>
#include <atomic>
#include <memory>
#include <string_view>

#include "align/model.hpp"

namespace dragoman::align {

struct EmSettings {
  double alpha = 0;  // Dirichlet parameter of variational Bayes for the lexicons; 0: maximum likelihood
  bool agreement = false;
  PriorForm prior = PriorForm::posterior;
  bool jump_prior = false;
  std::size_t cell_budget = std::size_t{1} << 29;  // cells whose slots are remembered: 4 bytes each
};

// What an expectation step found in a part of the text: counts of each table of each direction, evidence and
// log-likelihoods of each shard, in the order of the shards.
struct Expected {
  std::array<std::vector<SparseCounts>, 2> counts;
  std::array<std::vector<double>, 2> evidence;
  std::vector<double> logliks;  // forward and reverse of each shard
  std::size_t ignored = 0;
};

// What an expectation step needs to know beside the text.
struct TrainerState {
  std::array<std::vector<float>, 2> probability, null;
  std::array<std::vector<double>, 2> position;
};

class Trainer {
 public:
  // `base` is a model to go on from: its lexicons become counts that new text is added to.
  // `weights`: what each sentence pair counts; none: one each.
  Trainer(std::shared_ptr<const Bitext> bitext, Anchors anchors, std::vector<float> weights, const EmSettings& settings,
          const Model* base, double base_weight, int threads, const StopCallback& stop);

  // Begins a stage with another position model; lexicons are kept.
  void begin(std::string_view kind, const PositionSettings& forward, const PositionSettings& reverse);
  // One iteration; log-likelihoods of both directions before it.
  std::array<double, 2> iterate(int threads, const StopCallback& stop);
  // The same apart: shards from `first` to before `last` of an expectation step, by a trainer that was made alike, has
  // begun the same stage and has the state of the one that `maximize`s the sum of all parts.
  [[nodiscard]] std::size_t shards() const noexcept;
  [[nodiscard]] Expected expect_apart(std::size_t first, std::size_t last, int threads, const StopCallback& stop);
  std::array<double, 2> maximize(const Expected& whole, int threads);
  [[nodiscard]] TrainerState state() const;
  void set_state(TrainerState state);
  // A prior over word pairs in both directions, by slot (Okita et al. 2010, second model); see `dense_prior`.
  void set_dense_prior(bool exchanged);
  [[nodiscard]] double prior_of(WordId source, WordId target, bool forward) const;  // 0 without such a prior
  [[nodiscard]] std::size_t ignored_anchors() const noexcept { return ignored_; }
  [[nodiscard]] std::size_t word_pairs() const noexcept { return model_.pairs.size(); }
  [[nodiscard]] std::size_t cells() const noexcept { return cells_->total(); }
  [[nodiscard]] double probability(WordId source, WordId target, bool forward) const;
  // The trained model, cut at the floor.
  [[nodiscard]] Model finish();

 private:
  void expect(std::size_t k, Workspace& work, std::vector<Slot>& scratch, std::span<double> forward,
              std::span<double> reverse, std::array<double, 2>& loglik);
  void count(std::span<const Slot> slots, Workspace& work);
  [[nodiscard]] std::vector<FixedCounts*> tables(std::size_t direction);
  // Clears all counts and fills them from these shards; evidence and log-likelihoods of each, one after the other.
  void expect_shards(std::size_t first, std::size_t last, std::array<std::vector<double>, 2>& evidence,
                     std::vector<double>& logliks, int threads, const StopCallback& stop);
  std::array<double, 2> maximize_counts(const std::array<std::vector<double>, 2>& evidence,
                                        std::span<const double> logliks, int threads);

  std::shared_ptr<const Bitext> bitext_;
  Anchors anchors_;
  std::vector<float> weights_;
  EmSettings settings_;
  Model model_;
  std::unique_ptr<Cells> cells_;
  std::array<LexicalCounts, 2> counts_;
  std::array<LexicalBackground, 2> background_;
  std::vector<std::vector<float>> slot_priors_;
  std::atomic<std::size_t> ignored_{0};
};

}  // namespace dragoman::align
