#pragma once
// A score that no derivation of a sentence can pass, found without keeping any derivation: every rule has the most that
// its own words can score under bounded language models wherever it stands, and every part the most that its place
// allows. It is where exact search begins; for a sentence whose derivations do not fit into its limits it is all there
// is. (Aziz, Dymetman and Venkatapathy 2013.)
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "grammar/symbols.hpp"
#include "search/bounded_contexts.hpp"
#include "search/chart.hpp"
#include "search/left_to_right_sentence.hpp"
#include "search/option.hpp"

namespace dragoman::search {

// The most that options can score by themselves.
class OptionBounds {
 public:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  explicit OptionBounds(std::span<const BoundedModel> models) { contexts_.begin(models); }

  // The options of a sentence, which say by target(option) what they write and by spelling(word) how that is spelt.
  template <typename Target>
  void begin(const OptionGroups& options, const Target& target, const BoundedContexts::Spelling& spelling) {
    most_.clear();
    for (const Option& option : options.all()) most_.push_back(option.score + words(target(option), spelling));
  }
  // What else they can score, in the same order.
  void add(std::span<const double> most) {
    for (std::size_t at = 0; at < most_.size(); ++at) most_[at] += most[at];
  }
  // The best of neighbours.
  [[nodiscard]] double best(std::uint32_t first, std::uint32_t count) const noexcept {
    const auto from = most_.begin() + first;
    return count == 0 ? kNever : *std::max_element(from, from + count);
  }
  // What the end of the sentence adds.
  [[nodiscard]] double end() { return contexts_.word_bound(BoundedContexts::kEmpty, BoundedContexts::kEnd); }

 private:
  // Each word knows those before it in its rule, back to the last nonterminal.
  double words(std::span<const WordId> target, const BoundedContexts::Spelling& spelling) {
    double sum = 0;
    before_.clear();
    for (const WordId symbol : target) {
      if (grammar::is_nonterminal(symbol)) {
        before_.clear();
        continue;
      }
      const auto word = contexts_.add_word(symbol, spelling);
      sum += contexts_.word_bound(contexts_.of(before_), word);
      before_.push_back(word);
    }
    return sum;
  }

  BoundedContexts contexts_;
  std::vector<double> most_;
  std::vector<BoundedContexts::Word> before_;
};

// The most that a derivation of the whole chart can score, heights of subtrees (see HeightFeature) included.
[[nodiscard]] double first_bound(const Chart& chart, CellId goal, const OptionBounds& options, double height_weight);
// The same for derivations that grow from left to right.
[[nodiscard]] double first_bound(LeftToRightSentence& sentence, const OptionBounds& options, double height_weight);

}  // namespace dragoman::search
