#pragma once
// Search through words that are given: partial translations in beams by the number of these words that they have
// written, each beam filled from the earlier ones by what fits. Where nothing fits any more, search goes back to the
// longest beginning that was written and takes what is allowed only then. What is in the last beam goes on freely.
// (Green, Cer and Manning 2014; Koehn, Tsoukala and Saint-Amand 2014.)
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "search/node.hpp"

namespace dragoman::search {

class PrefixBeams {
 public:
  // What may be tried: all that search may do anyway; longer jumps, too; and options that were made up for this prefix.
  enum class Means : std::uint8_t { kUsual, kFar, kMadeUp };

  struct Candidate {
    double key;
    NodeId node;
    std::uint32_t place, option;  // as the search understands them
  };

  // Writes `length` words, beginning with node `start`; says whether all were written.
  //   expand(node, words written, means)  calls `add` for whatever may follow
  //   take(candidate)                     makes a node of it
  //   close(nodes)                        gives the nodes that were made since the last call and are kept
  template <typename Expand, typename Take, typename Close>
  bool run(NodeId start, std::uint32_t length, std::size_t pop_limit, const Expand& expand, const Take& take,
           const Close& close) {
    candidates_.resize(length + 1);
    beams_.resize(length + 1);
    for (auto& each : candidates_) each.clear();
    for (auto& each : beams_) each.clear();
    beams_[0].push_back(start);
    furthest_ = 0;
    for (std::uint32_t written = 0;; ++written) {
      if (written > 0) {
        fill(written, pop_limit, take);
        close(beams_[written]);
      }
      if (written == length) return !beams_[length].empty();
      closed_ = written;
      for (const NodeId node : beams_[written]) expand(node, written, Means::kUsual);
      for (const Means means : {Means::kFar, Means::kMadeUp})
        for (std::uint32_t from = written + 1; furthest_ <= written && from-- > 0;)
          for (const NodeId node : beams_[from]) expand(node, from, means);
      if (furthest_ <= written) return false;
    }
  }
  void add(std::uint32_t written, const Candidate& candidate) {
    if (written <= closed_) return;
    candidates_[written].push_back(candidate);
    furthest_ = std::max(furthest_, written);
  }
  [[nodiscard]] std::span<const NodeId> written() const noexcept { return beams_.back(); }

 private:
  // The candidates that look best, in that order.
  template <typename Take>
  void fill(std::uint32_t written, std::size_t pop_limit, const Take& take) {
    auto& found = candidates_[written];
    const auto better = [](const Candidate& a, const Candidate& b) {
      if (a.key != b.key) return a.key > b.key;
      if (a.node != b.node) return a.node < b.node;
      return a.place != b.place ? a.place < b.place : a.option < b.option;
    };
    const auto most = static_cast<std::ptrdiff_t>(std::min(pop_limit, found.size()));
    std::partial_sort(found.begin(), found.begin() + most, found.end(), better);
    found.resize(static_cast<std::size_t>(most));
    for (const Candidate& candidate : found) take(candidate);
  }

  std::vector<std::vector<Candidate>> candidates_;  // by the number of words written
  std::vector<std::vector<NodeId>> beams_;
  std::uint32_t furthest_ = 0, closed_ = 0;
};

}  // namespace dragoman::search
