#pragma once
// The source word that a target word is affiliated with: the middle one of those that it is linked to, or what its
// nearest linked neighbour is affiliated with, the right one if both are as near (Devlin et al. 2014).
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dragoman::neural {

// Without any link the first source word stands for all. `Link` is a pair of positions, source and target.
template <typename Link>
[[nodiscard]] std::vector<std::uint32_t> affiliations(std::span<const Link> links, std::size_t target_length,
                                                      const auto& source_of, const auto& target_of) {
  std::vector<std::vector<std::uint32_t>> linked(target_length);
  for (const Link& link : links) linked[target_of(link)].push_back(source_of(link));
  std::vector<std::uint32_t> found(target_length, 0);
  const auto middle = [&](std::size_t at) {
    std::ranges::sort(linked[at]);
    return linked[at][(linked[at].size() - 1) / 2];
  };
  for (std::size_t at = 0; at < target_length; ++at) {
    for (std::size_t away = 0; away < target_length; ++away) {
      if (at + away < target_length && !linked[at + away].empty()) {
        found[at] = middle(at + away);
        break;
      }
      if (away <= at && !linked[at - away].empty()) {
        found[at] = middle(at - away);
        break;
      }
    }
  }
  return found;
}

}  // namespace dragoman::neural
