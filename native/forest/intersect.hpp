#pragma once
// Intersection of a forest with a deterministic automaton: the forest of all derivations whose target string the
// automaton accepts, with its scores added. Top-down with memory, as Earley (1970) parsed and Dyer (2010) intersected:
// a node is built for an entry state only if some derivation arrives there, so nothing is made for states that no
// target string passes at that place. A node (n, q, r) derives what n derives and takes the automaton from q to r. The
// number of derivations is that of the accepted ones, since the automaton reads a string in one way only. Cost, at
// worst: edges times states to the power of arity + 1.
#include <functional>
#include <memory>
#include <vector>

#include "forest/automaton.hpp"
#include "forest/forest.hpp"

namespace dragoman::forest {

struct Intersection {
  Forest forest;
  Origin origin;                     // node and edge of the first forest
  std::vector<StateId> entry, exit;  // per node; the goal gathers all final states, its exit means nothing
};

struct IntersectOptions {
  std::size_t most_edges = 50'000'000;  // refuse to build more
  std::function<bool()> stop = {};      // asked now and then: whether to give up
  FeatureId feature = kAbsent;          // where to note the automaton's scores as a feature, so that weights apply
  double feature_weight = 1;            // with a feature: its weight, which multiplies the automaton's scores
};

template <Automaton A>
class Intersector {
 public:
  Intersector(const Forest& forest, A& automaton, const IntersectOptions& options)
      : forest_(forest), automaton_(automaton), options_(options) {}

  Intersection run() {
    if (forest_.empty()) return {};
    goal_ = builder_.add_node(forest_.label(forest_.goal()), forest_.coverage(forest_.goal()));
    remember(forest_.goal(), automaton_.start(), 0);
    enter(forest_.goal(), automaton_.start());
    while (depth_ > 0)
      if (advance(*frames_[depth_ - 1])) --depth_;
    Origin kept;
    Intersection result;
    result.forest = builder_.finish(goal_, &kept);
    for (const NodeId node : kept.nodes) {
      result.origin.nodes.push_back(origins_[node]);
      result.entry.push_back(entries_[node]);
      result.exit.push_back(exits_[node]);
    }
    for (const EdgeId edge : kept.edges) result.origin.edges.push_back(edges_[edge]);
    return result;
  }

 private:
  struct Exit {
    StateId state;
    NodeId node;
  };
  struct Partial {  // an edge read up to some symbol
    StateId state;
    double score;
  };
  // One node being built for one entry state, interrupted while the nodes that it needs are.
  struct Frame {
    NodeId node = 0;
    StateId entry = 0;
    std::uint32_t slot = 0;
    EdgeId edge = 0;
    std::size_t symbol = 0;
    std::vector<Partial> now, then;
    std::vector<NodeId> now_tails, then_tails;  // arity times as many as partials
  };

  void remember(NodeId node, StateId entry, StateId exit) {
    origins_.push_back(node);
    entries_.push_back(entry);
    exits_.push_back(exit);
  }

  void enter(NodeId node, StateId entry) {
    const auto slot = static_cast<std::uint32_t>(exits_of_.size());
    slots_.insert(node, entry, slot);
    exits_of_.emplace_back();
    if (depth_ == frames_.size()) frames_.push_back(std::make_unique<Frame>());
    Frame& frame = *frames_[depth_++];
    frame.node = node;
    frame.entry = entry;
    frame.slot = slot;
    frame.edge = forest_.first_edge(node);
    begin_edge(frame);
  }

  void begin_edge(Frame& frame) {
    frame.symbol = 0;
    frame.now.assign(1, Partial{frame.entry, 0});
    if (frame.edge < forest_.edges()) frame.now_tails.assign(forest_.tails(frame.edge).size(), 0);
  }

  // Works on a frame until it is done (true) or needs a node that must be built first (false).
  bool advance(Frame& frame) {
    for (const EdgeId end = forest_.first_edge(frame.node + 1); frame.edge < end; ++frame.edge, begin_edge(frame)) {
      const auto target = forest_.target(frame.edge);
      for (; frame.symbol < target.size() && !frame.now.empty(); ++frame.symbol) {
        const WordId symbol = target[frame.symbol];
        if (!is_tail(symbol)) {
          scan(frame, symbol);
        } else if (!complete(frame, tail_index(symbol))) {
          return false;
        }
      }
      finish_edge(frame);
    }
    return true;
  }

