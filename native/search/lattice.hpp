#pragma once
// A word graph in the place of a sentence. Its nodes are numbered so that arcs lead from smaller to greater numbers; an
// option that translates the words of a path from node i to node j covers the positions [i, j), so that options which
// cover all positions once are a path from the first node to the last, in whatever order they are taken. (Dyer,
// Muresan and Resnik 2008.)
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "features/names.hpp"
#include "grammar/layered.hpp"

namespace dragoman::search {

struct Lattice {
  struct Arc {
    std::uint32_t from, to;
    std::string_view word;
    double score;
  };
  std::vector<Arc> arcs;          // by where they begin
  features::FeatureId score = 0;  // the feature that their scores are values of

  [[nodiscard]] bool empty() const noexcept { return arcs.empty(); }
};

// Words of a path, and the sum of the scores of its arcs.
struct LatticePath {
  std::vector<WordId> words;
  std::vector<std::string_view> spelt;
  double score = 0;
};

// Paths whose words some rule translates; of several with the same words between the same nodes the best.
class LatticePaths {
 public:
  struct Found {
    std::uint32_t from, to;
    grammar::NodeId node;  // of the table's sources
    LatticePath path;
  };

  // Paths of at most `longest` words, in the order of their nodes.
  void find(const Lattice& lattice, const grammar::LayeredView& table, std::size_t longest) {
    found_.clear();
    lattice_ = &lattice;
    table_ = &table;
    longest_ = longest;
    words_.clear();
    for (const Lattice::Arc& arc : lattice.arcs) words_.push_back(table.source_id(arc.word));
    for (const grammar::NodeId root : {grammar::kRoot, table.layer_root()}) {
      if (root != grammar::kRoot && table.added() == 0) continue;
      std::uint32_t before = ~std::uint32_t{0};
      for (const Lattice::Arc& arc : lattice.arcs)
        if (arc.from != before) {
          before = arc.from;
          LatticePath path;
          grow(arc.from, arc.from, root, path);
        }
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.from, a.to, a.node) < std::tie(b.from, b.to, b.node) ||
             (std::tie(a.from, a.to, a.node) == std::tie(b.from, b.to, b.node) && a.path.score > b.path.score);
    });
    found_.erase(std::unique(found_.begin(), found_.end(),
                             [](const Found& a, const Found& b) {
                               return std::tie(a.from, a.to, a.node) == std::tie(b.from, b.to, b.node);
                             }),
                 found_.end());
  }
  [[nodiscard]] std::span<const Found> found() const noexcept { return found_; }

 private:
  void grow(std::uint32_t start, std::uint32_t at, grammar::NodeId node, LatticePath& path) {
    if (path.words.size() == longest_) return;
    const auto& arcs = lattice_->arcs;
    auto arc = std::ranges::lower_bound(arcs, at, {}, &Lattice::Arc::from);
    for (; arc != arcs.end() && arc->from == at; ++arc) {
      const WordId word = words_[static_cast<std::size_t>(arc - arcs.begin())];
      if (word == kUnknown) continue;
      const grammar::NodeId next = table_->child(node, word);
      if (next == grammar::kNoNode) continue;
      path.words.push_back(word);
      path.spelt.push_back(arc->word);
      path.score += arc->score;
      if (table_->has_rules(next)) found_.push_back({start, arc->to, next, path});
      grow(start, arc->to, next, path);
      path.words.pop_back();
      path.spelt.pop_back();
      path.score -= arc->score;
    }
  }

  const Lattice* lattice_ = nullptr;
  const grammar::LayeredView* table_ = nullptr;
  std::size_t longest_ = 0;
  std::vector<WordId> words_;  // of the arcs
  std::vector<Found> found_;
};

}  // namespace dragoman::search
