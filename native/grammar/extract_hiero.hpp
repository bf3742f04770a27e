#pragma once
// Hierarchical rules of a word-aligned sentence pair (Chiang 2007): every initial phrase pair is a rule, and every
// initial pair inside a rule may be taken out of it, leaving a nonterminal on both sides. Nonterminals are numbered by
// their order on the source side. Their labels, and those of what rules derive, may be those of the syntax of a side
// (Zollmann and Venugopal 2006; Hoang and Koehn 2010; Aziz, Rios and Specia 2011). For left-to-right decoding, target
// sides must be words first, then nonterminals (Watanabe, Tsukada and Isozaki 2006; Siahbani, Sankaran and Sarkar
// 2013), and loose phrase pairs may be added as rules without nonterminals (Siahbani and Sarkar 2014).
#include <cstdint>
#include <functional>
#include <vector>

#include "grammar/aligned_pair.hpp"
#include "grammar/dependency_tree.hpp"
#include "grammar/extract_phrases.hpp"
#include "grammar/phrase_set.hpp"
#include "grammar/stretch_labels.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {

// Whether only rules with prefix-lexicalised target sides are kept, and if so whether that is decided before the weight
// of an initial pair is shared among its rules, or after all rules were scored.
enum class PrefixLexicalised : std::uint8_t { kNo, kBefore, kAfter };

// What a dependency tree over one side asks of rules with nonterminals: nothing; that each stands for the whole subtree
// of a word whose head stays in the rule as a word; or to come from the tree altogether, see GhkmExtractor. (Graham
// 2013.)
enum class TreeConstraint : std::uint8_t { kNone, kFilter, kGhkm };

// Which rules are wanted: all, those of words only, or those with nonterminals only.
enum class RulePart : std::uint8_t { kAll, kWords, kGaps };

// How many brackets of a tree a rule may open beyond those that it must.
struct GhkmLimits {
  int max_depth = 3;   // levels of opened brackets that hold another one
  int max_size = 3;    // such brackets altogether
  int max_nodes = 15;  // brackets, opened or not
  int max_scope = 3;   // of all rules, minimal ones too
  std::uint32_t max_rules_per_word = 100'000;
};

struct HieroLimits {
  int max_phrase = 10;           // words of an initial phrase, on each side
  int max_symbols = 5;           // of a rule's source side
  int max_nonterminals = 2;      // of a rule
  int min_hole = 1;              // source words under a nonterminal
  bool tight = true;             // initial phrases have no unaligned words at their edges
  bool adjacent = false;         // nonterminals may be neighbours on the source side
  bool linked_words = true;      // at least one pair of linked words remains in a rule
  bool fractional = true;        // the rules of one initial pair share one count
  bool loose_terminals = false;  // loose phrase pairs too, as rules without nonterminals
  PrefixLexicalised prefix_lexicalised = PrefixLexicalised::kNo;
  RulePart part = RulePart::kAll;
  TreeConstraint constraint = TreeConstraint::kNone;
  bool tree_is_source = true;
  GhkmLimits ghkm;
  LabelSide labels = LabelSide::kNone;  // phrase pairs, and those taken out of them, must have labels of this side
  bool fall_back = false;               // those without any have the usual label instead
};

// The usual label of nonterminals: the first after that of gaps.
inline constexpr std::uint32_t kHieroLabel = 1;

[[nodiscard]] bool prefix_lexicalised(Phrase target) noexcept;

struct HieroRule {
  Phrase source, target;  // the source with its left-hand side behind it, where rules have labels
  Phrase links;           // coded as in runs, ascending
  std::uint16_t shares;   // rules that share the weight of the initial pair it came from
};

class HieroExtractor {
 public:
  explicit HieroExtractor(const HieroLimits& limits) : limits_(limits) {}

  // Initial pairs go in the order of `for_each_phrase`, their rules from left to right, words before nonterminals. Of
  // equal rules of one initial pair, the first is taken.
  // With a tree, nonterminals must stand for subtrees of it; without gaps there are none at all.
  void extract(const AlignedPair& pair, const DependencyTree* tree, bool gaps,
               const std::function<void(const HieroRule&)>& use);

 private:
  struct InitialPair : PhraseSpans {
    std::span<const std::uint32_t> labels;
  };

  [[nodiscard]] std::span<const std::uint32_t> labels_of(const PhraseSpans& spans) const noexcept;
  void place(int position, bool after_nonterminal);
  void finish_rule();
  void add_labelled(std::size_t target_begin);
  [[nodiscard]] int top_of(const PhraseSpans& hole) const noexcept;
  void use_rules(const std::function<void(const HieroRule&)>& use);

  HieroLimits limits_;
  const AlignedPair* pair_ = nullptr;
  const DependencyTree* tree_ = nullptr;
  StretchLabels labels_;
  std::vector<InitialPair> phrases_;                // all initial pairs
  std::vector<std::vector<InitialPair>> holes_at_;  // by where they begin on the source side
  InitialPair whole_{};
  std::vector<WordId> source_, rule_, inside_;
  std::vector<InitialPair> holes_;
  std::vector<std::pair<std::size_t, std::size_t>> hole_places_;  // of the nonterminals of a rule, on both sides
  std::vector<std::size_t> chosen_;                               // which of its labels each has
  std::vector<int> source_place_, target_place_;  // of words among the symbols of a rule; -1 under a nonterminal
  PhraseSet rules_;                               // of one initial pair: source, a mark, target
  std::vector<std::uint32_t> marks_;              // where the mark stands
  PhraseColumns links_;
};

}  // namespace dragoman::grammar
