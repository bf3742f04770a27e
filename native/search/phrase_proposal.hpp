#pragma once
// An upper bound of the score of every derivation, as a weighted graph that is refined node by node. A node is a place
// and the target words before it that are known to all derivations that reach it: a suffix-closed set of contexts per
// place. A step leads to the longest context in its head's set that ends what its tail knows and the step says; so the
// graph follows from the set of nodes, which is what a certificate holds. (Aziz, Dymetman and Specia 2014.)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/random.hpp"
#include "search/bounded_contexts.hpp"
#include "search/phrase_space.hpp"

namespace dragoman::search {

class PhraseProposal {
 public:
  using Context = BoundedContexts::Context;
  static constexpr std::uint32_t kNoId = ~std::uint32_t{0};
  static constexpr std::size_t kEdgeBytes = 64;  // an edge, and its copy where lists grow or edges are dropped
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  // `phrase_of` has the phrase of `contexts` for each option of the chart. `known(place)` gives contexts that are told
  // apart there from the start, shorter ones first.
  template <typename Known>
  PhraseProposal(const PhraseSpace& space, BoundedContexts& contexts, std::span<const std::uint32_t> phrase_of,
                 bool start_known, std::uint32_t words, const Known& known)
      : space_(space), contexts_(contexts), phrase_of_(phrase_of), words_(words) {
    build(start_known, known);
  }
  PhraseProposal(const PhraseSpace& space, BoundedContexts& contexts, std::span<const std::uint32_t> phrase_of,
                 bool start_known, std::uint32_t words)
      : PhraseProposal(space, contexts, phrase_of, start_known, words,
                       [](std::uint32_t) { return std::span<const Context>(); }) {}

  // The best derivation, as steps of the space; its bound and, by score(steps), its own score.
  bool maximum(double& bound) {
    update();
    if (nodes_[kGoalNode].forward == kNever) return false;
    bound = nodes_[kGoalNode].forward;
    path_.clear();
    for (std::uint32_t node = kGoalNode; nodes_[node].best != kNoId;) {
      path_.push_back(nodes_[node].best);
      node = edges_[nodes_[node].best].tail;
    }
    std::reverse(path_.begin(), path_.end());
    return true;
  }
  // Numbers of edges, from the start to the goal.
  [[nodiscard]] std::span<const std::uint32_t> path() const noexcept { return path_; }
  [[nodiscard]] std::uint32_t step(std::uint32_t edge) const noexcept { return edges_[edge].step; }

  // Makes the path that of a derivation, given by its options.
  void follow(std::span<const std::uint32_t> options) {
    path_.clear();
    std::uint32_t node = kStartNode;
    for (std::size_t at = 0; at <= options.size(); ++at) {
      const std::uint32_t wanted = at < options.size() ? options[at] : PhraseSpace::kGoal;
      std::uint32_t edge = nodes_[node].out;
      while (space_.steps()[edges_[edge].step].option != wanted) edge = edges_[edge].next_out;
      path_.push_back(edge);
      node = edges_[edge].head;
    }
  }

  // Every node on the path learns one word more, if there is one that can matter: states as they are now.
  std::uint64_t refine() {
    wanted_.clear();
    std::uint64_t made = learn_start();
    for (std::size_t at = 0; at + 1 < path_.size(); ++at) {
      const Edge& edge = edges_[path_[at]];
      const Node& head = nodes_[edge.head];
      gather(edge);
      Context context = head.context;
      const std::size_t known = contexts_.length(context);
      for (std::uint32_t more = 0; more < words_; ++more) {
        if (!contexts_.is_open(context) || said_.size() <= known + more) break;
        context = contexts_.extend(context, said_[said_.size() - 1 - known - more]);
        wanted_.push_back({edge.head, context});
      }
    }
    std::uint32_t last = kNoId, deepest = kNoId;
    for (const auto& [node, context] : wanted_) {
      if (node != last) deepest = node;
      last = node;
      deepest = split(deepest, context);
      ++made;
    }
    return made;
  }

