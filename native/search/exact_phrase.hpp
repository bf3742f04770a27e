#pragma once
// Exact phrase-based decoding of one sentence: the best derivation with its proof, or samples. What the decoder's search
// knows of a sentence, options and features, is all that is needed; language models are replaced by bounds.
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
  // A sentence whose options were found already. Throws InputError if it has more steps than fit into `memory`.
  ExactPhrase(const features::DistortionSettings& distortion, double distortion_weight, const Sentence& sentence,
              Extender& extender, Replay& replay, std::span<const BoundedModel> models, std::uint64_t memory);

  // `seed` is a derivation that is known already, if any, by its options. Gives the best that was met, or none.
  std::vector<std::uint32_t> optimize(const ExactSettings& settings, std::span<const std::uint32_t> seed,
                                      Clock::time_point begin, Proof& proof);
  // Derivations are numbered in the order in which they were drawn first; their options come one by one.
  std::vector<std::vector<std::uint32_t>> sample(const SampleSettings& settings, std::uint64_t item,
                                                 Clock::time_point begin, Sampled& found);

 private:
  void write_certificate(const PhraseProposal& proposal, std::span<const std::uint32_t> best,
                         PhraseCertificate& certificate) const;

  const Sentence& sentence_;
  Replay& replay_;
  std::size_t states_;
  BoundedContexts contexts_;
  std::vector<std::uint32_t> phrase_of_;  // per option
  PhraseSpace space_;
};

}  // namespace dragoman::search
