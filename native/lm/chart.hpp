#pragma once
// Two-sided states for decoders that build a translation from the middle. A piece of text whose left neighbour is not
// known yet has first words whose probability may still change; its left side remembers just those, as far as some
// longer n-gram could reach into them, and the right side is an ordinary state. Joining pieces pays the difference
// between what was estimated and what is true, each n-gram once. (Chiang 2007, with the state minimisation of Li and
// Khudanpur 2008 and Heafield, Hoang, Koehn, Kiso and Federico 2011.)
#include <cstdint>

#include "lm/model.hpp"

namespace dragoman::lm {

struct LeftState {
  std::uint32_t length = 0;
  bool complete = false;          // further words exist, and none of them depends on what comes before
  Node nodes[kMaxOrder - 1];      // the n-gram of the first i + 1 words; the last one stands for all
  float estimate[kMaxOrder - 1];  // its log-probability, paid so far for word i

  [[nodiscard]] bool operator==(const LeftState& other) const noexcept {
    return length == other.length && complete == other.complete &&
           (length == 0 || nodes[length - 1] == other.nodes[length - 1]);
  }
};

// Equal cells behave alike in every context.
struct Cell {
  LeftState left;
  State right;

  [[nodiscard]] bool operator==(const Cell& other) const noexcept { return left == other.left && right == other.right; }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    const std::uint64_t first = left.length == 0 ? 0 : left.nodes[left.length - 1];
    return combine(combine(first, left.length * 2 + (left.complete ? 1 : 0)), right.hash());
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
  Joiner(const Tables& tables, int order) noexcept : tables_(tables), order_(order) {}

  // The piece begins the sentence: nothing comes before it.
  void begin(const State& state) noexcept {
    cell_.right = state;
    cell_.left.complete = true;
  }
  void word(WordId word) noexcept {
    const State in = cell_.right;
    Found found;
    Node node = tables_.start(word, found);
    double logprob = found.logprob;
    State& out = cell_.right;
    out.words[0] = word;
    out.backoff[0] = found.backoff;
    out.length = order_ > 1 && matters(found.backoff) ? 1 : 0;
    std::uint32_t used = 0;
    for (; found.extends_left && used < in.length; ++used) {
      if (!tables_.extend(static_cast<int>(used) + 2, node, in.words[used], found)) break;
      logprob = found.logprob;
      if (static_cast<int>(used) + 2 == order_) {
        ++used;
        found.extends_left = false;
        break;
      }
      out.words[used + 1] = in.words[used];
      out.backoff[used + 1] = found.backoff;
      if (matters(found.backoff)) out.length = used + 2;
    }
    for (std::uint32_t i = used; i < in.length; ++i) logprob += in.backoff[i];
    score_ += logprob;
    if (cell_.left.complete) return;
    // Open to the left only if the n-gram spans the whole piece and is part of a longer one.
    if (used == cell_.left.length && found.extends_left)
      open(node, static_cast<float>(logprob), out.length);
    else
      cell_.left.complete = true;
  }
  void cell(const Cell& piece) noexcept {
    const State in = cell_.right;
    const std::uint32_t before = cell_.left.length;  // words of this piece, while its left side is not complete
    float owed[kMaxOrder - 1];                       // back-off weights of the contexts that reach into `in`
    std::uint32_t reach = in.length;                 // how many of its words still matter
    std::copy(in.backoff, in.backoff + reach, owed);
    for (std::uint32_t i = 0; i < piece.left.length; ++i) {
      // Word i of the piece, so far scored by the piece's own words, sees `reach` words more.
      Node node = piece.left.nodes[i];
      float logprob = piece.left.estimate[i];
      bool extends = true;
      std::uint32_t used = 0, next_reach = 0;
      float next_owed[kMaxOrder - 1];
      for (; extends && used < reach; ++used) {
        Found found;
        const int order = static_cast<int>(i + used) + 2;
        if (!tables_.extend(order, node, in.words[used], found)) {
          extends = false;
          break;
        }
        logprob = found.logprob;
        if (order == order_) {
          ++used;
          extends = false;
          break;
        }
        extends = found.extends_left;
        next_owed[used] = found.backoff;
        if (matters(found.backoff)) next_reach = used + 1;
      }
      double change = static_cast<double>(logprob) - piece.left.estimate[i];
      for (std::uint32_t k = used; k < reach; ++k) change += owed[k];
      score_ += change;
      if (!cell_.left.complete) {
        if (used == before && extends)
          open(node, logprob, i + 1 + next_reach);
        else
          cell_.left.complete = true;
      }
      reach = next_reach;
      std::copy(next_owed, next_owed + reach, owed);
    }
    if (piece.left.complete) {
      // The first word that no longer n-gram reaches pays for all contexts that do not help it.
      for (std::uint32_t k = 0; k < reach; ++k) score_ += owed[k];
      cell_.right = piece.right;
      cell_.left.complete = true;
      return;
    }
    // A short piece: what lies before it is still in sight.
    State& out = cell_.right;
    out = piece.right;
    std::copy(in.words, in.words + reach, out.words + out.length);
    std::copy(owed, owed + reach, out.backoff + out.length);
    out.length += reach;
  }

  [[nodiscard]] double score() const noexcept { return score_; }
  [[nodiscard]] const Cell& cell() const noexcept { return cell_; }

 private:
  // One more open word on the left; when the context it leaves is shorter than the piece, it is the last one.
  void open(Node node, float logprob, std::uint32_t context) noexcept {
    LeftState& left = cell_.left;
    left.nodes[left.length] = node;
    left.estimate[left.length] = logprob;
    ++left.length;
    left.complete = context < left.length;
  }

  const Tables& tables_;
  int order_;
  double score_ = 0;
  Cell cell_;
};

}  // namespace dragoman::lm
