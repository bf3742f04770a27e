#pragma once
// Dotted matching: all ways in which the sources of rules, words and nonterminals mixed, cover spans of a sentence. A
// beginning of a source that covers the words from a start to an end waits there (its "dot"); the next word or a
// nonterminal over the next words carries it on. Rules of any arity with any labels are matched as they are, without
// binarisation, adjacent nonterminals included. (Chappelier and Rajman 1998; Chiang 2007.)
//
// Starts come in any order, and within a start the ends ascend. A chart decoder goes from the last start to the first:
// then everything that a nonterminal may cover is known when it is asked for, except what begins at the same start,
// and that follows end by end (`cover`). Only the matches of one start are kept.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "grammar/layered.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::grammar {

// A nonterminal of a match and the words it covers, a half-open range.
struct CoveredSpan {
  std::uint32_t label, start, end;
  friend bool operator==(const CoveredSpan&, const CoveredSpan&) = default;
};

class DottedMatcher {
 public:
  struct AnyLabel {};

  // The source of a node, matched to a span; what its nonterminals cover is read by `nonterminals`.
  struct Match {
    NodeId node;
    std::uint32_t last;  // its last nonterminal
  };

  // A new sentence, as ids of the view. Matches cover at most `max_span` words, 0 for any number. All must outlive the
  // matching.
  void begin(const LayeredView& view, std::span<const WordId> words, std::uint32_t max_span) {
    view_ = &view;
    words_ = words;
    const auto length = static_cast<std::uint32_t>(words.size());
    max_span_ = max_span == 0 ? length : std::min(max_span, length);
  }
  // The last end that `extend` may be asked for.
  [[nodiscard]] std::uint32_t last_end(std::uint32_t start) const noexcept {
    return std::min(static_cast<std::uint32_t>(words_.size()), start + max_span_);
  }

  // Begins the spans of a start, and forgets those of the last.
  void start(std::uint32_t at) {
    start_ = end_ = at;
    covered_.clear();
    for_words_.clear();
    for_nonterminals_.clear();
    word_begins_.assign(1, 0);
    nonterminal_begins_.assign(1, 0);
    wait(kRoot, kNone);
    if (view_->added() != 0) wait(view_->layer_root(), kNone);
    close();
  }

  // The next end: all matches that cover exactly the words from the start to it, and have rules, each once; but for
  // those that begin with a nonterminal which covers all of them, see `cover`. `labels(start, end)` gives the labels of
  // nonterminals that may cover a span, or AnyLabel. The matches are valid until the next call.
  template <typename Labels>
  std::span<const Match> extend(const Labels& labels) {
    matches_.clear();
    const WordId word = words_[end_];
    const std::uint32_t end = ++end_;
    if (word != kUnknown)
      for (std::uint32_t i = word_begins_[end - start_ - 1]; i < word_begins_[end - start_]; ++i) {
        const Waiting from = for_words_[i];
        if (const NodeId node = view_->child(from.first, word); node != kNoNode) advance(node, from.covered);
      }
    for (std::uint32_t middle = start_ + 1; middle < end; ++middle) {
      const std::uint32_t first = nonterminal_begins_[middle - start_], last = nonterminal_begins_[middle - start_ + 1];
      if (first == last) continue;
      const auto usable = labels(middle, end);
      for (std::uint32_t i = first; i < last; ++i) {
        const Waiting from = for_nonterminals_[i];
        const auto pass = [&](NodeId node) {
          advance(node, add({label_of(view_->symbol(node)), middle, end}, from.covered));
        };
        if constexpr (std::is_same_v<decltype(usable), const AnyLabel>)
          for (NodeId node = from.first; node < from.last; ++node) pass(node);
        else
          for (const std::uint32_t label : usable) for_label(from, label, pass);
      }
    }
    return matches_;
  }
  // A nonterminal of this label covers the whole span: gives the matches that are this nonterminal and nothing else,
  // and lets longer ones begin with it. Called after `extend`, once per label, before the next end.
  std::span<const Match> cover(std::uint32_t label) {
    matches_.clear();
    for (std::uint32_t i = nonterminal_begins_[0]; i < nonterminal_begins_[1]; ++i) {
      for_label(for_nonterminals_[i], label, [&](NodeId node) { advance(node, add({label, start_, end_}, kNone)); });
    }
    return matches_;
  }
  // No more is known of the span: the next call is `extend` or `start`.
  void close() {
    word_begins_.push_back(static_cast<std::uint32_t>(for_words_.size()));
    nonterminal_begins_.push_back(static_cast<std::uint32_t>(for_nonterminals_.size()));
  }

