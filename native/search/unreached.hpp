#pragma once
// Why a reference cannot be derived: words of it that no option writes, and words of the sentence that no option
// translates which writes something of a reference.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/symbols.hpp"
#include "search/decoded.hpp"
#include "search/option.hpp"

namespace dragoman::search {

// `target(option)` are the symbols of an option, of which runs of words count that stand in a reference;
// positions(option, use) calls use(position) for its source words. What is found goes into the translation that there
// is not.
template <typename Target, typename Positions>
void diagnose(std::span<const std::vector<WordId>> references, std::span<const Option> options, std::size_t length,
              const Target& target, const Positions& positions, Decoded& decoded) {
  std::vector<bool> touched(length);
  std::vector<std::vector<bool>> written;
  for (const auto& reference : references) written.emplace_back(reference.size());
  for (const Option& option : options) {
    std::span<const WordId> rest = target(option);
    bool used = grammar::words_of(rest) == 0;
    while (!rest.empty()) {
      const auto stop = std::ranges::find_if(rest, [](WordId symbol) { return grammar::is_nonterminal(symbol); });
      const auto words = rest.first(static_cast<std::size_t>(stop - rest.begin()));
      rest = rest.subspan(std::min(words.size() + 1, rest.size()));
      for (std::size_t number = 0; number < references.size() && !words.empty(); ++number) {
        const auto& reference = references[number];
        for (auto at = reference.begin();; ++at) {
          at = std::search(at, reference.end(), words.begin(), words.end());
          if (at == reference.end()) break;
          std::fill_n(written[number].begin() + (at - reference.begin()), words.size(), true);
          used = true;
        }
      }
    }
    if (used) positions(option, [&](std::uint32_t position) { touched[position] = true; });
  }
  const auto missing = [](const std::vector<bool>& each) { return std::count(each.begin(), each.end(), false); };
  const auto nearest = std::min_element(written.begin(), written.end(),
                                        [&](const auto& a, const auto& b) { return missing(a) < missing(b); });
  decoded.nearest = static_cast<std::size_t>(nearest - written.begin());
  for (std::uint32_t i = 0; i < nearest->size(); ++i)
    if (!(*nearest)[i]) decoded.unwritten.push_back(i);
  for (std::uint32_t i = 0; i < length; ++i)
    if (!touched[i]) decoded.untranslated.push_back(i);
}

}  // namespace dragoman::search
