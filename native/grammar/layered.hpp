#pragma once
// A layer of rules added and hidden at run time over a mapped table. A decoder takes a view, which never changes, and
// asks it what it would ask a `RuleTable`; rules of the layer have the numbers after those of the table. Views are made
// when something has changed since the last one, and share the table.
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "common/vocabulary.hpp"
#include "grammar/rule_list.hpp"
#include "grammar/table.hpp"

namespace dragoman::grammar {

class LayeredView {
 public:
  explicit LayeredView(std::shared_ptr<const RuleTable> base) : base_(std::move(base)) {}

  [[nodiscard]] const RuleTable& base() const noexcept { return *base_; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return base_->columns(); }
  [[nodiscard]] std::size_t rules() const noexcept { return base_->rules() + added_.size(); }
  [[nodiscard]] std::size_t added() const noexcept { return added_.size(); }
  [[nodiscard]] std::size_t hidden() const noexcept { return hidden_.size(); }

  // Words of the layer that the table does not have follow the table's.
  [[nodiscard]] WordId source_id(std::string_view word) const noexcept;
  [[nodiscard]] WordId target_id(std::string_view word) const noexcept;
  [[nodiscard]] std::string_view source_word(WordId id) const noexcept;
  [[nodiscard]] std::string_view target_word(WordId id) const noexcept;
  [[nodiscard]] std::size_t target_size() const noexcept {
    return base_->target_words().size() + target_words_.size() - 1;
  }

  // As `RuleTable::match`; a span may be reported several times, each time with other rules. Hidden rules are left out.
  template <typename Use>
  void match(std::span<const WordId> sentence, int max_length, Use&& use) const;
  // As `RuleTable::match_gappy`; rules of the layer have no gaps.
  template <typename Use>
  void match_gappy(std::span<const WordId> sentence, int max_span, Use&& use) const {
    base_->match_gappy(sentence, max_span, [&](std::span<const int> positions, RuleRange rules) {
      visible(rules, [&](RuleRange some) { use(positions, some); });
    });
  }
  // Rules of one source, as ranges.
  template <typename Use>
  void for_source(Phrase source, Use&& use) const;

  // The tries of sources: the table's own, and behind its nodes that of the layer, with a root of its own.
  struct NodeRange {
    NodeId first, last;  // half-open
  };
  [[nodiscard]] NodeId layer_root() const noexcept { return static_cast<NodeId>(base_->nodes()); }
  [[nodiscard]] WordId symbol(NodeId node) const noexcept {
    return node < layer_root() ? base_->symbol(node) : layer_[node - layer_root()].symbol;
  }
  [[nodiscard]] NodeRange children(NodeId node) const noexcept {
    if (node < layer_root()) return {base_->first_child(node), base_->first_child(node + 1)};
    return {layer_root() + layer_[node - layer_root()].first_child,
            layer_root() + layer_[node - layer_root() + 1].first_child};
  }
  [[nodiscard]] NodeId child(NodeId node, WordId symbol) const noexcept;
  // Those of the children that are nonterminals; symbols are in order, so they come last.
  [[nodiscard]] NodeRange nonterminal_children(NodeId node) const noexcept {
    const NodeRange found = children(node);
    NodeId low = found.first, high = found.last;
    if (low == high || !is_nonterminal(symbol(high - 1))) return {high, high};
    while (low < high) {
      const NodeId middle = low + (high - low) / 2;
      if (is_nonterminal(symbol(middle)))
        high = middle;
      else
        low = middle + 1;
    }
    return {low, found.last};
  }
  void source(NodeId node, std::vector<WordId>& symbols) const;
  // Calls use(RuleRange) for the rules of the node that are not hidden.
  template <typename Use>
  void rules_of(NodeId node, const Use& use) const;
  [[nodiscard]] bool has_rules(NodeId node) const noexcept {
    bool found = false;
    rules_of(node, [&](RuleRange) { found = true; });
    return found;
  }
  // Label of what the rule derives; 0 if it says none.
  [[nodiscard]] WordId left_hand_side(RuleId rule) const noexcept {
    return is_added(rule) ? added_[index(rule)].left_hand_side : base_->left_hand_side(rule);
  }

