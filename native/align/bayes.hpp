#pragma once
// The sampled model applied to one sentence pair: distributions fixed, links of the pair sampled, fertilities included.
// The random numbers follow from the words of the pair, so the same pair always gets the same links.
#include <vector>

#include "align/hmm.hpp"
#include "align/position.hpp"

namespace dragoman::align {

inline constexpr int kMaxFertility = 12;  // larger ones count as this
inline constexpr int kFertilities = kMaxFertility + 1;
inline constexpr int kMaxJump = 200;  // longer jumps count as this, in either direction
inline constexpr int kJumps = 2 * kMaxJump + 1;

class BayesModel final : public PositionModel {
 public:
  struct Statistics {
    double null_probability = 0.2;
    double fertility_strength = 4;    // pseudo-counts that the fertilities of all words are worth to each
    std::vector<double> jumps;        // expected counts, kJumps
    std::vector<double> fertilities;  // expected counts, kFertilities per given word
  };

  BayesModel();
  explicit BayesModel(Statistics statistics);

  [[nodiscard]] std::string_view kind() const noexcept override { return "bayes"; }
  [[nodiscard]] std::size_t evidence_size() const noexcept override { return hmm_.evidence_size(); }
  double expect(const Sentence& sentence, std::span<double> evidence) override;
  void viterbi(const Sentence& sentence, std::span<int> links) const override;
  [[nodiscard]] std::vector<double> parameters() const override;
  void set_parameters(std::span<const double> values) override;
  [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }

 private:
  void derive();
  void sample(const Sentence& sentence) const;

  Statistics statistics_;
  HmmModel hmm_;               // where sampling starts
  std::vector<float> jumps_;   // probabilities
  std::vector<float> ratios_;  // p(n + 1) / p(n) for each given word; the last row serves unknown words
};

// p(n + 1) / p(n) for each word, from its counts and those of all words.
[[nodiscard]] std::vector<float> fertility_ratios(std::span<const double> counts, double strength, double alpha);

}  // namespace dragoman::align
