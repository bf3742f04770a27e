#pragma once
// Rules of a tree over one side and a string on the other (Galley, Hopkins, Knight and Marcu 2004; Galley et al. 2006),
// for dependency trees in which the subtree of a word is a bracket around that word and the brackets of those that hang
// on it (Graham 2013). A bracket whose words are linked to a stretch of the string, and that stretch to no other words,
// may become a nonterminal. A minimal rule opens as few brackets as it can; composed rules open more. All nonterminals
// have one label, so that the rules are those of a hierarchical grammar, of any arity and with neighbouring ones.
#include <cstdint>
#include <functional>
#include <vector>

#include "grammar/aligned_pair.hpp"
#include "grammar/dependency_tree.hpp"
#include "grammar/extract_hiero.hpp"

namespace dragoman::grammar {

class GhkmExtractor {
 public:
  GhkmExtractor(const GhkmLimits& limits, bool tree_is_source) : limits_(limits), tree_is_source_(tree_is_source) {}

  // All rules with at least one nonterminal; the tree must be projective.
  void extract(const AlignedPair& pair, const DependencyTree& tree, const std::function<void(const HieroRule&)>& use);
  // Words so far whose brackets could be opened in more ways than `max_rules_per_word`: some of these are missing.
  [[nodiscard]] std::uint64_t cut_words() const noexcept { return cut_words_; }
  [[nodiscard]] bool is_frontier(int word) const noexcept { return spans_[static_cast<std::size_t>(word)].frontier; }

 private:
  // What a bracket was opened to: its words, and in the place of closed ones their top words, as -1 - word.
  struct Fragment {
    std::vector<int> symbols;
    int depth, size, nodes;
    bool minimal;
  };
  struct StringSpan {
    int first, last, positions;
    bool frontier;
  };

  void attach(const AlignedPair& pair);
  void measure();
  void open(int word);
  void emit(const AlignedPair& pair, int word, const Fragment& fragment,
            const std::function<void(const HieroRule&)>& use);

  GhkmLimits limits_;
  bool tree_is_source_;
  const DependencyTree* tree_ = nullptr;
  int string_size_ = 0;
  std::uint64_t cut_words_ = 0;
  std::vector<std::vector<int>> owners_;  // of each string position: the words it is linked to, or the one it hangs on
  std::vector<StringSpan> spans_;
  std::vector<std::vector<Fragment>> fragments_;  // of each word
  std::vector<int> place_of_word_, place_of_position_;
  std::vector<WordId> source_, target_, links_;
};

// All rules of a pair that the limits want; without a tree where they ask for one, only rules of words.
void extract_hierarchical(HieroExtractor& hiero, GhkmExtractor& ghkm, DependencyTree& tree, const AlignedPair& pair,
                          const HieroLimits& limits, const std::function<void(const HieroRule&)>& use);

}  // namespace dragoman::grammar