  [[nodiscard]] Phrase target(RuleId rule) const noexcept {
    return is_added(rule) ? Phrase(added_[index(rule)].target) : base_->target(rule);
  }
  void values(RuleId rule, std::span<float> out) const noexcept;
  [[nodiscard]] float value(RuleId rule, std::size_t column) const noexcept {
    return is_added(rule) ? added_[index(rule)].values[column] : base_->value(rule, column);
  }
  [[nodiscard]] std::span<const Link> links(RuleId rule) const noexcept {
    return is_added(rule) ? std::span<const Link>(added_[index(rule)].links) : base_->links(rule);
  }
  [[nodiscard]] RuleCounts counts(RuleId rule) const noexcept;
  [[nodiscard]] bool is_added(RuleId rule) const noexcept { return rule >= base_->rules(); }
  // The rule as it was added.
  [[nodiscard]] const RuleList::Draft& added_rule(RuleId rule) const noexcept { return added_[index(rule)]; }

 private:
  friend class LayeredTable;
  [[nodiscard]] std::size_t index(RuleId rule) const noexcept { return rule - base_->rules(); }
  template <typename Use>
  void visible(RuleRange rules, const Use& use) const;
  [[nodiscard]] RuleRange added_of(Phrase source) const noexcept;
  void index_layer();

  struct LayerNode {
    WordId symbol;
    std::uint32_t first_child;  // in `layer_`; those of successive nodes follow each other
    std::uint32_t first_rule;   // in `added_`, as well
  };

  std::shared_ptr<const RuleTable> base_;
  Vocabulary source_words_, target_words_;  // of the layer; its id 0 stands for the table's last word
  std::vector<RuleList::Draft> added_;      // sorted by source (breadth first), then target
  std::vector<RuleId> hidden_;              // sorted
  std::vector<LayerNode> layer_;            // breadth first, and one that ends the last; empty without added rules
  int depth_ = 0;
};

// Holds the layer; edits are serialised by a lock, views are immutable.
class LayeredTable {
 public:
  explicit LayeredTable(std::shared_ptr<const RuleTable> base);

  [[nodiscard]] const RuleTable& base() const noexcept { return *base_; }
  WordId intern_source(std::string_view word);
  WordId intern_target(std::string_view word);
  void add(RuleList::Draft rule);           // takes the place of an added rule of the same pair
  bool drop(Phrase source, Phrase target);  // an added rule
  void hide(RuleId rule);                   // of the table
  void unhide(RuleId rule);
  [[nodiscard]] std::shared_ptr<const LayeredView> view();
  // The table with the layer folded in, as a new table.
  void write(const std::filesystem::path& path, const std::string& metadata, int threads);

 private:
  std::shared_ptr<const RuleTable> base_;
  std::mutex lock_;
  Vocabulary source_words_, target_words_;
  using Key = std::pair<std::vector<WordId>, std::vector<WordId>>;
  std::map<Key, RuleList::Draft> added_;
  std::set<RuleId> hidden_;
  std::shared_ptr<const LayeredView> view_;  // null after a change
};

template <typename Use>
void LayeredView::visible(RuleRange rules, const Use& use) const {
  auto hidden = std::lower_bound(hidden_.begin(), hidden_.end(), rules.first);
  for (; hidden != hidden_.end() && *hidden < rules.last; ++hidden) {
    if (rules.first < *hidden) use(RuleRange{rules.first, *hidden});
    rules.first = *hidden + 1;
  }
  if (!rules.empty()) use(rules);
}

template <typename Use>
void LayeredView::match(std::span<const WordId> sentence, int max_length, Use&& use) const {
  base_->match(sentence, max_length, [&](int start, int end, RuleRange rules) {
    visible(rules, [&](RuleRange part) { use(start, end, part); });
  });
  if (added_.empty()) return;
  const int longest = max_length > 0 ? std::min(max_length, depth_) : depth_;
  const auto size = static_cast<int>(sentence.size());
  for (int start = 0; start < size; ++start) {
    for (int end = start + 1; end <= std::min(size, start + longest); ++end) {
      const RuleRange rules =
          added_of(sentence.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
      if (!rules.empty()) use(start, end, rules);
    }
  }
}

template <typename Use>
void LayeredView::rules_of(NodeId node, const Use& use) const {
  if (node < layer_root()) return visible(base_->rules_of(node), use);
  const auto offset = static_cast<RuleId>(base_->rules());
  const RuleRange rules{offset + layer_[node - layer_root()].first_rule,
                        offset + layer_[node - layer_root() + 1].first_rule};
  if (!rules.empty()) use(rules);
}

template <typename Use>
void LayeredView::for_source(Phrase source, Use&& use) const {
  const NodeId node = base_->find(source);
  if (node != kNoNode && node != kRoot) visible(base_->rules_of(node), use);
  const RuleRange rules = added_of(source);
  if (!rules.empty()) use(rules);
}

}  // namespace dragoman::grammar
