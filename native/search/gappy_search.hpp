#pragma once
// Phrase-based search with phrases that have gaps on either side (Galley and Manning 2010). A phrase with gaps in its
// source covers some words of a span; one with gaps in its target writes its first run of words at once, and the others
// later, each after at least one word of another phrase and before the phrase has become too long. What is still to be
// written is pending; a translation is complete when all is covered and nothing is pending.
//
// Nodes are in stacks by the number of covered words, and in each by the number of runs that are pending, most first:
// writing one of these covers nothing, so it leads to the next stack of the same coverage. Nodes that cover the same
// words, end alike and have the same pending runs form a bundle; a bundle and a group of options form a grid.
#include <cstdint>
#include <span>
#include <vector>

#include "common/interned.hpp"
#include "search/cube_merge.hpp"
#include "search/decoded.hpp"
#include "search/extender.hpp"
#include "search/gappy_sentence.hpp"
#include "search/gappy_settings.hpp"
#include "search/node.hpp"
#include "search/recombination.hpp"
#include "search/stack.hpp"

namespace dragoman::search {

// A phrase that is not written to its end.
struct PendingPhrase {
  std::uint32_t next;   // the option that is written next
  std::uint16_t runs;   // how many are left
  std::uint16_t since;  // words written since it began, its own included
  std::uint16_t gap;    // words of others since its last run, as far as it matters how many

  friend bool operator==(const PendingPhrase&, const PendingPhrase&) = default;
};

// All that decides what may follow, but for states of features.
struct GappyPlace {
  Coverage coverage;
  std::uint32_t first_end = 0, last_end = 0;  // of the last phrase: behind its first run of words, and behind its last
  std::vector<PendingPhrase> pending;
  std::vector<Span> open;  // of phrases whose gaps in the source are not filled, in the order of writing, if it matters

  friend bool operator==(const GappyPlace&, const GappyPlace&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t hash = combine(combine(coverage.hash(), first_end), last_end);
    for (const PendingPhrase& each : pending) hash = combine(combine(combine(hash, each.next), each.since), each.gap);
    for (const Span span : open) hash = combine(hash, std::uint64_t{span.start} << 16 | span.end);
    return hash;
  }
};

// How a step lies to those before it. A phrase crosses one with gaps in its source if it has words both in its open
// gaps and outside of it; one with gaps in its target, if it is not written to its end when that one goes on. It is
// contained if the words of the phrase before it stand on both sides.
struct GappyOrder {
  std::uint32_t source_crossings = 0, target_crossings = 0;
  bool contained = false;
};

class GappySearch {
 public:
  struct Node {
    double score;     // of everything translated so far
    double priority;  // score + future cost + what is pending (+ what finishing costs, when complete)
    NodeId previous;
    std::uint32_t option;
    std::uint32_t place;  // interned
    NodeId arc;           // next of the nodes that recombined with this one and lost; a list
  };

  // Runs the search; afterwards `goal_nodes` are the complete nodes, best first (empty: no way through).
  void run(const GappySettings& settings, const GappyModel& model, std::span<const double> weights,
           const GappySentence& sentence, Extender& extender);

  [[nodiscard]] std::span<const NodeId> goal_nodes() const noexcept { return goals_; }
  [[nodiscard]] const Node& node(NodeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] const StateId* states(NodeId id) const noexcept { return states_.data() + id * width_; }
  [[nodiscard]] const GappyPlace& place(const Node& node) const noexcept { return places_[node.place]; }
  [[nodiscard]] const SearchStatistics& statistics() const noexcept { return statistics_; }

  // What the step to a node cost besides its option and states, as values of features: the length of the jump, and
  // words that it put into gaps of others.
  [[nodiscard]] double jump_of_step(NodeId id) const noexcept;
  [[nodiscard]] std::uint32_t gap_words_of_step(NodeId id) const noexcept;
  // The logarithm of how probable the size of the gap is that a step closes.
  [[nodiscard]] double gap_size_of_step(NodeId id) const noexcept;
  [[nodiscard]] double final_jump(NodeId id) const noexcept;
  [[nodiscard]] GappyOrder order_of_step(NodeId id) const noexcept;

 private:
  struct Grid {
    std::uint32_t first_node, nodes;  // the bundle, in `kept_`
    std::uint32_t first_option, options;
    std::uint32_t place;  // after it
    double score;         // of jumps and words in gaps; the same for all cells
  };

  void reset();
  void seed();
  [[nodiscard]] std::size_t stack_of(const GappyPlace& place) const noexcept;
  [[nodiscard]] static std::uint32_t runs(const GappyPlace& place) noexcept;
  void fill(std::size_t stack);
  void close(std::size_t stack);
  void spread(std::size_t stack);
  void spread_bundle(std::uint32_t first, std::uint32_t last);
  void add_grid(std::uint32_t first, std::uint32_t last, std::uint32_t option, std::uint32_t options,
                const GappyPlace& place, double score);
  [[nodiscard]] GappyOrder order(const GappyPlace& from, const GappyGroup& group) const noexcept;
  [[nodiscard]] double score(const GappyOrder& order) const noexcept {
    return (order.contained ? contained_weight_ : 0) - source_crossing_weight_ * order.source_crossings -
           target_crossing_weight_ * order.target_crossings;
  }
  void open_gaps(GappyPlace& place, const GappyGroup& group) const;
  // Others have written some words; false if a pending phrase would become too long.
  bool pass(GappyPlace& place, std::uint32_t words, std::size_t but) const noexcept;
  NodeId make(NodeId previous, std::uint32_t option, std::uint32_t place, double more);
  std::uint32_t intern(const GappyPlace& place);
  [[nodiscard]] double jump(const GappyPlace& from, std::uint32_t to) const noexcept;
  void insert(NodeId id);
  void insert_by_number(NodeId id);

  const GappySettings* settings_ = nullptr;
  const GappySentence* sentence_ = nullptr;
  Extender* extender_ = nullptr;
  double distortion_weight_ = 0, gap_weight_ = 0, size_weight_ = 0;
  std::uint32_t widest_gap_ = 1;  // words of gaps that are told apart
  double source_crossing_weight_ = 0, target_crossing_weight_ = 0, contained_weight_ = 0;
  std::size_t width_ = 0;
  std::uint32_t most_runs_ = 0;
  std::vector<Node> nodes_;
  std::vector<StateId> states_;  // `width_` per node
  Interned<GappyPlace> places_;
  std::vector<double> future_of_;             // by place
  std::vector<std::vector<NodeId>> kept_of_;  // by stack, bundle by bundle, best first
  std::vector<NodeId> kept_;                  // the same, one after the other
  std::vector<std::vector<Grid>> grids_;      // by the stack they lead to
  std::vector<NodeId> goals_;
  CubeMerge merge_;
  Recombination recombination_;
  std::vector<RankedNode> ranked_;
  SearchStatistics statistics_;
};

}  // namespace dragoman::search
