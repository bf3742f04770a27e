#pragma once
// Exact phrase-based decoding of one sentence: the best derivation with its proof, or samples. What the decoder's
// search knows of a sentence, options and features, is all that is needed; language models are replaced by bounds.
#include <chrono>
#include <span>
#include <vector>

#include "search/bounded_contexts.hpp"
#include "search/decoded.hpp"
#include "search/os_star.hpp"
#include "search/phrase_proposal.hpp"
#include "search/phrase_space.hpp"
#include "search/replay.hpp"

namespace dragoman::search {

using Clock = std::chrono::steady_clock;

// Samples of a sentence: the derivations that were met, and which of them each draw was.
struct Sampled {
  std::vector<Decoded> derivations;
  std::vector<std::uint32_t> draws;
  SampleRun run;
  std::exception_ptr error;
};

class ExactPhrase {
 public:
  using Context = BoundedContexts::Context;

  // A sentence whose options were found already.
  ExactPhrase(const features::DistortionSettings& distortion, double distortion_weight, const Sentence& sentence,
              Extender& extender, Replay& replay, std::span<const BoundedModel> models, std::uint64_t memory);

  // `seed` is a derivation that is known already, if any, by its options. Gives the best that was met, or none.
  std::vector<std::uint32_t> optimize(const ExactSettings& settings, std::span<const std::uint32_t> seed,
                                      Clock::time_point begin, Proof& proof);
  // Derivations are numbered in the order in which they were drawn first; their options come one by one.
  std::vector<std::vector<std::uint32_t>> sample(const SampleSettings& settings, std::uint64_t item,
                                                 Clock::time_point begin, Sampled& found);

 private:
  // Throws InputError if there are more steps than fit into memory.
  template <typename Exact>
  void build(PhraseSpace& space, Exact& exact) const;
  // What the features beyond language models can score at most, option by option, as a space of coverage alone.
  void build_relaxed(PhraseSpace& space);
  // The space with their states, as far as the proposal of a relaxed one has not ruled it out.
  PhraseSpace with_states(const PhraseSpace& relaxed, const PhraseProposal& proposal, double below);
  void write_certificate(const PhraseSpace& space, const PhraseProposal& proposal, std::span<const std::uint32_t> best,
                         PhraseCertificate& certificate) const;

  const features::DistortionSettings& distortion_;
  double distortion_weight_;
  const Sentence& sentence_;
  Extender& extender_;
  Replay& replay_;
  std::uint64_t memory_;
  BoundedContexts contexts_;
  std::vector<std::uint32_t> phrase_of_;  // per option
  std::vector<double> most_;              // per option of the chart: the most that other features can score, not last
  std::vector<double> most_at_last_;      // the same for one that completes the sentence
  double most_at_end_ = 0;
};

}  // namespace dragoman::search
