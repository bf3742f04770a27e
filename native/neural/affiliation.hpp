#pragma once
// The source word that a target word is affiliated with: the middle one of those that it is linked to, or what its
// nearest linked neighbour is affiliated with, the right one if both are as near (Devlin et al. 2014).
#include <algorithm>
#include <cstdint>
#include <vector>

namespace dragoman::neural {

// Appends the source position of each target word. A `link` has a source and a target; without any link the first
// source word stands for all.
void append_affiliations(const auto& links, std::size_t target_length, std::vector<std::uint32_t>& found) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  const std::size_t from = found.size();
  found.resize(from + target_length, kNone);
  std::uint32_t* const at = found.data() + from;
  std::vector<std::uint32_t> linked;
  for (std::size_t target = 0; target < target_length; ++target) {
    linked.clear();
    for (const auto& link : links)
      if (link.target == target) linked.push_back(link.source);
    if (linked.empty()) continue;
    std::ranges::sort(linked);
    at[target] = linked[(linked.size() - 1) / 2];
  }
  std::vector<std::uint32_t> taken(at, at + target_length);
  for (std::size_t target = 0; target < target_length; ++target) {
    if (taken[target] != kNone) continue;
    at[target] = 0;
    for (std::size_t away = 1; away < target_length; ++away) {
      const bool right = target + away < target_length && taken[target + away] != kNone;
      if (!right && (target < away || taken[target - away] == kNone)) continue;
      at[target] = taken[right ? target + away : target - away];
      break;
    }
  }
}

}  // namespace dragoman::neural