  void scan(Frame& frame, WordId word) {
    const std::size_t arity = forest_.tails(frame.edge).size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < frame.now.size(); ++i) {
      const std::optional<Arc> arc = automaton_.step(frame.now[i].state, word);
      if (!arc) continue;
      frame.now[kept] = {arc->state, frame.now[i].score + arc->score};
      for (std::size_t k = 0; k < arity; ++k) frame.now_tails[kept * arity + k] = frame.now_tails[i * arity + k];
      ++kept;
    }
    frame.now.resize(kept);
    frame.now_tails.resize(kept * arity);
  }

  bool complete(Frame& frame, std::size_t index) {
    const NodeId tail = forest_.tails(frame.edge)[index];
    const std::size_t arity = forest_.tails(frame.edge).size();
    bool missing = false;
    for (std::size_t i = 0; i < frame.now.size(); ++i) {
      if (slots_.find(tail, frame.now[i].state) != kAbsent) continue;
      enter(tail, frame.now[i].state);
      missing = true;
    }
    if (missing) return false;
    frame.then.clear();
    frame.then_tails.clear();
    for (std::size_t i = 0; i < frame.now.size(); ++i) {
      for (const Exit& exit : exits_of_[slots_.find(tail, frame.now[i].state)]) {
        frame.then.push_back({exit.state, frame.now[i].score});
        const auto first = frame.now_tails.begin() + static_cast<std::ptrdiff_t>(i * arity);
        frame.then_tails.insert(frame.then_tails.end(), first, first + static_cast<std::ptrdiff_t>(arity));
        frame.then_tails[frame.then_tails.size() - arity + index] = exit.node;
      }
    }
    frame.now.swap(frame.then);
    frame.now_tails.swap(frame.then_tails);
    return true;
  }

  void finish_edge(Frame& frame) {
    const std::size_t arity = forest_.tails(frame.edge).size();
    for (std::size_t i = 0; i < frame.now.size(); ++i) {
      double score = frame.now[i].score;
      NodeId head = goal_;
      if (frame.node == forest_.goal()) {
        const std::optional<double> end = automaton_.final(frame.now[i].state);
        if (!end) continue;
        score += *end;
      } else {
        head = head_for(frame, frame.now[i].state);
      }
      add_edge(frame.edge, head, {frame.now_tails.data() + i * arity, arity}, score);
    }
  }

  NodeId head_for(const Frame& frame, StateId state) {
    std::vector<Exit>& exits = exits_of_[frame.slot];
    const std::uint32_t known = heads_.find(frame.slot, state);
    if (known != kAbsent) return known;
    const NodeId node = builder_.add_node(forest_.label(frame.node), forest_.coverage(frame.node));
    remember(frame.node, frame.entry, state);
    heads_.insert(frame.slot, state, node);
    exits.push_back({state, node});
    return node;
  }

  void add_edge(EdgeId edge, NodeId head, std::span<const NodeId> tails, double score) {
    if (builder_.edges() >= options_.most_edges)
      throw InputError("the intersection has more than " + std::to_string(options_.most_edges) + " edges", "forest",
                       "prune the forest first, or use a smaller automaton");
    if (options_.stop && builder_.edges() % 4096 == 0 && options_.stop())
      throw InputError("the intersection took too long", "forest", "allow it more time, or prune the forest first");
    NewEdge copy = forest_.edge(edge);
    copy.head = head;
    copy.tails = tails;
    if (options_.feature == kAbsent) {
      copy.score += score;
    } else if (score != 0) {
      features_.assign(copy.features.begin(), copy.features.end());
      values_.assign(copy.values.begin(), copy.values.end());
      features_.push_back(options_.feature);
      values_.push_back(score);
      copy.features = features_;
      copy.values = values_;
      copy.score += options_.feature_weight * score;
    }
    builder_.add_edge(copy);
    edges_.push_back(edge);
  }

  const Forest& forest_;
  A& automaton_;
  IntersectOptions options_;
  ForestBuilder builder_;
  NodeId goal_ = 0;
  std::vector<NodeId> origins_;
  std::vector<StateId> entries_, exits_;
  std::vector<EdgeId> edges_;
  PairMap slots_, heads_;  // (node, entry) to slot; (slot, exit) to node of the result
  std::vector<std::vector<Exit>> exits_of_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::size_t depth_ = 0;
  std::vector<FeatureId> features_;
  std::vector<double> values_;
};

template <Automaton A>
[[nodiscard]] Intersection intersect(const Forest& forest, A& automaton, const IntersectOptions& options = {}) {
  return Intersector<A>(forest, automaton, options).run();
}

}  // namespace dragoman::forest
