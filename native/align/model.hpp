#pragma once
// A trained aligner: the lexicons of both directions over one index of word pairs, and a position model for each
// direction. Immutable once trained, hence shared by all threads; aligning is a function of the model and the sentence
// pair alone, so the same pair always gets the same links.
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "align/anchors.hpp"
#include "align/lexicon.hpp"
#include "align/memory.hpp"
#include "align/position.hpp"

namespace dragoman::align {

struct Direction {
  Lexicon lexicon;
  std::shared_ptr<PositionModel> position;
};

// What both directions say of each cell, source by target, pair after pair.
struct LinkPosteriors {
  std::vector<float> forward, reverse;
  std::vector<std::int64_t> ends;
  std::vector<double> forward_logprob, reverse_logprob;  // of each sentence, given the other
};

// Which links are likely enough: by the mean of their posteriors in both directions, or by their geometric mean.
struct Threshold {
  double least = 0.5;
  bool product = false;
  // A link must also touch the most probable one of its row and of its column, directly or through links between them.
  bool competitive = false;
};

struct TwoAlignments {
  Alignments forward, reverse;
};

struct Model {
  PairIndex pairs;
  std::array<Direction, 2> directions;  // forward: source given, target generated; then reverse
  LinkMemory memory;                    // sampled models only

  [[nodiscard]] TwoAlignments viterbi(const Bitext& bitext, const Anchors& anchors, int threads,
                                      const StopCallback& stop) const;
  [[nodiscard]] LinkPosteriors posteriors(const Bitext& bitext, const Anchors& anchors, int threads,
                                          const StopCallback& stop) const;
  [[nodiscard]] Alignments likely(const Bitext& bitext, const Anchors& anchors, const Threshold& threshold, int threads,
                                  const StopCallback& stop) const;
  // Drops the pairs that the floor stands for anyway. Alignments do not change.
  void compact();
  void save(const std::filesystem::path& path) const;
  static Model load(const std::filesystem::path& path);

 private:
  // What memory holds of pair k, unless its anchors say otherwise.
  [[nodiscard]] std::optional<std::span<const LinkMemory::Entry>> recollect(const Bitext& bitext, std::size_t k,
                                                                            const PairAnchors& anchors) const;
  // Posteriors of pair k in both directions, from memory if it is there; log-probabilities of both.
  std::array<double, 2> judge(const Bitext& bitext, std::size_t k, const PairAnchors& anchors, class Workspace& work,
                              std::vector<Slot>& slots, std::array<std::vector<double>, 2>& evidence) const;
  [[nodiscard]] std::array<std::vector<double>, 2> evidence() const;
};

// One direction of a sentence pair, with its buffers.
struct WorkspaceHalf {
  Sentence sentence;
  std::vector<float> emission, null_emission, plain, plain_null, prior, null_prior, posterior, null_posterior;
  std::vector<int> links;
  int relaxed = 0;  // words that anchors left no choice, which therefore go without them
};

// Buffers for both directions of one sentence pair, filled from a model and the slots of the pair.
class Workspace {
 public:
  // Emissions of pair k. Anchors are multiplied in when their form renormalises; otherwise `prior` keeps them. A word
  // to which anchors leave no link, and which must have one, has the emissions it would have without them.
  void load(const Bitext& bitext, std::size_t k, std::span<const Slot> slots, const Model& model,
            const PairAnchors& anchors, PriorForm form, std::span<const std::vector<float>> slot_priors,
            bool jump_prior);
  // Emissions without anchors, for when they contradict each other.
  void forget_anchors();
  // Posteriors that a sampler left, instead of a position model's.
  void recall(std::span<const LinkMemory::Entry> entries);
  // The most probable link of each generated word, unless NULL is more probable.
  static void decide(WorkspaceHalf& half);
  void search(const Bitext& bitext, std::size_t k, const PairIndex& pairs, std::vector<Slot>& slots) const;

  using Half = WorkspaceHalf;
  std::array<Half, 2> halves;
};

}  // namespace dragoman::align
