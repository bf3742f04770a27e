#pragma once
// OS*: exact optimisation by an upper bound that is refined where it was too high (Dymetman, Bouchard and Carter 2012;
// Aziz, Dymetman and Venkatapathy 2013; Aziz, Dymetman and Specia 2014). A proposal g lies above the score f of every
// derivation; its best derivation d is easy to find. If f(d) = g(d), no derivation scores higher than d; else g is made
// tighter around d. What g promises at most and the best f met so far enclose the optimum at any time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/random.hpp"

namespace dragoman::search {

struct ExactSettings {
  double epsilon = 1e-3;    // how far the answer may lie below the optimum
  double time_limit = 600;  // seconds per sentence; 0: none
  std::uint64_t iterations = 100000;
  std::uint64_t patience = 0;         // iterations without a better derivation; 0: any number
  std::uint64_t memory = 4ull << 30;  // bytes per sentence, about
  std::uint32_t prune_every = 10;     // iterations; 0: keep what cannot win any more
  bool seed = true;                   // begin with what the decoder's own search finds
  bool start_known = true;            // the beginning of the sentence is a known context from the start
  std::uint32_t words = 1;            // by which a context of a place grows at a time
  std::uint32_t contexts = 0;         // of forests: registered at a time; 0: all that a derivation lacks
  bool in_rule = true;                // of forests: words know those before them in their rule from the start
};

enum class ExactStatus : std::uint8_t { kOptimal, kBounded };
// `kStalled`: nothing better was met for as long as patience lasts. `kExhausted`: all is known of the best derivation
// but what the proposal cannot express.
enum class ExactStop : std::uint8_t { kProved, kTime, kIterations, kStalled, kMemory, kExhausted };

struct ExactIteration {
  double bound;  // what the proposal promises at most
  double score;  // of the derivation that promised it
  double best;   // so far
  std::uint64_t nodes, edges, refined;
  double seconds;
};

struct ExactRun {
  ExactStatus status = ExactStatus::kBounded;
  ExactStop stop = ExactStop::kProved;
  double bound = std::numeric_limits<double>::infinity();
  double best = -std::numeric_limits<double>::infinity();
  std::uint64_t unchanged = 0;  // iterations since the best was met
  std::vector<ExactIteration> trace;
};

// What scores less than this cannot be better, whatever is lost in rounding.
[[nodiscard]] inline double safely_below(double score) noexcept { return score - 1e-9 * (1 + std::abs(score)); }

// `Proposal`:
//   bool maximum(double& bound, double& score);   the best derivation under g, and its f; false if none is left
//   void keep();                                  that derivation is the best so far
//   std::uint64_t refine();                       tighter around it; how many contexts were added
//   void prune(double below);                     drop what g itself puts below a score
//   bool is_exact() const;                        whether g = f where nothing more can be refined
//   std::uint64_t nodes() const, edges() const, bytes() const;
// A run goes on from what is known: its best score, of a derivation that was found otherwise, and its bound.
template <typename Proposal>
void optimize(Proposal& proposal, const ExactSettings& settings, std::chrono::steady_clock::time_point begin,
              ExactRun& run) {
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const auto prune = [&] {
    if (settings.prune_every > 0 && run.best > -std::numeric_limits<double>::infinity())
      proposal.prune(safely_below(run.best));
  };
  prune();
  for (std::uint64_t iteration = run.trace.size();; ++iteration) {
    if (proposal.bytes() > settings.memory) prune();  // before a derivation is found, which it would lose
    double bound, score;
    if (!proposal.maximum(bound, score)) bound = score = run.best;  // nothing is left that could be better
    ++run.unchanged;
    if (score > run.best) {
      run.best = score;
      run.unchanged = 0;
      proposal.keep();
    }
    run.bound = std::min(run.bound, std::max(bound, run.best));
    run.trace.push_back({run.bound, score, run.best, proposal.nodes(), proposal.edges(), 0, seconds()});
    if (run.bound - run.best <= settings.epsilon) {
      run.status = ExactStatus::kOptimal;
      run.stop = ExactStop::kProved;
      return;
    }
    if (settings.time_limit > 0 && seconds() > settings.time_limit) {
      run.stop = ExactStop::kTime;
      return;
    }
    if (iteration >= settings.iterations) {
      run.stop = ExactStop::kIterations;
      return;
    }
    if (settings.patience > 0 && run.unchanged >= settings.patience) {
      run.stop = ExactStop::kStalled;
      return;
    }
    if (proposal.bytes() > settings.memory) {
      run.stop = ExactStop::kMemory;
      return;
    }
    run.trace.back().refined = proposal.refine();
    if (run.trace.back().refined == 0) {  // all is known of this derivation: what remains is rounding
      if (proposal.is_exact())
        run.status = ExactStatus::kOptimal;
      else
        run.stop = ExactStop::kExhausted;
      return;
    }
    if (settings.prune_every > 0 && (iteration + 1) % settings.prune_every == 0) prune();
  }
}

struct SampleSettings {
  std::uint64_t samples = 100;  // wanted
  double scale = 1;             // of scores: 1 / temperature
  double acceptance = 0.05;     // share of draws to be accepted before refinement ends
  std::uint32_t batch = 500;    // draws between refinements
  std::uint32_t refine = 10;    // after a batch: rejected derivations to refine, or contexts of a forest to register
  bool in_rule = true;          // as of ExactSettings
  double time_limit = 600;      // seconds per sentence; 0: none
  std::uint64_t memory = 4ull << 30;
  std::uint64_t seed = 1;
};

struct SampleRound {
  double log_norm;  // of the proposal: log of the sum of exp(scale * g)
  std::uint64_t drawn, accepted;
  double mean_ratio;  // of exp(scale * (f - g)), over all draws
  std::uint64_t nodes, edges, refined;
  double seconds;
};

struct SampleRun {
  std::vector<SampleRound> rounds;
  bool reached = false;      // the acceptance that was asked for
  double log_partition = 0;  // estimate of the log of the sum of exp(scale * f), without bias before the logarithm
};

// Exact samples by rejection: draws from the proposal are kept with probability exp(scale * (f - g)), so that those
// kept are independent and distributed as exp(scale * f). What is refined, and when refinement ends, follows from
// rejected draws and from how many were accepted, never from accepted values, hence samples of all rounds may be
// pooled. `Proposal`:
//   double inside(double scale);                             log of the sum; called after every change
//   void draw(RandomStream&, double& bound, double& score);  a derivation in proportion to exp(scale * g), with g and f
//   void keep();                                             it is a sample
//   void reject(double loss);                                it is not; `loss` is g - f
//   std::uint64_t refine(std::uint32_t most);                around what was rejected since the last call
//   std::uint64_t nodes() const, edges() const, bytes() const;
template <typename Proposal>
SampleRun sample(Proposal& proposal, const SampleSettings& settings, RandomStream& random,
                 std::chrono::steady_clock::time_point begin) {
  constexpr std::size_t kWindow = 100;  // draws by which acceptance is judged, at least
  SampleRun run;
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  std::uint64_t kept = 0;
  bool refining = true;
  double log_norm = proposal.inside(settings.scale);
  std::vector<bool> accepted;  // of all draws, for the share of the last ones
  while (kept < settings.samples) {
    SampleRound round{log_norm, 0, 0, 0, proposal.nodes(), proposal.edges(), 0, 0};
    for (; round.drawn < settings.batch; ++round.drawn) {
      double bound, score;
      proposal.draw(random, bound, score);
      const double ratio = std::exp(std::min(0.0, settings.scale * (score - bound)));
      round.mean_ratio += ratio;
      accepted.push_back(random.uniform() < ratio);
      if (accepted.back()) {
        ++round.accepted;
        if (kept < settings.samples) {
          proposal.keep();
          ++kept;
        }
      } else {
        proposal.reject(bound - score);
      }
    }
    round.mean_ratio /= static_cast<double>(std::max<std::uint64_t>(1, round.drawn));
    run.log_partition = log_norm + std::log(round.mean_ratio);
    const std::size_t window = std::max<std::size_t>(kWindow, settings.batch);
    if (accepted.size() >= window &&
        static_cast<double>(std::count(accepted.end() - static_cast<std::ptrdiff_t>(window), accepted.end(), true)) >=
            settings.acceptance * static_cast<double>(window)) {
      run.reached = true;
      refining = false;
    }
    if (refining && proposal.bytes() > settings.memory) refining = false;
    if (refining) {
      round.refined = proposal.refine(settings.refine);
      log_norm = proposal.inside(settings.scale);
    }
    round.seconds = seconds();
    run.rounds.push_back(round);
    if (settings.time_limit > 0 && round.seconds > settings.time_limit) break;
  }
  return run;
}

}  // namespace dragoman::search
