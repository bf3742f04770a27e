#pragma once
// Terms whose translation must appear: words of the sentence may be translated by the given options only, or by larger
// phrases that have one of the given translations inside.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.hpp"

namespace dragoman::search {

class RequiredTerms {
 public:
  void clear() { terms_.clear(); }
  // Translations of the same words are alternatives.
  void add(std::uint32_t start, std::uint32_t end, std::vector<WordId> target) {
    auto term = std::ranges::find_if(terms_, [&](const Term& each) { return each.start == start && each.end == end; });
    if (term == terms_.end()) term = terms_.insert(terms_.end(), {start, end, {}});
    term->targets.push_back(std::move(target));
  }
  [[nodiscard]] bool empty() const noexcept { return terms_.empty(); }

  // Whether the words overlap those of a term.
  [[nodiscard]] bool touches(std::uint32_t start, std::uint32_t end) const noexcept {
    return std::ranges::any_of(terms_, [&](const Term& term) { return term.start < end && start < term.end; });
  }
  // Whether they cut a term.
  [[nodiscard]] bool cuts(std::uint32_t start, std::uint32_t end) const noexcept {
    return std::ranges::any_of(terms_, [&](const Term& term) {
      return term.start < end && start < term.end && (term.start < start || term.end > end);
    });
  }
  // Whether a phrase for these words, which cut no term, has a translation of each term in it, side by side.
  [[nodiscard]] bool inside(std::uint32_t start, std::uint32_t end, std::span<const WordId> target) const {
    std::vector<bool> taken(target.size());
    return place(0, start, end, target, taken);
  }

 private:
  struct Term {
    std::uint32_t start, end;
    std::vector<std::vector<WordId>> targets;
  };
  bool place(std::size_t number, std::uint32_t start, std::uint32_t end, std::span<const WordId> target,
             std::vector<bool>& taken) const {
    while (number < terms_.size() && (terms_[number].start >= end || terms_[number].end <= start)) ++number;
    if (number == terms_.size()) return true;
    for (const auto& wanted : terms_[number].targets) {
      if (wanted.empty() && place(number + 1, start, end, target, taken)) return true;
      for (std::size_t at = 0; !wanted.empty() && at + wanted.size() <= target.size(); ++at) {
        const auto first = taken.begin() + static_cast<std::ptrdiff_t>(at);
        const auto last = first + static_cast<std::ptrdiff_t>(wanted.size());
        if (!std::equal(wanted.begin(), wanted.end(), target.begin() + static_cast<std::ptrdiff_t>(at)) ||
            std::find(first, last, true) != last)
          continue;
        std::fill(first, last, true);
        if (place(number + 1, start, end, target, taken)) return true;
        std::fill(first, last, false);
      }
    }
    return false;
  }

  std::vector<Term> terms_;
};

}  // namespace dragoman::search
