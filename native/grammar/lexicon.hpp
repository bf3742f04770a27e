#pragma once
// Lexical translation probabilities from linked words, and the lexical weight of a rule (Koehn, Och and Marcu 2003):
// each word is explained by the words it is linked to, on average, or by the empty word. A factor of zero is floored.
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/phrase_set.hpp"
#include "grammar/run.hpp"

namespace dragoman::grammar {

inline constexpr double kLexicalFloor = 1e-5;

enum class LexicalWeight : std::uint8_t { kLinks, kBest };  // mean over links; or the best of all words and NULL

class Lexicon {
 public:
  explicit Lexicon(std::span<const Run::LexicalCount> counts);

  // w(source | target) and w(target | source); `kNullWord` stands for the empty word.
  [[nodiscard]] double source_given_target(WordId source, WordId target) const noexcept;
  [[nodiscard]] double target_given_source(WordId source, WordId target) const noexcept;

  struct Weights {
    double source_given_target, target_given_source;  // natural logarithms
  };
  [[nodiscard]] Weights weigh(Phrase source, Phrase target, Phrase links, LexicalWeight kind) const;

 private:
  [[nodiscard]] double count(WordId source, WordId target) const noexcept;
  [[nodiscard]] double total(const std::vector<double>& totals, double null_total, WordId word) const noexcept {
    return word == kNullWord ? null_total : word < totals.size() ? totals[word] : 0;
  }

  struct Slot {
    std::uint64_t key;
    double count;
  };
  std::vector<Slot> slots_;
  std::vector<double> source_totals_, target_totals_;
  double source_null_ = 0, target_null_ = 0;
};

}  // namespace dragoman::grammar
