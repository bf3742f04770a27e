#include "align/symmetrize.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "common/error.hpp"

namespace dragoman::align {

namespace {

struct Named {
  std::string_view name;
  Heuristic heuristic;
};
constexpr std::array<Named, 8> kNames{{{"source-to-target", Heuristic::forward},
                                       {"target-to-source", Heuristic::reverse},
                                       {"intersection", Heuristic::intersection},
                                       {"union", Heuristic::union_},
                                       {"grow", Heuristic::grow},
                                       {"grow-diag", Heuristic::grow_diag},
                                       {"grow-diag-final", Heuristic::grow_diag_final},
                                       {"grow-diag-final-and", Heuristic::grow_diag_final_and}}};

// The matrix of one sentence pair; buffers are kept from pair to pair.
class Matrix {
 public:
  void run(std::span<const Link> forward, std::span<const Link> reverse, Heuristic heuristic, std::vector<Link>& out) {
    const std::size_t first = out.size();
    const auto tail = [&] { return out.begin() + static_cast<std::ptrdiff_t>(first); };
    switch (heuristic) {
      case Heuristic::forward:
        out.insert(out.end(), forward.begin(), forward.end());
        return;
      case Heuristic::reverse:
        out.insert(out.end(), reverse.begin(), reverse.end());
        return;
      case Heuristic::intersection:
        std::set_intersection(forward.begin(), forward.end(), reverse.begin(), reverse.end(), std::back_inserter(out));
        return;
      case Heuristic::union_:
        std::set_union(forward.begin(), forward.end(), reverse.begin(), reverse.end(), std::back_inserter(out));
        return;
      default:
        break;
    }
    rows_ = columns_ = 0;
    for (const auto links : {forward, reverse})
      for (const Link& link : links) {
        rows_ = std::max(rows_, link.source + 1);
        columns_ = std::max(columns_, link.target + 1);
      }
    state_.assign(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_), 0);
    source_covered_.assign(static_cast<std::size_t>(rows_), 0);
    target_covered_.assign(static_cast<std::size_t>(columns_), 0);
    for (const Link& link : forward) at(link.source, link.target) |= kUnion;
    for (const Link& link : reverse) {
      std::uint8_t& cell = at(link.source, link.target);
      if ((cell & kUnion) != 0) add(link.source, link.target);
      cell |= kUnion;
    }
    grow(heuristic != Heuristic::grow);
    if (heuristic == Heuristic::grow_diag_final || heuristic == Heuristic::grow_diag_final_and) {
      const bool both = heuristic == Heuristic::grow_diag_final_and;
      // Symal's order: first the links that give each target word one source word, by target, then the other
      // direction, by source.
      by_target_.assign(forward.begin(), forward.end());
      std::sort(by_target_.begin(), by_target_.end(), [](const Link& a, const Link& b) {
        return a.target != b.target ? a.target < b.target : a.source < b.source;
      });
      finish(by_target_, both);
      finish(reverse, both);
    }
    for (std::int32_t source = 0; source < rows_; ++source)
      for (std::int32_t target = 0; target < columns_; ++target)
        if ((at(source, target) & kAligned) != 0) out.push_back({source, target});
    std::sort(tail(), out.end());
  }

 private:
  static constexpr std::uint8_t kUnion = 1, kAligned = 2;

  std::uint8_t& at(std::int32_t source, std::int32_t target) {
    return state_[static_cast<std::size_t>(source) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(target)];
  }
  [[nodiscard]] bool free_source(std::int32_t source) const {
    return source_covered_[static_cast<std::size_t>(source)] == 0;
  }
  [[nodiscard]] bool free_target(std::int32_t target) const {
    return target_covered_[static_cast<std::size_t>(target)] == 0;
  }
  void add(std::int32_t source, std::int32_t target) {
    at(source, target) |= kAligned;
    source_covered_[static_cast<std::size_t>(source)] = 1;
    target_covered_[static_cast<std::size_t>(target)] = 1;
  }

  // Passes over the matrix, target by target and then source by source; a link that is added is seen at once.
  void grow(bool diagonal) {
    constexpr std::array<std::array<int, 2>, 8> kNeighbours{
        {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};  // (source, target)
    const std::size_t count = diagonal ? 8 : 4;
    for (bool added = true; added;) {
      added = false;
      for (std::int32_t target = 0; target < columns_; ++target)
        for (std::int32_t source = 0; source < rows_; ++source) {
          if ((at(source, target) & kAligned) == 0) continue;
          for (std::size_t n = 0; n < count; ++n) {
            const std::int32_t row = source + kNeighbours[n][0], column = target + kNeighbours[n][1];
            if (row < 0 || column < 0 || row >= rows_ || column >= columns_) continue;
            if (at(row, column) == kUnion && (free_source(row) || free_target(column))) {
              add(row, column);
              added = true;
            }
          }
        }
    }
  }

  void finish(std::span<const Link> links, bool both) {
    for (const Link& link : links) {
      if ((at(link.source, link.target) & kAligned) != 0) continue;
      const bool source = free_source(link.source), target = free_target(link.target);
      if (both ? source && target : source || target) add(link.source, link.target);
    }
  }

  std::int32_t rows_ = 0, columns_ = 0;
  std::vector<std::uint8_t> state_;
  std::vector<char> source_covered_, target_covered_;
  std::vector<Link> by_target_;
};

}  // namespace

Heuristic heuristic_named(std::string_view name) {
  std::string names;
  for (const Named& entry : kNames) {
    if (entry.name == name) return entry.heuristic;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw SettingError("no symmetrization is called '" + std::string(name) + "'", "choose from " + names + ", posterior");
}

Alignments symmetrize(const Alignments& forward, const Alignments& reverse, Heuristic heuristic, int threads,
                      const StopCallback& stop) {
  constexpr std::size_t kPairsPerShard = 1024;
  if (forward.ends.size() != reverse.ends.size())
    throw InputError(std::to_string(forward.ends.size()) + " alignments in one direction and " +
                     std::to_string(reverse.ends.size()) + " in the other");
  const std::size_t shards = shard_count(forward.ends.size(), kPairsPerShard);
  std::vector<Alignments> parts(shards);
  parallel_shards(
      shards, threads,
      [&](std::size_t shard) {
        Matrix matrix;
        for (std::size_t k = shard * kPairsPerShard; k < std::min(forward.ends.size(), (shard + 1) * kPairsPerShard);
             ++k) {
          matrix.run(forward.of(k), reverse.of(k), heuristic, parts[shard].links);
          parts[shard].ends.push_back(static_cast<std::int64_t>(parts[shard].links.size()));
        }
      },
      stop);
  Alignments all;
  for (const Alignments& part : parts) {
    const auto offset = static_cast<std::int64_t>(all.links.size());
    all.links.insert(all.links.end(), part.links.begin(), part.links.end());
    for (const std::int64_t end : part.ends) all.ends.push_back(offset + end);
  }
  return all;
}

}  // namespace dragoman::align
