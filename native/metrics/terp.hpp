#pragma once
// TERp (Snover et al. 2009): TER whose edits have costs of their own, where words may also match by stem or synonym and
// phrases by paraphrase, and where what may be shifted is relaxed to such matches.
#include <array>

#include "metrics/relations.hpp"

namespace dragoman::metrics {

struct TerpOptions {
  double deletion = 1, insertion = 1, substitution = 1;  // a missing, an extra, another word
  double shift = 1;
  double stem = 1, synonym = 1;    // a match by stem, by synonym set
  std::array<double, 4> phrase{};  // parameters of the phrase cost
  bool relaxed = false;  // shift what matches by stem, synonym or paraphrase too, but never function words only
  int beam = 20;         // half-width of the edit matrix around its diagonal
  bool capped = false;   // a segment costs at most the length of its reference
};

inline constexpr std::size_t kMaxTerpWords = 2048;  // longer segments are refused: the whole matrix is kept

// Sets the cost of every pair of phrases from its probability: p1 + edits (p2 log10 p + p3 p + p4), not below zero,
// where `edits` is what the two phrases cost without paraphrases.
void set_phrase_costs(PhrasePairs& phrases, const WordRelations& relations, const TerpOptions& options);

class TerpAligner {
 public:
  struct Result {
    double cost;  // shifts included
    std::int64_t shifts;
  };
  // The cost of turning the hypothesis into the reference; without shifts if `may_shift` is false.
  Result align(Words hypothesis, Words reference, const WordRelations& relations, const PhrasePairs& phrases,
               const TerpOptions& options, bool may_shift = true);

 private:
  struct Arc {  // a paraphrase between a span of the hypothesis that starts here, and one of the reference
    std::int32_t hypothesis, hypothesis_length, reference, reference_length;
    double cost;
  };
  enum Operation : std::int32_t {
    kUnreached = -1,
    kPair = -2,
    kExtra = -3,
    kMissing = -4
  };  // else the number of an arc
  struct Band {  // columns of a row that are within reach
    std::size_t first, last;
  };
  struct Best {
    double gain = 0;
    std::int32_t length = 0, start = 0, target = 0;
    bool found = false;
  };

  void relate(Words hypothesis, Words reference, const WordRelations& relations, const TerpOptions& options);
  void find_arcs(const std::vector<std::int32_t>& order, Words hypothesis, const PhrasePairs& phrases);
  [[nodiscard]] double distance(const std::vector<std::int32_t>& order, Words hypothesis, const PhrasePairs& phrases,
                                const TerpOptions& options);
  // Of `candidate_`, if there are no arcs; the matrix stays that of the present order.
  [[nodiscard]] double distance_of_candidate(const TerpOptions& options);
  [[nodiscard]] Band band(std::size_t row) const noexcept;
  void trace(const std::vector<std::int32_t>& order);
  [[nodiscard]] Best best_shift(Words hypothesis, Words reference, const WordRelations& relations,
                                const PhrasePairs& phrases, const TerpOptions& options, double now,
                                std::int32_t& checked);
  [[nodiscard]] std::size_t at(std::size_t row, std::size_t column) const noexcept {
    return row * (columns_ + 1) + column;
  }

  std::size_t columns_ = 0;
  double ratio_ = 1;  // words of the reference to one of the hypothesis
  std::int64_t beam_ = 0;
  std::vector<std::int32_t> order_, candidate_;  // which word of the hypothesis stands at each position
  std::vector<double> pair_cost_;                // of each word of the hypothesis with each of the reference
  std::vector<std::uint8_t> matches_;            // whether they match in any way (relaxed) or are the same
  std::vector<double> cells_, above_, below_;
  std::vector<std::int32_t> operations_;
  std::vector<Arc> arcs_;
  std::vector<std::size_t> arcs_ending_;  // where the arcs that end at each row stop in `arcs_`
  std::vector<PhrasePairs::Occurrence> here_, there_;
  std::vector<WordId> shifted_;
  std::vector<std::int32_t> aligned_, hypothesis_errors_, reference_errors_;
};

// Columns: lowest cost over the references, mean length of the references.
[[nodiscard]] std::vector<double> terp_statistics(const EncodedLines& hypotheses, const References& references,
                                                  const WordRelations& relations, const PhrasePairs& phrases,
                                                  const TerpOptions& options, int threads, const StopCallback& stop);

}  // namespace dragoman::metrics
