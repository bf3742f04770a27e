#pragma once
// Two-sided states for decoders that build a translation from the middle. A piece of text whose left neighbour is not
// known yet has first words whose probability may still change; its left side remembers just those, as far as some
// longer n-gram could reach into them, and the right side is an ordinary state. Joining pieces pays the difference
// between what was estimated and what is true, each n-gram once. (Chiang 2007, with the state minimisation of Li and
// Khudanpur 2008 and Heafield, Hoang, Koehn, Kiso and Federico 2011.)
#include <algorithm>
#include <cstdint>

#include "lm/model.hpp"

namespace dragoman::lm {

struct LeftState {
  std::uint32_t length = 0;
  bool complete = false;           // no further word of the piece depends on what comes before it
  std::uint32_t inner_length = 0;  // once complete: words remembered after the open ones, seen from the piece alone
  WordId words[kMaxOrder - 1];     // the open words, in text order
  float estimate[kMaxOrder - 1];   // the log-probability paid so far for each

  [[nodiscard]] bool operator==(const LeftState& other) const noexcept {
    return length == other.length && complete == other.complete && std::equal(words, words + length, other.words);
  }
};

// Equal cells behave alike in every context.
struct Cell {
  LeftState left;
  State right;

  [[nodiscard]] bool operator==(const Cell& other) const noexcept { return left == other.left && right == other.right; }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return combine(hash_bytes(left.words, left.length * sizeof(WordId), left.complete ? 1 : 0), right.hash());
  }
  // The part of what was paid that is only an estimate; a pruning score may treat it apart.
  [[nodiscard]] double estimate() const noexcept {
    double sum = 0;
    for (std::uint32_t i = 0; i < left.length; ++i) sum += left.estimate[i];
    return sum;
  }
};

// Joins words and cells from left to right into a new cell. The score is what is newly paid: words, and corrections of
// the cells' estimates; the scores of the cells themselves are the caller's to add.
template <typename Tables>
class Joiner {
 public:
  explicit Joiner(const Tables& tables) noexcept : tables_(tables) {}

  // The piece begins the sentence: nothing comes before it.
  void begin(const State& state) noexcept {
    cell_.right = state;
    cell_.left.complete = true;
  }
  // Goes on where another left off, at this score.
  void resume(const Cell& cell, double score) noexcept {
    cell_ = cell;
    score_ = score;
  }
  void word(WordId word) noexcept {
    ++queries_;
    const State before = cell_.right;
    Match match;
    const double logprob = tables_.score(before, word, cell_.right, match);
    score_ += logprob;
    extend_left(word, logprob, match, before, cell_.right);
  }
  void cell(const Cell& piece) noexcept {
    State state = cell_.right;
    bool settled = false;  // what follows no longer depends on what came before
    for (std::uint32_t i = 0; i < piece.left.length && !settled; ++i) {
      ++queries_;
      const State before = state;
      Match match;
      const double logprob = tables_.score(before, piece.left.words[i], state, match);
      score_ += logprob - piece.left.estimate[i];
      extend_left(piece.left.words[i], logprob, match, before, state);
      const bool last = i + 1 == piece.left.length && piece.left.complete;
      settled = cell_.left.complete && state.length <= (last ? piece.left.inner_length : i + 1);
    }
    if (settled) {
      cell_.right = piece.right;
    } else if (piece.left.complete) {
      // The first word that depends on no longer n-gram is found as before, but from a longer context.
      score_ += tables_.owed(state, piece.left.inner_length);
      if (!cell_.left.complete) close(state.length);
      cell_.right = piece.right;
    } else {
      cell_.right = state;
    }
  }

  [[nodiscard]] double score() const noexcept { return score_; }
  [[nodiscard]] const Cell& cell() const noexcept { return cell_; }
  [[nodiscard]] std::uint64_t queries() const noexcept { return queries_; }  // words scored

 private:
  // A word is open to the left if its n-gram spans the whole piece and is part of a longer one.
  void extend_left(WordId word, double logprob, const Match& match, const State& before, const State& after) noexcept {
    LeftState& left = cell_.left;
    if (left.complete) return;
    if (match.length != left.length + 1 || !match.extends_left) return close(before.length);
    left.words[left.length] = word;
    left.estimate[left.length] = static_cast<float>(logprob);
    ++left.length;
    if (after.length < left.length) close(after.length);
  }
  void close(std::uint32_t inner_length) noexcept {
    cell_.left.complete = true;
    cell_.left.inner_length = inner_length;
  }

  const Tables& tables_;
  double score_ = 0;
  std::uint64_t queries_ = 0;
  Cell cell_;
};

}  // namespace dragoman::lm