  // Drops the edges that no derivation of at least `below` uses.
  void prune(double below) {
    update();
    backward_.assign(nodes_.size(), kNever);
    backward_[kGoalNode] = 0;
    for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket)
      for (const std::uint32_t id : *bucket) {
        double best = id == kGoalNode ? 0 : kNever;
        for (std::uint32_t e = nodes_[id].out; e != kNoId; e = edges_[e].next_out)
          best = std::max(best, edges_[e].weight + backward_[edges_[e].head]);
        backward_[id] = best;
      }
    compact([&](const Edge& edge) { return nodes_[edge.tail].forward + edge.weight + backward_[edge.head] >= below; });
  }

  // The graph as it is, after `prune`, for those who build another from it. Nodes by the number of covered words:
  [[nodiscard]] std::span<const std::vector<std::uint32_t>> buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] std::uint32_t place(std::uint32_t node) const noexcept { return nodes_[node].place; }
  [[nodiscard]] Context context(std::uint32_t node) const noexcept { return nodes_[node].context; }
  [[nodiscard]] double forward(std::uint32_t node) const noexcept { return nodes_[node].forward; }
  [[nodiscard]] double backward(std::uint32_t node) const noexcept { return backward_[node]; }
  // Calls use(step, head, weight); the head of a step that completes is no node of a place.
  template <typename Use>
  void for_each_step(std::uint32_t node, const Use& use) const {
    for (std::uint32_t e = nodes_[node].out; e != kNoId; e = edges_[e].next_out)
      use(edges_[e].step, edges_[e].head, edges_[e].weight);
  }
  static constexpr std::uint32_t kGoalNode = 0, kStartNode = 1;

  // The sum over all derivations of exp(scale * g), and what is needed to draw from it; a logarithm.
  double inside(double scale) {
    update();
    scale_ = scale;
    backward_.assign(nodes_.size(), kNever);
    for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket)
      for (const std::uint32_t id : *bucket) backward_[id] = id == kGoalNode ? 0 : sum_of(id);
    return backward_[kStartNode];
  }
  // Draws a derivation in proportion to exp(scale * g); its g.
  double draw(RandomStream& random) {
    path_.clear();
    double bound = 0;
    for (std::uint32_t id = kStartNode; id != kGoalNode;) {
      double left = random.uniform();
      std::uint32_t chosen = kNoId;
      for (std::uint32_t e = nodes_[id].out; e != kNoId; e = edges_[e].next_out) {
        const double share = std::exp(scale_ * edges_[e].weight + backward_[edges_[e].head] - backward_[id]);
        if (share <= 0) continue;
        chosen = e;
        left -= share;
        if (left < 0) break;
      }
      path_.push_back(chosen);
      bound += edges_[chosen].weight;
      id = edges_[chosen].head;
    }
    return bound;
  }

  [[nodiscard]] std::uint64_t nodes() const noexcept { return live_; }
  [[nodiscard]] std::uint64_t edges() const noexcept { return live_edges_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return edges_.capacity() * kEdgeBytes + nodes_.capacity() * (sizeof(Node) + 56) + contexts_.bytes() +
           space_.bytes();
  }
  // Contexts of more than no words that were ever told apart at a place: the certificate.
  template <typename Use>
  void for_each_context(const Use& use) const {
    for (std::uint32_t id = 2; id < nodes_.size(); ++id)
      if (nodes_[id].context != BoundedContexts::kEmpty) use(nodes_[id].place, nodes_[id].context);
  }
  // Nodes that can still be reached, by the number of words that they know.
  [[nodiscard]] std::vector<std::uint64_t> levels() const {
    std::vector<std::uint64_t> found(static_cast<std::size_t>(contexts_.longest()) + 1);
    for (const Node& node : nodes_)
      if (node.forward > kNever && node.place != kNoId) ++found[contexts_.length(node.context)];
    return found;
  }

 private:
  struct Node {
    std::uint32_t place;  // kNoId: the goal
    Context context;
    std::uint32_t in = kNoId, out = kNoId;  // lists of edges
    std::uint32_t best = kNoId;
    bool dirty = true;
    double forward = kNever;
  };
  struct Edge {
    double weight;
    std::uint32_t tail, head;  // kNoId as the head: gone
    std::uint32_t step;
    std::uint32_t next_in, next_out;
  };
  static_assert(2 * sizeof(Edge) <= kEdgeBytes);

  template <typename Known>
  void build(bool start_known, const Known& known) {
    const auto by_count = space_.by_count();
    buckets_.assign(by_count.size(), {});
    nodes_.push_back({kNoId, BoundedContexts::kEmpty});
    buckets_.back().push_back(kGoalNode);
    roots_.assign(space_.places(), kNoId);
    for (const auto& places : by_count)
      for (const std::uint32_t place : places) roots_[place] = add_node(place, BoundedContexts::kEmpty);
    if (start_known) learn_start();
    for (std::uint32_t place = 0; place < space_.places(); ++place)
      for (const Context context : known(place)) {
        const auto words = contexts_.words(context);
        std::uint32_t parent = roots_[place];
        for (std::size_t at = words.size(); at-- > 1;) parent = children_.at(std::uint64_t{parent} << 32 | words[at]);
        children_.emplace(std::uint64_t{parent} << 32 | words[0], add_node(place, context));
      }
    std::size_t edges = 0;
    for (std::uint32_t id = kStartNode; id < nodes_.size(); ++id) {
      const auto [first, last] = space_.steps_of(nodes_[id].place);
      edges += last - first;
    }
    edges_.reserve(edges);
    for (std::uint32_t id = kStartNode; id < nodes_.size(); ++id) {
      const auto [first, last] = space_.steps_of(nodes_[id].place);
      for (std::uint32_t step = last; step-- > first;) {
        std::uint32_t head = kGoalNode;
        if (const std::uint32_t next = space_.steps()[step].head; next != PhraseSpace::kGoal) {
          gather(nodes_[id].context, step);
          head = longest(next);
        }
        add_edge(id, head, step, weight(nodes_[id].context, step));
      }
    }
    live_ = nodes_.size();
    compact([](const Edge&) { return true; });  // what cannot reach the goal, or be reached, goes
  }

  // The start learns that the sentence begins there, if it did not know; no context goes back so far yet.
  std::uint64_t learn_start() {
    Node& start = nodes_[kStartNode];
    if (start.context != BoundedContexts::kEmpty || !contexts_.is_open(BoundedContexts::kEmpty)) return 0;
    start.context = contexts_.extend(BoundedContexts::kEmpty, BoundedContexts::kBegin);
    for (std::uint32_t e = start.out; e != kNoId; e = edges_[e].next_out) {
      edges_[e].weight = weight(start.context, edges_[e].step);
      mark(edges_[e].head);
    }
    return 1;
  }

  [[nodiscard]] std::uint32_t phrase(std::uint32_t step) const noexcept {
    const std::uint32_t option = space_.steps()[step].option;
    return option == PhraseSpace::kGoal ? BoundedContexts::kEndPhrase : phrase_of_[option];
  }
  double weight(Context context, std::uint32_t step) {
    return space_.steps()[step].score + contexts_.bound(context, phrase(step));
  }
  std::uint32_t add_node(std::uint32_t place, Context context) {
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({place, context});
    const std::uint32_t count = space_.count(place);
    buckets_[count].push_back(id);
    dirty_from_ = std::min(dirty_from_, count);
    return id;
  }
  void add_edge(std::uint32_t tail, std::uint32_t head, std::uint32_t step, double weight) {
    const auto id = static_cast<std::uint32_t>(edges_.size());
    edges_.push_back({weight, tail, head, step, nodes_[head].in, nodes_[tail].out});
    nodes_[head].in = nodes_[tail].out = id;
    ++live_edges_;
    mark(head);
  }
  void mark(std::uint32_t node) {
    nodes_[node].dirty = true;
    dirty_from_ = std::min(dirty_from_, node == kGoalNode ? static_cast<std::uint32_t>(buckets_.size()) - 1
                                                          : space_.count(nodes_[node].place));
  }

  // What is known before a step, and what the step says: `said_`.
  void gather(const Edge& edge) { gather(nodes_[edge.tail].context, edge.step); }
  void gather(Context context, std::uint32_t step) {
    const auto known = contexts_.words(context);
    const auto said = contexts_.phrase(phrase(step));
    said_.assign(known.begin(), known.end());
    said_.insert(said_.end(), said.begin(), said.end());
  }
  [[nodiscard]] bool ends_in(std::span<const BoundedContexts::Word> context) const noexcept {
    return said_.size() >= context.size() && std::equal(context.rbegin(), context.rend(), said_.rbegin());
  }
  // The node of a place with the longest context that ends `said_`.
  [[nodiscard]] std::uint32_t longest(std::uint32_t place) const {
    std::uint32_t node = roots_[place];
    for (std::size_t at = said_.size(); at-- > 0;) {
      const auto found = children_.find(std::uint64_t{node} << 32 | said_[at]);
      if (found == children_.end()) break;
      node = found->second;
    }
    return node;
  }

  // The node beside `from` that knows `context`, one word more; made if there is none, with its share of what led to
  // `from` and all that leaves it.
  std::uint32_t split(std::uint32_t from, Context context) {
    const auto words = contexts_.words(context);
    const std::uint64_t key = std::uint64_t{from} << 32 | words[0];
    if (const auto known = children_.find(key); known != children_.end()) return known->second;
    const std::uint32_t made = add_node(nodes_[from].place, context);
    ++live_;
    children_.emplace(key, made);
    std::uint32_t edge = nodes_[from].in;
    nodes_[from].in = kNoId;
    while (edge != kNoId) {
      Edge& each = edges_[edge];
      const std::uint32_t next = each.next_in;
      if (each.head != kNoId) {
        gather(each);
        const std::uint32_t to = ends_in(contexts_.words(context)) ? made : from;
        each.head = to;
        each.next_in = nodes_[to].in;
        nodes_[to].in = edge;
      }
      edge = next;
    }
    mark(from);
    for (std::uint32_t e = nodes_[from].out; e != kNoId; e = edges_[e].next_out) {
      const Edge before = edges_[e];
      if (before.head != kNoId) add_edge(made, head_after(context, before), before.step, weight(context, before.step));
    }
    if (nodes_[from].in == kNoId && from != kStartNode) drop(from);
    return made;
  }
  // Where a step leads once its tail knows a context, `edge` being that step as long as less was known.
  std::uint32_t head_after(Context context, const Edge& edge) {
    if (edge.head == kGoalNode) return kGoalNode;
    gather(context, edge.step);
    const std::uint32_t head = longest(nodes_[edge.head].place);
    if (nodes_[head].out == kNoId) revive(head, edge.head);
    return head;
  }
  // Something leads again to a node that was dropped, because all that did had learned more. Whatever derivation passes
  // it passed `instead` until now, so what is left there is all that can follow.
  void revive(std::uint32_t id, std::uint32_t instead) {
    ++live_;
    for (std::uint32_t e = nodes_[instead].out; e != kNoId; e = edges_[e].next_out) {
      const Edge edge = edges_[e];
      if (edge.head == kNoId) continue;
      const Context context = nodes_[id].context;
      add_edge(id, head_after(context, edge), edge.step, weight(context, edge.step));
    }
  }
  // Nothing leads to a node any more.
  void drop(std::uint32_t first) {
    doomed_.assign(1, first);
    while (!doomed_.empty()) {
      const std::uint32_t id = doomed_.back();
      doomed_.pop_back();
      nodes_[id].forward = kNever;
      --live_;
      for (std::uint32_t e = nodes_[id].out; e != kNoId; e = edges_[e].next_out) {
        const std::uint32_t head = edges_[e].head;
        if (head == kNoId) continue;
        edges_[e].head = kNoId;
        --live_edges_;
        unlink(head);
        mark(head);
        if (nodes_[head].in == kNoId && head != kGoalNode) doomed_.push_back(head);
      }
      nodes_[id].out = kNoId;
    }
  }
  // Takes edges that are gone off the front of a node's list; those further behind wait for `update`.
  void unlink(std::uint32_t node) {
    while (nodes_[node].in != kNoId && edges_[nodes_[node].in].head == kNoId)
      nodes_[node].in = edges_[nodes_[node].in].next_in;
  }

  // Best scores from the start, of the nodes that may have changed.
  void update() {
    for (std::size_t count = dirty_from_; count < buckets_.size(); ++count)
      for (const std::uint32_t id : buckets_[count]) {
        Node& node = nodes_[id];
        if (!node.dirty) continue;
        node.dirty = false;
        double best = id == kStartNode ? 0 : kNever;
        std::uint32_t by = kNoId;
        for (std::uint32_t* link = &node.in; *link != kNoId;) {
          const Edge& edge = edges_[*link];
          if (edge.head == kNoId) {
            *link = edge.next_in;
            continue;
          }
          const double score = nodes_[edge.tail].forward + edge.weight;
          if (score > best || (score == best && by != kNoId && edge.step < edges_[by].step)) {
            best = score;
            by = *link;
          }
          link = &edges_[*link].next_in;
        }
        node.best = by;
        if (best == node.forward) continue;
        node.forward = best;
        for (std::uint32_t e = node.out; e != kNoId; e = edges_[e].next_out)
          if (edges_[e].head != kNoId) nodes_[edges_[e].head].dirty = true;
      }
    dirty_from_ = static_cast<std::uint32_t>(buckets_.size());
  }

  double sum_of(std::uint32_t id) const {
    double most = kNever;
    for (std::uint32_t e = nodes_[id].out; e != kNoId; e = edges_[e].next_out)
      most = std::max(most, scale_ * edges_[e].weight + backward_[edges_[e].head]);
    if (most == kNever) return kNever;
    double sum = 0;
    for (std::uint32_t e = nodes_[id].out; e != kNoId; e = edges_[e].next_out)
      sum += std::exp(scale_ * edges_[e].weight + backward_[edges_[e].head] - most);
    return most + std::log(sum);
  }

  // Keeps the edges that `wanted` says, between nodes that are reached and reach the goal, one after the other.
  template <typename Wanted>
  void compact(const Wanted& wanted) {
    update();
    std::vector<std::uint8_t> useful(nodes_.size());
    useful[kGoalNode] = 1;
    std::size_t useful_edges = 0;
    for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket)
      for (const std::uint32_t id : *bucket)
        for (std::uint32_t e = nodes_[id].out; e != kNoId; e = edges_[e].next_out) {
          Edge& edge = edges_[e];
          if (edge.head == kNoId) continue;
          if (nodes_[id].forward > kNever && useful[edge.head] != 0 && wanted(edge)) {
            useful[id] = 1;
            ++useful_edges;
          } else {
            edge.head = kNoId;
          }
        }
    std::vector<Edge> kept;
    kept.reserve(useful_edges);
    live_ = 0;
    for (Node& node : nodes_) node.in = node.best = kNoId;
    for (const auto& bucket : buckets_)
      for (const std::uint32_t id : bucket) {
        std::uint32_t first = kNoId;
        for (std::uint32_t e = nodes_[id].out; e != kNoId; e = edges_[e].next_out) {
          Edge edge = edges_[e];
          if (edge.head == kNoId) continue;
          const auto at = static_cast<std::uint32_t>(kept.size());
          edge.next_in = nodes_[edge.head].in;
          edge.next_out = first;
          nodes_[edge.head].in = first = at;
          kept.push_back(edge);
        }
        nodes_[id].out = first;
      }
    edges_ = std::move(kept);
    live_edges_ = edges_.size();
    for (auto& bucket : buckets_) {
      for (const std::uint32_t id : bucket) {
        const bool reached = id == kStartNode || nodes_[id].in != kNoId;
        nodes_[id].forward = kNever;
        if (!reached) nodes_[id].out = kNoId;  // pruning takes whole paths, so nothing is left here
        live_ += reached ? 1 : 0;
        nodes_[id].dirty = true;
      }
    }
    dirty_from_ = 0;
    update();
  }

  const PhraseSpace& space_;
  BoundedContexts& contexts_;
  std::span<const std::uint32_t> phrase_of_;
  std::uint32_t words_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::uint32_t>> buckets_;  // nodes by the number of covered words
  std::vector<std::uint32_t> roots_;                 // per place, the node that knows nothing
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::uint32_t dirty_from_ = 0;
  std::uint64_t live_ = 0, live_edges_ = 0;
  std::vector<std::uint32_t> path_;
  std::vector<BoundedContexts::Word> said_;
  std::vector<std::pair<std::uint32_t, Context>> wanted_;
  std::vector<double> backward_;
  std::vector<std::uint32_t> doomed_;
  double scale_ = 1;
};

}  // namespace dragoman::search
