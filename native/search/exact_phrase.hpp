#pragma once
// Exact phrase-based decoding of one sentence: the best derivation with its proof, or samples. What the decoder's
// search knows of a sentence, options and features, is all that is needed; language models are replaced by bounds.
#include <chrono>
#include <exception>
#include <functional>
#include <span>
#include <string>
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
              Extender& extender, Replay& replay, std::span<const BoundedModel> models);

  // `search` finds a derivation, if it can, by its options; it is asked to begin with, and where the space does not fit
  // into the limits. Gives the best that was met, or none.
  using Search = std::function<std::vector<std::uint32_t>()>;
  std::vector<std::uint32_t> optimize(const ExactSettings& settings, const Search& search, Clock::time_point begin,
                                      Proof& proof);
  // Derivations are numbered in the order in which they were drawn first; their options come one by one.
  std::vector<std::vector<std::uint32_t>> sample(const SampleSettings& settings, std::uint64_t item,
                                                 Clock::time_point begin, Sampled& found);

 private:
  // What may be used while a space is made, and what ran out.
  struct Limits {
    std::uint64_t memory;
    double seconds;  // 0: any number
    Clock::time_point begin;
    std::uint64_t held = 0;  // bytes that are in use beside it
    ExactStop stop = ExactStop::kProved;
    std::uint32_t calls = 0;

    // Whether there is room for a space as it is by now, and for a proposal over it.
    bool allow(const PhraseSpace& space);
  };

  template <typename Exact>
  bool build(PhraseSpace& space, Exact& exact, Limits& limits) const;
  // What the features beyond language models can score at most, option by option.
  void find_most();
  // The space of coverage alone, with that.
  bool build_relaxed(PhraseSpace& space, Limits& limits);
  // The space with their states, as far as the proposal of a relaxed one has not ruled it out.
  bool with_states(const PhraseSpace& relaxed, const PhraseProposal& proposal, double below, Limits& limits,
                   PhraseSpace& space);
  // What no derivation exceeds, whatever the order of its phrases.
  double loosest_bound();
  void write_contexts(const PhraseSpace& space, const PhraseProposal& proposal, PhraseCertificate& certificate) const;
  void write_certificate(std::span<const std::uint32_t> best, PhraseCertificate& certificate);

  const features::DistortionSettings& distortion_;
  double distortion_weight_;
  const Sentence& sentence_;
  Extender& extender_;
  Replay& replay_;
  BoundedContexts contexts_;
  std::vector<std::uint32_t> phrase_of_;  // per option
  std::vector<double> most_;              // per option of the chart: the most that other features can score, not last
  std::vector<double> most_at_last_;      // the same for one that completes the sentence
  double most_at_end_ = 0;
  std::vector<PhraseCertificate::Feature> automata_;  // of features with states
  std::string too_large_;                             // the one whose automaton is too large to be written down
};

}  // namespace dragoman::search
