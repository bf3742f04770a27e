#pragma once
// Options: the rules that match spans of this sentence, weighted, best first.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "features/coverage.hpp"

namespace dragoman::search {

using features::Coverage;
using features::Span;

struct Option {
  std::uint32_t id;  // stays the same while features reorder the chart
  Span span;
  std::uint32_t rule;         // what it came from; meaning known to whoever filled the chart
  std::uint32_t phrase;       // its target words, see TargetPhrases
  std::uint32_t orientation;  // what reordering models know of it, see OrientationFeature
  std::uint32_t path;         // of a lattice, from 1: the words that it translates; 0: those of its span
  double score;               // weighted rule features
  double estimate;            // score and what state features expect of it in isolation; orders options
};

// Options of a sentence in groups that compete with each other, the best first in each.
class OptionGroups {
 public:
  void clear() {
    options_.clear();
    begins_.assign(1, 0);
  }
  // Ties by order of arrival. Gives the ids: [first, last).
  std::pair<std::uint32_t, std::uint32_t> add_group(std::vector<Option>& found) {
    const std::uint32_t first = append(found);
    begins_.push_back(static_cast<std::uint32_t>(options_.size()));
    return {first, begins_.back()};
  }
  // What features add to all options; the best of each group come first again, ids move along with their options.
  template <typename Score>
  void add_scores(const Score& score) {
    for (Option& option : options_) {
      const double more = score(option);
      option.score += more;
      option.estimate += more;
    }
    reorder();
  }
  template <typename Estimate>
  void add_estimates(const Estimate& estimate) {
    for (Option& option : options_) option.estimate += estimate(option);
    reorder();
  }

  // Of each group the best `most` stay, ties by order of arrival.
  void keep_best(std::size_t most) {
    std::uint32_t end = 0;
    for (std::size_t at = 0; at + 1 < begins_.size(); ++at) {
      const auto first = options_.begin() + begins_[at], last = options_.begin() + begins_[at + 1];
      const auto kept = std::min(static_cast<std::ptrdiff_t>(most), last - first);
      std::move(first, first + kept, options_.begin() + end);
      begins_[at] = end;
      end += static_cast<std::uint32_t>(kept);
    }
    begins_.back() = end;
    options_.resize(end);
  }

  [[nodiscard]] std::span<const Option> all() const noexcept { return options_; }
  [[nodiscard]] const Option& operator[](std::uint32_t id) const noexcept { return options_[id]; }

 protected:
  using Iterator = std::vector<Option>::iterator;

  std::uint32_t append(std::vector<Option>& found) {
    sort(found.begin(), found.end());
    const auto first = static_cast<std::uint32_t>(options_.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i].id = static_cast<std::uint32_t>(first + i);
    options_.insert(options_.end(), found.begin(), found.end());
    return first;
  }
  // Best first, ties in the order in which they stand; sorting takes memory, so what is in order is left alone.
  static void sort(Iterator begin, Iterator end) {
    const auto better = [](const Option& a, const Option& b) { return a.estimate > b.estimate; };
    if (!std::is_sorted(begin, end, better)) std::stable_sort(begin, end, better);
  }
  void reorder() {
    for (std::size_t at = 0; at + 1 < begins_.size(); ++at)
      sort(options_.begin() + begins_[at], options_.begin() + begins_[at + 1]);
  }

  std::vector<Option> options_;
  std::vector<std::uint32_t> begins_{0};
};

// All options of a sentence, by span.
class OptionChart : public OptionGroups {
 public:
  void reset(std::uint32_t length, std::uint32_t longest) {
    length_ = length;
    longest_ = std::min(longest, length);
    options_.clear();
    begins_.assign(static_cast<std::size_t>(length_) * longest_ + 1, 0);
  }
  // Options arrive span by span: by start, then by end.
  void add_span(Span span, std::vector<Option>& found) {
    append(found);
    begins_[slot(span) + 1] = static_cast<std::uint32_t>(options_.size());
  }
  // Call once after the last span.
  void finish() {
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] = std::max(begins_[i], begins_[i - 1]);
  }

  // How many options spans have; those apart follow.
  [[nodiscard]] std::uint32_t of_spans() const noexcept { return begins_.back(); }
  // Options of no span that search tries: only whoever knows their numbers, [first, last), does. After `finish`.
  std::pair<std::uint32_t, std::uint32_t> add_apart(std::vector<Option>& found) {
    const std::uint32_t first = append(found);
    return {first, static_cast<std::uint32_t>(options_.size())};
  }

  [[nodiscard]] std::uint32_t length() const noexcept { return length_; }
  [[nodiscard]] std::uint32_t longest() const noexcept { return longest_; }
  // Ids of the options of a span: [first, last).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> of(Span span) const noexcept {
    const std::size_t at = slot(span);
    return {begins_[at], begins_[at + 1]};
  }
  [[nodiscard]] double best_estimate(Span span) const noexcept {
    if (static_cast<std::uint32_t>(span.end - span.start) > longest_) return -std::numeric_limits<double>::infinity();
    const auto [first, last] = of(span);
    return first == last ? -std::numeric_limits<double>::infinity() : options_[first].estimate;
  }

 private:
  [[nodiscard]] std::size_t slot(Span span) const noexcept {
    return static_cast<std::size_t>(span.start) * longest_ + static_cast<std::size_t>(span.end - span.start - 1);
  }

  std::uint32_t length_ = 0, longest_ = 0;
};

}  // namespace dragoman::search
