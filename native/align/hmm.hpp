#pragma once
// A first-order model: the link of a word depends on how far it jumps from the link before it. (Vogel, Ney and Tillmann
// 1996.) A word linked to NULL remembers the last real link (Och and Ney 2003); jumps may depend on the class of the
// given word they start from.
#include <vector>

#include "align/position.hpp"

namespace dragoman::align {

class HmmModel final : public PositionModel {
 public:
  explicit HmmModel(const PositionSettings& settings);

  [[nodiscard]] std::string_view kind() const noexcept override { return "hmm"; }
  double expect(const Sentence& sentence, std::span<double> evidence) override;
  [[nodiscard]] std::size_t evidence_size() const noexcept override { return jumps_.size(); }
  void maximize(std::span<const double> evidence) override;
  void viterbi(const Sentence& sentence, std::span<int> links) const override;
  [[nodiscard]] bool links_to_null() const noexcept override { return null_probability_ > 0; }
  [[nodiscard]] std::vector<double> parameters() const override;
  void set_parameters(std::span<const double> values) override;

  // Relative weight of a jump of `d` positions from a word of a class (the last class is the start of the sentence).
  [[nodiscard]] double jump(int d, std::size_t from_class = 0) const noexcept { return jumps_[index(d, from_class)]; }
  void set_jump(int d, std::size_t from_class, double weight) { jumps_[index(d, from_class)] = weight; }
  // The distribution of the difference of two uniform positions among `free` ones, (free - |d|) / free^2: a prior on
  // jumps between words without anchors (Okita et al. 2010), used relative to uniform where a sentence asks for it.
  [[nodiscard]] static double triangular(int d, int free) noexcept;

 private:
  struct Lattice;

  [[nodiscard]] std::size_t index(int d, std::size_t from_class) const noexcept;
  [[nodiscard]] std::size_t width() const noexcept { return 2 * static_cast<std::size_t>(max_jump_) + 2; }
  [[nodiscard]] std::size_t class_of(const Sentence& sentence, int state) const noexcept;
  void build(const Sentence& sentence, Lattice& lattice) const;

  double null_probability_;
  int max_jump_;
  double uniform_share_;
  bool start_by_jump_;
  std::vector<std::int32_t> classes_;
  std::size_t class_count_;    // including the start of the sentence, which is the last
  std::vector<double> jumps_;  // per class: -max_jump..max_jump, then all that are longer
};

}  // namespace dragoman::align
