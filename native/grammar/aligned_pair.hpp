#pragma once
// What extraction asks of one word-aligned sentence pair: for each word the range of words it is linked to, and the
// links of each source word. Reused from sentence to sentence, so that nothing is allocated in the loop.
#include <algorithm>
#include <vector>

#include "grammar/bitext.hpp"

namespace dragoman::grammar {

struct Range {  // of linked positions, inclusive; `first > last` for an unaligned word
  int first, last;
  [[nodiscard]] bool empty() const noexcept { return first > last; }
};

class AlignedPair {
 public:
  void assign(const SentencePair& pair) {
    pair_ = pair;
    const Range none{kLongestSentence + 1, -1};
    of_source_.assign(pair.source.size(), none);
    of_target_.assign(pair.target.size(), none);
    link_begin_.assign(pair.source.size() + 1, 0);
    for (const SentenceLink link : pair.links) {
      widen(of_source_[link.source], link.target);
      widen(of_target_[link.target], link.source);
      ++link_begin_[link.source + 1u];
    }
    for (std::size_t i = 1; i < link_begin_.size(); ++i) link_begin_[i] += link_begin_[i - 1];
  }

  [[nodiscard]] int source_size() const noexcept { return static_cast<int>(pair_.source.size()); }
  [[nodiscard]] int target_size() const noexcept { return static_cast<int>(pair_.target.size()); }
  [[nodiscard]] const SentencePair& words() const noexcept { return pair_; }
  [[nodiscard]] const Range& of_source(int i) const noexcept { return of_source_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Range& of_target(int j) const noexcept { return of_target_[static_cast<std::size_t>(j)]; }
  // Links whose source lies in [begin, end).
  [[nodiscard]] std::span<const SentenceLink> links(int begin, int end) const noexcept {
    const auto first = link_begin_[static_cast<std::size_t>(begin)], last = link_begin_[static_cast<std::size_t>(end)];
    return pair_.links.subspan(first, last - first);
  }

 private:
  static void widen(Range& range, int position) noexcept {
    range.first = std::min(range.first, position);
    range.last = std::max(range.last, position);
  }

  SentencePair pair_;
  std::vector<Range> of_source_, of_target_;
  std::vector<std::uint32_t> link_begin_;
};

}  // namespace dragoman::grammar