  // In source order; valid as long as the start is the same.
  void nonterminals(const Match& match, std::vector<CoveredSpan>& spans) const {
    spans.clear();
    for (std::uint32_t at = match.last; at != kNone; at = covered_[at].previous) spans.push_back(covered_[at].span);
    std::reverse(spans.begin(), spans.end());
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Covered {
    CoveredSpan span;
    std::uint32_t previous;
  };
  struct Waiting {
    NodeId first, last;     // where it waits for a word, the node; for a nonterminal, those of its children
    std::uint32_t covered;  // its last nonterminal so far
  };

  std::uint32_t add(CoveredSpan span, std::uint32_t previous) {
    covered_.push_back({span, previous});
    return static_cast<std::uint32_t>(covered_.size() - 1);
  }
  // The children that are nonterminals of a label: neighbours, as symbols are in order.
  template <typename Use>
  void for_label(Waiting from, std::uint32_t label, const Use& use) const {
    NodeId low = from.first, high = from.last;
    while (low < high) {
      const NodeId middle = low + (high - low) / 2;
      if (label_of(view_->symbol(middle)) < label)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < from.last && label_of(view_->symbol(low)) == label; ++low) use(low);
  }
  void wait(NodeId node, std::uint32_t covered) {
    const auto all = view_->children(node);
    if (all.first == all.last) return;
    const auto slots = view_->nonterminal_children(node);
    if (all.first != slots.first) for_words_.push_back({node, node, covered});
    if (slots.first != slots.last) for_nonterminals_.push_back({slots.first, slots.last, covered});
  }
  void advance(NodeId node, std::uint32_t covered) {
    if (view_->has_rules(node)) matches_.push_back({node, covered});
    if (end_ < last_end(start_)) wait(node, covered);
  }

  const LayeredView* view_ = nullptr;
  std::span<const WordId> words_;
  std::uint32_t max_span_ = 0, start_ = 0, end_ = 0;
  std::vector<Covered> covered_;
  std::vector<Waiting> for_words_, for_nonterminals_;            // by where they end
  std::vector<std::uint32_t> word_begins_, nonterminal_begins_;  // per end, the first of them; and one more
  std::vector<Match> matches_;
};

// Calls use(start, end, match, nonterminals) for every match in the sentence, where every nonterminal may cover any
// span of at least one word.
template <typename Use>
void match_everywhere(const LayeredView& view, std::span<const WordId> words, std::uint32_t max_span, const Use& use) {
  DottedMatcher matcher;
  matcher.begin(view, words, max_span);
  std::vector<CoveredSpan> spans;
  std::vector<std::uint32_t> labels;
  for (const NodeId root : {kRoot, view.layer_root()}) {
    if (root != kRoot && view.added() == 0) break;
    const auto slots = view.nonterminal_children(root);
    for (NodeId node = slots.first; node < slots.last; ++node) labels.push_back(label_of(view.symbol(node)));
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  for (std::uint32_t start = 0; start < words.size(); ++start) {
    matcher.start(start);
    for (std::uint32_t end = start + 1; end <= matcher.last_end(start); ++end) {
      const auto pass = [&](std::span<const DottedMatcher::Match> matches) {
        for (const DottedMatcher::Match& match : matches) {
          matcher.nonterminals(match, spans);
          use(start, end, match.node, std::span<const CoveredSpan>(spans));
        }
      };
      pass(matcher.extend([](std::uint32_t, std::uint32_t) { return DottedMatcher::AnyLabel{}; }));
      for (const std::uint32_t label : labels) pass(matcher.cover(label));
      matcher.close();
    }
  }
}

}  // namespace dragoman::grammar
