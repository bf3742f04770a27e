#include "tuning/forest_envelope.hpp"

#include <algorithm>
#include <utility>

#include "tuning/envelope.hpp"

namespace dragoman::tuning {
namespace {

using forest::EdgeId;
using forest::Forest;
using forest::NodeId;

// A partial derivation: an edge, and for each tail which line of its envelope.
struct Part {
  EdgeId edge;
  std::uint32_t ranks;  // where they begin
};

class Builder {
 public:
  Builder(const Forest& forest, std::span<const double> weights, std::span<const double> direction)
      : forest_(forest), weights_(weights), direction_(direction), nodes_(forest.nodes()), parts_(forest.nodes()) {}

  ForestEnvelope run() {
    for (NodeId node = 0; node < forest_.nodes(); ++node) build(node);
    ForestEnvelope found;
    const NodeId goal = forest_.goal();
    std::vector<EdgeId> edges;
    for (std::uint32_t rank = 0; rank < nodes_[goal].size(); ++rank) {
      const Segment& segment = nodes_[goal][rank];
      found.from.push_back(segment.from);
      found.slopes.push_back(segment.line.slope);
      found.heights.push_back(segment.line.height);
      edges.clear();
      derive(goal, rank, edges);
      found.derivations.push_back(edges);
    }
    return found;
  }

 private:
  void build(NodeId node) {
    lines_.clear();
    candidates_.clear();
    for (EdgeId edge = forest_.first_edge(node); edge < forest_.first_edge(node + 1); ++edge) add(edge);
    upper_envelope(lines_, nodes_[node]);
    // Lines keep the number of their place in this node's own list of parts.
    for (Segment& segment : nodes_[node]) {
      parts_[node].push_back(candidates_[segment.line.id]);
      segment.line.id = static_cast<std::uint32_t>(parts_[node].size() - 1);
    }
  }

  void add(EdgeId edge) {
    double slope = 0, height = 0;
    const auto ids = forest_.features(edge);
    const auto values = forest_.values(edge);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < direction_.size()) slope += direction_[ids[i]] * values[i];
      if (ids[i] < weights_.size()) height += weights_[ids[i]] * values[i];
    }
    const auto tails = forest_.tails(edge);
    at_.assign(tails.size(), 0);
    // Walks along all tails at once from minus infinity: the sum of envelopes changes where one of them does.
    while (true) {
      Line line{slope, height, static_cast<std::uint32_t>(candidates_.size())};
      for (std::size_t t = 0; t < tails.size(); ++t) {
        const Line& part = nodes_[tails[t]][at_[t]].line;
        line.slope += part.slope;
        line.height += part.height;
      }
      candidates_.push_back({edge, static_cast<std::uint32_t>(ranks_.size())});
      ranks_.insert(ranks_.end(), at_.begin(), at_.end());
      lines_.push_back(line);
      std::size_t next = tails.size();
      for (std::size_t t = 0; t < tails.size(); ++t) {
        if (at_[t] + 1 == nodes_[tails[t]].size()) continue;
        if (next == tails.size() || nodes_[tails[t]][at_[t] + 1].from < nodes_[tails[next]][at_[next] + 1].from)
          next = t;
      }
      if (next == tails.size()) break;
      const double x = nodes_[tails[next]][at_[next] + 1].from;
      for (std::size_t t = 0; t < tails.size(); ++t)  // those that change at the same point change together
        if (at_[t] + 1 < nodes_[tails[t]].size() && nodes_[tails[t]][at_[t] + 1].from == x) ++at_[t];
    }
  }

  void derive(NodeId goal, std::uint32_t best, std::vector<EdgeId>& edges) const {
    std::vector<std::pair<NodeId, std::uint32_t>> open{{goal, best}};
    while (!open.empty()) {
      const auto [node, rank] = open.back();
      open.pop_back();
      const Part& part = parts_[node][rank];
      edges.push_back(part.edge);
      const auto tails = forest_.tails(part.edge);
      for (std::size_t t = tails.size(); t-- > 0;) open.emplace_back(tails[t], ranks_[part.ranks + t]);
    }
  }

  const Forest& forest_;
  std::span<const double> weights_, direction_;
  std::vector<std::vector<Segment>> nodes_;
  std::vector<std::vector<Part>> parts_;  // parallel to `nodes_`
  std::vector<std::uint32_t> ranks_, at_;
  std::vector<Line> lines_;
  std::vector<Part> candidates_;
};

}  // namespace

ForestEnvelope forest_envelope(const Forest& forest, std::span<const double> weights,
                               std::span<const double> direction) {
  if (forest.empty()) return {};
  return Builder(forest, weights, direction).run();
}

}  // namespace dragoman::tuning
