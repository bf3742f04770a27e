#pragma once
// A Bayesian HMM alignment model with fertilities, sampled: the links of one direction are resampled word by word given
// all the others, with the lexical distributions integrated out (collapsed) and jump and fertility distributions taken
// from the last sweep. Several chains are run and their conditional distributions averaged, which gives soft links.
// (Östling and Tiedemann 2016; fertilities after Zhao and Gildea 2010.)
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "align/bayes.hpp"
#include "align/model.hpp"

namespace dragoman::align {

struct GibbsSettings {
  double lexical_alpha = 0.001;
  double null_alpha = 0.001;
  double jump_alpha = 0.5;
  double fertility_alpha = 0.5;   // of the distribution of all words
  double fertility_strength = 4;  // pseudo-counts that this distribution is worth to each word
  double null_probability = 0.2;
  std::array<int, 3> sweeps{4, 4, 16};  // lexical only; with jumps; with jumps and fertilities
  int burn_in = 8;                      // sweeps of the last kind before averaging begins
  int chains = 3;                       // per direction
  std::uint64_t seed = 1;
};

// Called on the calling thread after its sweeps, with the share of all work done; true stops the work.
using SweepCallback = std::function<bool(double done)>;

// What the chains of one direction count, beside links.
struct Counts {
  std::vector<double> jumps, fertilities;
};

// What one chain found, so that it can travel: shares of links, of which most are zero, and counts.
struct ChainSample {
  std::vector<std::uint32_t> gaps;    // from one share to the next, over the cells of all pairs
  std::vector<std::uint16_t> shares;  // in units of LinkMemory
  Counts counts;
};

// Samples the links of a bitext and makes a model of what was learnt, with the soft links of the bitext remembered.
// Anchors multiply what is drawn from: a hard one leaves its word no choice, and its partner to no other word.
// `base`: an earlier sampled model whose counts, times `base_weight`, are held beside those of the bitext.
// Chains know nothing of each other, and what they found is added up as whole numbers: they may be run all at once
// here, or each anywhere, with the same result. Bitext and base must live as long.
class Sampler {
 public:
  Sampler(const Bitext& bitext, const Anchors& anchors, const GibbsSettings& settings, std::size_t cell_budget,
          const Model* base, double base_weight, int threads, const SweepCallback& tick);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  [[nodiscard]] std::size_t chains() const noexcept;  // of both directions
  [[nodiscard]] Model run_all(int threads, const SweepCallback& tick);
  [[nodiscard]] ChainSample run(std::size_t number, const SweepCallback& tick) const;
  void add(std::size_t number, const ChainSample& sample);  // in the order of the chains
  [[nodiscard]] Model finish();                             // when all were added

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::array<std::vector<std::uint16_t>, 2> marginals_;
  std::vector<Counts> counts_;
};

}  // namespace dragoman::align
