#pragma once
// The forest: every derivation that a decoder kept, packed into one acyclic hypergraph. All decoders fill it, and all
// that follows search (k-best lists, expectations, sampling, consensus, drawing) is written once, against it.
//
// A frozen forest is a handful of flat arrays. Nodes are in topological order, tails before heads, and the goal is the
// last node; the incoming edges of a node lie next to each other, in the order in which the decoder added them. A
// forest without nodes is legal and means "no derivation". The structure is shared between copies; only the scores
// belong to each, so that a tuner may look at one forest under many weight vectors at the price of one float per edge.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/ids.hpp"

namespace dragoman::forest {

using NodeId = std::uint32_t;
using EdgeId = std::uint32_t;
using RuleId = std::uint32_t;     // means something to the decoder only
using FeatureId = std::uint32_t;  // index into the weight vector

[[nodiscard]] constexpr bool is_tail(WordId symbol) noexcept { return (symbol & kNonterminalBit) != 0; }
[[nodiscard]] constexpr std::size_t tail_index(WordId symbol) noexcept { return symbol & ~kNonterminalBit; }
[[nodiscard]] constexpr WordId tail_symbol(std::size_t index) noexcept {
  return kNonterminalBit | static_cast<WordId>(index);
}

// Half-open source range.
struct SourceSpan {
  std::uint32_t start = 0, end = 0;
};

// What a node is about. For a chart: its span. For left-to-right decoding: the span of the last phrase; which words are
// covered is then in the coverage set. `covered` counts source words, `category` is the decoder's own (a nonterminal).
struct NodeLabel {
  std::uint32_t start = 0, end = 0, covered = 0, category = 0;
};

// A word link of an edge: source position counted from the start of the edge's span, index into its target symbols.
struct Link {
  std::uint16_t source = 0, target = 0;
};

// Rows of different lengths, end to end.
template <typename T>
class Rows {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return starts_.size() - 1; }
  [[nodiscard]] std::span<const T> operator[](std::size_t row) const noexcept {
    return {values_.data() + starts_[row], static_cast<std::size_t>(starts_[row + 1] - starts_[row])};
  }
  [[nodiscard]] std::uint32_t start(std::size_t row) const noexcept { return starts_[row]; }
  [[nodiscard]] std::span<const std::uint32_t> starts() const noexcept { return starts_; }
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }
  void push_back(std::span<const T> row) {
    if (row.size() > kMost - values_.size()) throw InputError("a forest of more than 4 billion symbols");
    values_.insert(values_.end(), row.begin(), row.end());
    starts_.push_back(static_cast<std::uint32_t>(values_.size()));
  }
  void reserve(std::size_t rows, std::size_t values) {
    starts_.reserve(rows + 1);
    values_.reserve(values);
  }
  void clear() noexcept {
    starts_.resize(1);
    values_.clear();
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return starts_.capacity() * sizeof(std::uint32_t) + values_.capacity() * sizeof(T);
  }

 private:
  static constexpr std::size_t kMost = 0xffffffffu;
  std::vector<std::uint32_t> starts_{0};
  std::vector<T> values_;
};

// An edge as a decoder hands it over. Each tail stands exactly once in `target`, as `tail_symbol(index)`; the same node
// may be the tail at several indices.
struct NewEdge {
  NodeId head = 0;
  std::span<const NodeId> tails = {};
  std::span<const WordId> target = {};
  RuleId rule = 0;
  SourceSpan span = {};
  std::span<const FeatureId> features = {};
  std::span<const double> values = {};  // as many as features
  double score = 0;
  std::span<const Link> links = {};
};

// The arrays that forests share and builders fill; edge arrays are parallel.
struct Structure {
  std::vector<NodeLabel> labels;
  std::uint32_t coverage_words = 0;     // 64-bit words per node
  std::vector<std::uint64_t> coverage;  // nodes x coverage_words
  std::vector<EdgeId> first_edge;       // nodes + 1; of frozen forests only
  std::vector<NodeId> heads;
  Rows<NodeId> tails;
  std::vector<RuleId> rules;
  std::vector<SourceSpan> spans;
  Rows<WordId> targets;
  Rows<FeatureId> features;
  std::vector<double> values;  // parallel to the values of `features`
  Rows<Link> links;

  [[nodiscard]] std::size_t bytes() const noexcept;
};

// The bare shape of a forest: which derivations there are, and their scores. A forest has one, and so may what is not
// worth writing down as a forest.
struct Shape {
  std::span<const EdgeId> first_edge;          // of each node, and the end; nothing if there is no node
  std::span<const std::uint32_t> tail_starts;  // of each edge in `tail_nodes`, and the end
  std::span<const NodeId> tail_nodes;
  std::span<const double> scores;  // per edge

  [[nodiscard]] bool empty() const noexcept { return first_edge.size() < 2; }
  [[nodiscard]] std::size_t nodes() const noexcept { return empty() ? 0 : first_edge.size() - 1; }
  [[nodiscard]] std::size_t edges() const noexcept { return scores.size(); }
  [[nodiscard]] NodeId goal() const noexcept { return static_cast<NodeId>(nodes() - 1); }
  [[nodiscard]] std::span<const NodeId> tails(EdgeId edge) const noexcept {
    return tail_nodes.subspan(tail_starts[edge], tail_starts[edge + 1] - tail_starts[edge]);
  }
};

