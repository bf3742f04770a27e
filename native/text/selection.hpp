#pragma once
// Feature decay (Biçici and Yuret 2011): lines of a corpus picked one by one for the n-grams that they share with a
// text of the domain wanted. An n-gram is worth the more the rarer it is in the corpus, and less with each line picked
// that has it, so that what is picked is like the domain and varied. Worth only ever falls, hence the worth of a line
// that was computed earlier bounds what it is now, and only lines at the top of a heap need be looked at again: the
// result is that of comparing all lines each time.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/interned.hpp"
#include "common/vocabulary.hpp"

namespace dragoman::text {

inline constexpr int kLongestNgram = 9;

// The n-grams of a text up to some length; each is known by that of its first words and its last word.
class NgramTree {
 public:
  NgramTree(const std::vector<std::string_view>& lines, int order);

  [[nodiscard]] std::size_t size() const noexcept { return ngrams_.size(); }
  [[nodiscard]] int length(std::uint32_t ngram) const noexcept { return lengths_[ngram]; }

  // Appends the n-grams of the tree that stand in a line, each as often as it does. Gives the tokens of the line.
  std::size_t match(std::string_view line, std::vector<WordId>& scratch, std::vector<std::uint32_t>& ngrams) const;

 private:
  std::size_t order_;
  Vocabulary words_;
  Interned<std::uint64_t> ngrams_;  // by 1 + the n-gram without its last word (0: none), and that word
  std::vector<std::uint8_t> lengths_;
};

struct DecayOptions {
  int order = 5;              // longest n-gram
  double decay = 1.0;         // an n-gram that was picked c times is worth its first worth / (1 + c)^decay
  double length_power = 1.0;  // a line is worth the sum over its n-grams / tokens^length_power
};

// Different n-grams of one length: of the domain, of these in the corpus, of these in the lines picked.
struct Coverage {
  std::int64_t wanted = 0, present = 0, picked = 0;
};

// Give it the corpus first (`add`), then `take` as many lines as wanted, in as many portions as wanted.
class FeatureDecay {
 public:
  FeatureDecay(const std::vector<std::string_view>& domain, const DecayOptions& options);  // throws SettingError

  // The next lines of the corpus.
  void add(const std::vector<std::string_view>& lines, int threads);

  // The next best lines, by number from 0, and what each was worth when it was picked; of equal ones the first comes
  // first. Fewer than asked for when none is left.
  void take(std::size_t count, std::vector<std::int64_t>& lines, std::vector<double>& scores);

  [[nodiscard]] std::size_t lines() const noexcept { return ends_.size(); }
  [[nodiscard]] std::uint64_t tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::array<Coverage, kLongestNgram> coverage() const;

 private:
  struct Candidate {
    double score;
    std::size_t line;
    [[nodiscard]] bool operator<(const Candidate& other) const noexcept {  // worse than
      return score < other.score || (score == other.score && line > other.line);
    }
  };

  void start();
  [[nodiscard]] std::span<const std::uint32_t> ngrams(std::size_t line) const noexcept;
  [[nodiscard]] double score(std::size_t line) const noexcept;
  void pick(std::size_t line);

  DecayOptions options_;
  NgramTree tree_;
  std::uint64_t tokens_ = 0;
  std::vector<std::uint32_t> matches_;  // n-grams of all lines
  std::vector<std::uint64_t> ends_;     // of each line in them
  std::vector<double> norms_;           // what the sum over a line is divided by
  std::vector<std::uint64_t> counts_;   // of n-grams in the corpus
  std::vector<std::uint64_t> picked_;   // of n-grams in the lines picked
  std::vector<double> first_, worth_;   // of n-grams: at the start, now
  std::vector<Candidate> heap_;
  bool started_ = false;
};

}  // namespace dragoman::text
