#pragma once
// NIST (Doddington 2002): n-gram precision in which a match counts as many bits as it informs, as seen in the whole
// set of references; a gentler brevity penalty than BLEU's.
#include "metrics/ngrams.hpp"
#include "metrics/segments.hpp"

namespace dragoman::metrics {

// The information of every n-gram of a set of references, fixed once and then used for any hypothesis.
class NgramInformation {
 public:
  NgramInformation(const EncodedLines& references, int order);

  [[nodiscard]] int order() const noexcept { return order_; }
  [[nodiscard]] const NgramTable& table() const noexcept { return table_; }
  [[nodiscard]] double bits(std::uint32_t number) const noexcept { return bits_[number]; }

 private:
  int order_;
  NgramTable table_;
  std::vector<double> bits_;
};

// Columns: information of clipped matches for n = 1..order, n-grams of the hypothesis for n = 1..order, length of the
// hypothesis, mean length of its references.
[[nodiscard]] std::vector<double> nist_statistics(const EncodedLines& hypotheses, const References& references,
                                                  const NgramInformation& information, int threads,
                                                  const StopCallback& stop);

[[nodiscard]] double nist(std::span<const double> statistics, int order) noexcept;

}  // namespace dragoman::metrics