class Forest {
 public:
  Forest() : Forest(std::make_shared<Structure>(), {}) {}
  Forest(std::shared_ptr<const Structure> structure, std::vector<double> scores)
      : structure_(std::move(structure)), scores_(std::move(scores)) {}

  [[nodiscard]] std::size_t nodes() const noexcept { return structure_->labels.size(); }
  [[nodiscard]] std::size_t edges() const noexcept { return structure_->heads.size(); }
  [[nodiscard]] bool empty() const noexcept { return nodes() == 0; }
  [[nodiscard]] NodeId goal() const noexcept { return static_cast<NodeId>(nodes() - 1); }

  [[nodiscard]] const NodeLabel& label(NodeId node) const noexcept { return structure_->labels[node]; }
  [[nodiscard]] std::span<const std::uint64_t> coverage(NodeId node) const noexcept {
    return {structure_->coverage.data() + std::size_t{node} * structure_->coverage_words, structure_->coverage_words};
  }
  // The edges of a node are [first_edge(node), first_edge(node + 1)).
  [[nodiscard]] EdgeId first_edge(std::size_t node) const noexcept {
    return empty() ? EdgeId{0} : structure_->first_edge[node];
  }
  [[nodiscard]] NodeId head(EdgeId edge) const noexcept { return structure_->heads[edge]; }
  [[nodiscard]] std::span<const NodeId> tails(EdgeId edge) const noexcept { return structure_->tails[edge]; }
  [[nodiscard]] RuleId rule(EdgeId edge) const noexcept { return structure_->rules[edge]; }
  [[nodiscard]] SourceSpan span(EdgeId edge) const noexcept { return structure_->spans[edge]; }
  [[nodiscard]] std::span<const WordId> target(EdgeId edge) const noexcept { return structure_->targets[edge]; }
  [[nodiscard]] std::span<const FeatureId> features(EdgeId edge) const noexcept { return structure_->features[edge]; }
  [[nodiscard]] std::span<const double> values(EdgeId edge) const noexcept {
    return {structure_->values.data() + structure_->features.start(edge), structure_->features[edge].size()};
  }
  [[nodiscard]] std::span<const Link> links(EdgeId edge) const noexcept { return structure_->links[edge]; }
  [[nodiscard]] double score(EdgeId edge) const noexcept { return scores_[edge]; }
  [[nodiscard]] std::span<const double> scores() const noexcept { return scores_; }
  [[nodiscard]] const Structure& structure() const noexcept { return *structure_; }
  // Valid as long as the forest is.
  [[nodiscard]] Shape shape() const noexcept {
    return {structure_->first_edge, structure_->tails.starts(), structure_->tails.values(), scores_};
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return structure_->bytes() + scores_.capacity() * sizeof(double); }

  // The same derivations under other scores; `reweighted` sets every score to weights . features, where a feature
  // beyond the end of `weights` weighs nothing.
  [[nodiscard]] Forest rescored(std::vector<double> scores) const { return {structure_, std::move(scores)}; }
  [[nodiscard]] Forest reweighted(std::span<const double> weights) const;

  [[nodiscard]] NewEdge edge(EdgeId edge) const noexcept {
    return {head(edge),     tails(edge),  target(edge), rule(edge), span(edge),
            features(edge), values(edge), score(edge),  links(edge)};
  }

 private:
  std::shared_ptr<const Structure> structure_;
  std::vector<double> scores_;
};

// Where the nodes and edges of a finished forest come from.
struct Origin {
  std::vector<NodeId> nodes;
  std::vector<EdgeId> edges;
};

// Collects nodes and edges in any order; `finish` trims and sorts them.
class ForestBuilder {
 public:
  NodeId add_node(const NodeLabel& label, std::span<const std::uint64_t> coverage = {});
  EdgeId add_edge(const NewEdge& edge);          // trusts the caller
  EdgeId add_checked_edge(const NewEdge& edge);  // throws InputError for what no forest may hold

  [[nodiscard]] std::size_t nodes() const noexcept { return parts_.labels.size(); }
  [[nodiscard]] std::size_t edges() const noexcept { return parts_.heads.size(); }

  // The forest of all derivations of `goal`: nodes that are part of none are dropped, the others sorted topologically;
  // nodes keep the order of their ids as far as that is topological, edges the order in which they were added. Throws
  // InputError if a node could be its own part. The builder keeps its content; `clear` empties it and keeps its memory.
  [[nodiscard]] Forest finish(NodeId goal, Origin* origin = nullptr) const;
  void clear() noexcept;

 private:
  Structure parts_;
  std::vector<double> scores_;
};

// Says what is wrong with an edge of a graph of `nodes` nodes, or nullptr.
[[nodiscard]] const char* edge_problem(const NewEdge& edge, std::size_t nodes);

// The derivations of a forest that use only edges with `keep[edge]`.
[[nodiscard]] Forest restricted(const Forest& forest, const std::vector<bool>& keep);

}  // namespace dragoman::forest
