#include "grammar/ghkm.hpp"

#include <algorithm>

#include "grammar/run.hpp"

namespace dragoman::grammar {
namespace {

std::size_t index(int position) { return static_cast<std::size_t>(position); }
constexpr int closed(int word) { return -1 - word; }

// How many spans of a sentence a source side can be put to, as a power of its length (Hopkins and Langmead 2010).
int scope(std::span<const WordId> source) {
  int found = is_nonterminal(source.front()) + is_nonterminal(source.back());
  for (std::size_t i = 1; i < source.size(); ++i) found += is_nonterminal(source[i - 1]) && is_nonterminal(source[i]);
  return found;
}

}  // namespace

// To which words string positions belong. One without a link hangs on what stands above its linked neighbours, or on
// the root where it has none on a side.
void GhkmExtractor::attach(const AlignedPair& pair) {
  string_size_ = tree_is_source_ ? pair.target_size() : pair.source_size();
  owners_.resize(std::max(owners_.size(), index(string_size_)));
  for (int j = 0; j < string_size_; ++j) owners_[index(j)].clear();
  for (const SentenceLink link : pair.words().links)
    owners_[tree_is_source_ ? link.target : link.source].push_back(tree_is_source_ ? link.source : link.target);
  std::vector<int> left(index(string_size_), -1), right(index(string_size_), -1);
  for (int j = 0, last = -1; j < string_size_; ++j) {
    left[index(j)] = last;
    if (!owners_[index(j)].empty()) last = j;
  }
  for (int j = string_size_ - 1, last = -1; j >= 0; --j) {
    right[index(j)] = last;
    if (!owners_[index(j)].empty()) last = j;
  }
  std::vector<std::pair<int, int>> hanging;
  for (int j = 0; j < string_size_; ++j) {
    if (!owners_[index(j)].empty()) continue;
    int above = tree_->root();
    if (left[index(j)] >= 0 && right[index(j)] >= 0) {
      above = owners_[index(left[index(j)])].front();
      for (const int near : {left[index(j)], right[index(j)]})
        for (const int owner : owners_[index(near)]) above = tree_->common_ancestor(above, owner);
    }
    hanging.emplace_back(j, above);
  }
  for (const auto& [j, above] : hanging) owners_[index(j)].push_back(above);
}

// The string positions of each subtree, and whether they are a stretch of its own.
void GhkmExtractor::measure() {
  spans_.assign(index(tree_->size()), {});
  for (int word = 0; word < tree_->size(); ++word) {
    StringSpan span{string_size_, -1, 0, true};
    const int first = tree_->first(word), last = tree_->last(word);
    const auto below = [&](int owner) { return first <= owner && owner <= last; };
    for (int j = 0; j < string_size_; ++j) {
      if (std::ranges::none_of(owners_[index(j)], below)) continue;
      span.first = std::min(span.first, j);
      span.last = j;
      ++span.positions;
    }
    span.frontier = span.positions > 0;
    for (int j = span.first; j <= span.last && span.frontier; ++j)
      span.frontier = std::ranges::all_of(owners_[index(j)], below);
    spans_[index(word)] = span;
  }
  // One that has all of what its head has would only rename it.
  for (int word = 0; word < tree_->size(); ++word)
    if (const int head = tree_->head(word); head >= 0 && spans_[index(word)].positions == spans_[index(head)].positions)
      spans_[index(word)].frontier = false;
}

// All that a bracket can be opened to: each one in it stays closed, if it may, or is opened in its turn.
void GhkmExtractor::open(int word) {
  std::vector<Fragment>& made = fragments_[index(word)];
  made.clear();
  const int leaf = tree_->is_leaf(word) ? 0 : 1;
  made.push_back({{}, 0, leaf, 1, true});
  bool own = false, cut = false;
  const auto add_word = [&] {
    for (Fragment& fragment : made) fragment.symbols.push_back(word);
    own = true;
  };
  for (const int child : tree_->children(word)) {
    if (child > word && !own) add_word();
    std::vector<Fragment> longer;
    const bool frontier = spans_[index(child)].frontier;
    for (const Fragment& before : made) {
      if (frontier && (before.minimal || before.nodes < limits_.max_nodes)) {
        longer.push_back(before);
        longer.back().symbols.push_back(closed(child));
        ++longer.back().nodes;
      }
      for (const Fragment& inside : fragments_[index(child)]) {
        const bool minimal = before.minimal && inside.minimal && !frontier;
        const int depth = std::max(before.depth, inside.depth), size = before.size + inside.size;
        const int nodes = before.nodes + inside.nodes;
        if (!minimal && (depth + leaf > limits_.max_depth || size > limits_.max_size || nodes > limits_.max_nodes))
          continue;
        if (!minimal && longer.size() >= limits_.max_rules_per_word) {
          cut = true;
          continue;
        }
        longer.push_back({before.symbols, depth, size, nodes, minimal});
        longer.back().symbols.insert(longer.back().symbols.end(), inside.symbols.begin(), inside.symbols.end());
      }
    }
    made = std::move(longer);
  }
  if (!own) add_word();
  cut_words_ += cut;
  for (Fragment& fragment : made) fragment.depth += leaf;
  // Closed brackets count as nodes, too.
  std::erase_if(made, [&](const Fragment& each) { return !each.minimal && each.nodes > limits_.max_nodes; });
}

void GhkmExtractor::emit(const AlignedPair& pair, int word, const Fragment& fragment,
                         const std::function<void(const HieroRule&)>& use) {
  const StringSpan whole = spans_[index(word)];
  const auto& tree_words = tree_is_source_ ? pair.words().source : pair.words().target;
  const auto& string_words = tree_is_source_ ? pair.words().target : pair.words().source;
  std::vector<int> gaps;  // closed words, in the order of the source
  for (const int symbol : fragment.symbols)
    if (symbol < 0) gaps.push_back(closed(symbol));
  if (gaps.empty() || gaps.size() > 255) return;
  if (!tree_is_source_) std::ranges::sort(gaps, {}, [&](int gap) { return spans_[index(gap)].first; });
  const auto number = [&](int gap) {
    return nonterminal(kHieroLabel, static_cast<std::uint32_t>(std::ranges::find(gaps, gap) - gaps.begin()));
  };
  std::vector<WordId>& of_tree = tree_is_source_ ? source_ : target_;
  std::vector<WordId>& of_string = tree_is_source_ ? target_ : source_;
  of_tree.clear();
  of_string.clear();
  place_of_word_.assign(index(tree_->size()), -1);
  place_of_position_.assign(index(string_size_), -1);
  for (const int symbol : fragment.symbols) {
    if (symbol >= 0) place_of_word_[index(symbol)] = static_cast<int>(of_tree.size());
    of_tree.push_back(symbol < 0 ? number(closed(symbol)) : tree_words[index(symbol)]);
  }
  for (int j = whole.first; j <= whole.last;) {
    const auto gap = std::ranges::find_if(gaps, [&](int each) { return spans_[index(each)].first == j; });
    if (gap != gaps.end()) {
      of_string.push_back(number(*gap));
      j = spans_[index(*gap)].last + 1;
    } else {
      place_of_position_[index(j)] = static_cast<int>(of_string.size());
      of_string.push_back(string_words[index(j)]);
      ++j;
    }
  }
  if (std::max(source_.size(), target_.size()) > index(kLongestRule) || scope(source_) > limits_.max_scope) return;
  links_.clear();
  for (const SentenceLink link : pair.words().links) {
    const int of_word = place_of_word_[tree_is_source_ ? link.source : link.target];
    const int of_position = place_of_position_[tree_is_source_ ? link.target : link.source];
    if (of_word < 0 || of_position < 0) continue;
    const auto in_tree = static_cast<std::uint8_t>(of_word), in_string = static_cast<std::uint8_t>(of_position);
    links_.push_back(coded(tree_is_source_ ? Link{in_tree, in_string} : Link{in_string, in_tree}));
  }
  std::ranges::sort(links_);
  use({source_, target_, links_, 1});
}

void GhkmExtractor::extract(const AlignedPair& pair, const DependencyTree& tree,
                            const std::function<void(const HieroRule&)>& use) {
  tree_ = &tree;
  attach(pair);
  measure();
  fragments_.resize(std::max(fragments_.size(), index(tree.size())));
  for (const int word : tree.upwards()) open(word);
  for (int word = 0; word < tree.size(); ++word)
    if (spans_[index(word)].frontier)
      for (const Fragment& fragment : fragments_[index(word)]) emit(pair, word, fragment, use);
}

void extract_hierarchical(HieroExtractor& hiero, GhkmExtractor& ghkm, DependencyTree& tree, const AlignedPair& pair,
                          const HieroLimits& limits, const std::function<void(const HieroRule&)>& use) {
  if (limits.constraint == TreeConstraint::kNone) return hiero.extract(pair, nullptr, true, use);
  tree.assign(pair.words().heads);
  hiero.extract(pair, &tree, limits.constraint == TreeConstraint::kFilter && tree.size() > 0, use);
  if (limits.constraint == TreeConstraint::kGhkm && limits.part != RulePart::kWords && tree.projective())
    ghkm.extract(pair, tree, [&](const HieroRule& rule) {
      if (limits.prefix_lexicalised != PrefixLexicalised::kBefore || prefix_lexicalised(rule.target)) use(rule);
    });
}

}  // namespace dragoman::grammar
