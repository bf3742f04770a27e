#pragma once
// IBM 3 and 4 (Brown et al. 1993): each given word first says how many words it makes, then which, then where. The sum
// over alignments has no closed form; it is taken over the best alignment that hill-climbing finds and all that differ
// from it by one move or one swap.
#include <memory>
#include <vector>

#include "align/cepts.hpp"
#include "align/counts.hpp"
#include "align/ibm.hpp"
#include "align/position.hpp"

namespace dragoman::align {

class FertilityScores;

class FertilityModel final : public PositionModel {
 public:
  static constexpr int kMostFertile = 10;  // larger fertilities share its probability
  static constexpr int kFertilities = kMostFertile + 1;
  static constexpr int kShift = 40;  // IBM 4: longer shifts share one parameter on each side
  static constexpr int kShifts = 2 * kShift + 1;

  // `previous` gives the alignments from which the climb starts; its Viterbi alignments teach the first iteration.
  FertilityModel(bool fourth, const PositionSettings& settings, std::shared_ptr<PositionModel> previous);

  [[nodiscard]] std::string_view kind() const noexcept override { return fourth_ ? "ibm4" : "ibm3"; }
  void prepare(const Bitext& bitext, bool forward) override;
  double expect(const Sentence& sentence, std::span<double> evidence) override;
  [[nodiscard]] std::size_t evidence_size() const noexcept override { return 2; }
  void maximize(std::span<const double> evidence) override;
  void viterbi(const Sentence& sentence, std::span<int> links) const override;
  [[nodiscard]] std::vector<double> parameters() const override;
  void set_parameters(std::span<const double> values) override;

  // Log-probability of a sentence with its alignment.
  [[nodiscard]] double score(const Sentence& sentence, const Cepts& cepts) const;

  void set_null_probability(double p1) { p1_ = p1; }
  void set_fertility(WordId word, int fertility, double probability);

 private:
  friend class FertilityScores;

  [[nodiscard]] double distortion(const Sentence& sentence, int j, int i) const;  // IBM 3
  [[nodiscard]] std::size_t head_index(const Sentence& sentence, int previous, int centre, int j) const;
  [[nodiscard]] std::size_t tail_index(const Sentence& sentence, int before, int j) const;
  [[nodiscard]] std::size_t given_class(const Sentence& sentence, int i) const;
  [[nodiscard]] std::size_t generated_class(const Sentence& sentence, int j) const;
  [[nodiscard]] Cepts start(const Sentence& sentence, const PositionModel& model) const;
  double climb(const Sentence& sentence, FertilityScores& scores, Cepts& cepts) const;
  void count_shifts(const Sentence& sentence, const Cepts& cepts, float weight);
  void take_settings();

  bool fourth_;
  double smoothing_, uniform_share_;
  std::vector<std::int32_t> given_classes_, generated_classes_;
  std::size_t given_class_count_ = 1, generated_class_count_ = 1;
  std::shared_ptr<PositionModel> start_, teacher_;
  double p1_ = 0.1;
  std::vector<float> fertility_;  // kFertilities per given word; the last row serves unknown words
  FixedCounts fertility_counts_;
  LengthTable lengths_;  // IBM 3
  std::vector<float> distortion_;
  FixedCounts distortion_counts_;
  std::vector<float> heads_, tails_;  // IBM 4, kShifts per class pair or class
  FixedCounts head_counts_, tail_counts_;
};

}  // namespace dragoman::align
