#pragma once
// OS*: exact optimisation by an upper bound that is refined where it was too high (Dymetman, Bouchard and Carter 2012;
// Aziz, Dymetman and Venkatapathy 2013; Aziz, Dymetman and Specia 2014). A proposal g lies above the score f of every
// derivation; its best derivation d is easy to find. If f(d) = g(d), no derivation scores higher than d; else g is made
// tighter around d. What g promises at most and the best f met so far enclose the optimum at any time.
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace dragoman::search {

struct ExactSettings {
  double epsilon = 1e-3;          // how far the answer may lie below the optimum
  double time_limit = 600;        // seconds per sentence; 0: none
  std::uint64_t iterations = 100000;
  std::uint64_t memory = 4ull << 30;  // bytes per sentence, about
  std::uint32_t prune_every = 10;     // iterations; 0: keep what cannot win any more
  bool seed = true;                   // begin with what the decoder's own search finds
  bool start_known = true;            // the beginning of the sentence is a known context from the start
  std::uint32_t words = 1;            // by which a context grows at a time
};

enum class ExactStatus : std::uint8_t { kOptimal, kBounded };
enum class ExactStop : std::uint8_t { kProved, kTime, kIterations, kMemory };

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
  std::vector<ExactIteration> trace;
};

// `Proposal`:
//   bool maximum(double& bound, double& score);   the best derivation under g, and its f; false if none is left
//   void keep();                                  that derivation is the best so far
//   std::uint64_t refine();                       tighter around it; how many contexts were added
//   void prune(double below);                     drop what g itself puts below a score
//   std::uint64_t nodes() const, edges() const, bytes() const;
// `best` is the score of a derivation that is known already, or minus infinity.
template <typename Proposal>
ExactRun optimize(Proposal& proposal, const ExactSettings& settings, double best,
                  std::chrono::steady_clock::time_point begin) {
  constexpr double kTolerance = 1e-9;
  ExactRun run;
  run.best = best;
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const auto prune = [&] {
    if (settings.prune_every > 0 && run.best > -std::numeric_limits<double>::infinity())
      proposal.prune(run.best - kTolerance * (1 + std::abs(run.best)));
  };
  prune();
  for (std::uint64_t iteration = 0;; ++iteration) {
    double bound, score;
    if (!proposal.maximum(bound, score)) bound = score = run.best;  // nothing is left that could be better
    if (score > run.best) {
      run.best = score;
      proposal.keep();
    }
    run.bound = std::min(run.bound, std::max(bound, run.best));
    run.trace.push_back({run.bound, score, run.best, proposal.nodes(), proposal.edges(), 0, seconds()});
    if (run.bound - run.best <= settings.epsilon) {
      run.status = ExactStatus::kOptimal;
      return run;
    }
    if (settings.time_limit > 0 && seconds() > settings.time_limit) {
      run.stop = ExactStop::kTime;
      return run;
    }
    if (iteration >= settings.iterations) {
      run.stop = ExactStop::kIterations;
      return run;
    }
    if (proposal.bytes() > settings.memory) {
      prune();
      if (proposal.bytes() > settings.memory) {
        run.stop = ExactStop::kMemory;
        return run;
      }
    }
    run.trace.back().refined = proposal.refine();
    if (run.trace.back().refined == 0) {  // all is known of this derivation: what remains is rounding
      run.status = ExactStatus::kOptimal;
      return run;
    }
    if (settings.prune_every > 0 && (iteration + 1) % settings.prune_every == 0) prune();
  }
}

}  // namespace dragoman::search
