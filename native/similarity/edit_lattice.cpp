#include "similarity/edit_lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "common/error.hpp"
#include "common/parallel.hpp"

namespace dragoman::similarity {

namespace {

constexpr std::size_t kLongest = 1000;

enum Mode : std::uint8_t { kNormal, kAhead, kGap };

// Where a way has got to: how far in both sentences (0 and 1), whether within a jump and on which side, what the jump
// must remember, whether a substitution was made since, and the last operation.
struct State {
  std::array<std::uint16_t, 2> at{};
  Mode mode = kNormal;
  std::uint8_t side = 0;
  std::uint16_t gap = 0;   // ahead: where the gap begins; in the gap: where it ends
  std::uint16_t land = 0;  // ahead: where the jump landed; in the gap: where it goes on afterwards
  bool substituted = false;
  std::uint8_t before = kStart;

  [[nodiscard]] std::uint64_t key() const noexcept {
    std::uint64_t key = at[0];
    key = (key << 10) | at[1];
    key = (key << 10) | gap;
    key = (key << 10) | land;
    key = (key << 2) | mode;
    key = (key << 1) | side;
    key = (key << 1) | (substituted ? 1 : 0);
    return (key << 5) | before;
  }
};

class Builder {
 public:
  Builder(std::size_t first, std::size_t second, std::span<const EditMatch> matches, const EditLimits& limits)
      : length_{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second)},
        limits_(limits),
        starts_(first * second + 1, 0),
        matches_(matches.begin(), matches.end()) {
    std::ranges::stable_sort(matches_, {}, [&](const EditMatch& match) { return cell(match.first, match.second); });
    for (const EditMatch& match : matches_) ++starts_[cell(match.first, match.second) + 1];
    for (std::size_t at = 1; at < starts_.size(); ++at) starts_[at] += starts_[at - 1];
  }

  template <typename Emit>
  void successors(const State& state, const Emit& emit) const {
    const auto substitutions = [&](const auto& allowed, bool remember) {
      for (const EditMatch& match : at(state.at)) {
        State next = state;
        next.at[0] = static_cast<std::uint16_t>(next.at[0] + match.first_length);
        next.at[1] = static_cast<std::uint16_t>(next.at[1] + match.second_length);
        next.substituted = remember;
        if (allowed(next)) emit(match.operation, next);
      }
    };
    const auto consume = [&](int side, const auto& allowed) {
      if (state.at[side] >= length_[side]) return;
      State next = state;
      ++next.at[side];
      if (allowed(next)) emit(side == 0 ? kDelete : kInsert, next);
    };
    const auto always = [](const State&) { return true; };
    if (state.mode == kNormal) {
      consume(0, always);
      consume(1, always);
      substitutions(always, false);
      if (limits_.jump_first) jumps(state, 0, emit);
      if (limits_.jump_second) jumps(state, 1, emit);
      return;
    }
    const int side = state.side, other = 1 - side;
    const auto jump = static_cast<std::uint8_t>(side == 1 ? kJumpSecond1 : kJumpFirst1);
    if (state.mode == kAhead) {
      const auto near = [&](const State& next) {
        return limits_.max_ahead == 0 || next.at[side] - state.land <= limits_.max_ahead;
      };
      substitutions(near, true);
      if (!state.substituted) return;
      consume(other, always);
      consume(side, near);
      State back = state;
      back.mode = kGap;
      back.gap = state.land;
      back.land = state.at[side];
      back.at[side] = state.gap;
      back.substituted = false;
      emit(static_cast<std::uint8_t>(jump + 1), back);
      return;
    }
    if (state.at[side] == state.gap) {
      State on = state;
      on.at[side] = state.land;
      on.mode = kNormal;
      on.side = 0;
      on.gap = on.land = 0;
      on.substituted = false;
      emit(static_cast<std::uint8_t>(jump + 2), on);
      return;
    }
    substitutions([&](const State& next) { return next.at[side] <= state.gap; }, true);
    consume(other, always);
    // What would fill the gap without matching anything must wait for a match; else it would double plain edits.
    if (state.substituted) consume(side, always);
  }

  [[nodiscard]] bool is_end(const State& state) const noexcept { return state.mode == kNormal && state.at == length_; }

 private:
  [[nodiscard]] std::size_t cell(std::size_t first, std::size_t second) const noexcept {
    return first * length_[1] + second;
  }
  [[nodiscard]] std::span<const EditMatch> at(const std::array<std::uint16_t, 2>& place) const {
    if (place[0] >= length_[0] || place[1] >= length_[1]) return {};
    const std::size_t here = cell(place[0], place[1]);
    return std::span(matches_).subspan(starts_[here], starts_[here + 1] - starts_[here]);
  }
  template <typename Emit>
  void jumps(const State& state, int side, const Emit& emit) const {
    for (int distance = 1; distance <= limits_.jump; ++distance) {
      State next = state;
      next.at[side] = static_cast<std::uint16_t>(state.at[side] + distance);
      if (next.at[side] >= length_[side]) return;
      if (at(next.at).empty()) continue;  // the next operation must be a substitution
      next.mode = kAhead;
      next.side = static_cast<std::uint8_t>(side);
      next.gap = state.at[side];
      next.land = next.at[side];
      next.substituted = false;
      emit(static_cast<std::uint8_t>(side == 1 ? kJumpSecond1 : kJumpFirst1), next);
    }
  }

  std::array<std::uint16_t, 2> length_;
  EditLimits limits_;
  std::vector<std::size_t> starts_;
  std::vector<EditMatch> matches_;
};

}  // namespace

EditLattice::EditLattice(std::size_t first, std::size_t second, std::span<const EditMatch> matches,
                         const EditLimits& limits) {
  if (first > kLongest || second > kLongest)
    throw InputError("a sentence of more than 1,000 words", "", "leave such pairs out");
  if (first + second == 0) throw InputError("two empty sentences have nothing to edit");
  for (const EditMatch& match : matches)
    if (match.operation <= kInsert || match.operation >= kJumpSecond1 || match.first_length == 0 ||
        match.second_length == 0 || std::size_t{match.first} + match.first_length > first ||
        std::size_t{match.second} + match.second_length > second)
      throw InputError("a match outside of its sentences");
  const Builder builder(first, second, matches, limits);

  // All that can be reached, with its edges.
  std::vector<State> states{State{}};
  std::unordered_map<std::uint64_t, std::uint32_t> numbers{{State{}.key(), 0}};
  std::vector<std::uint32_t> ends{0};
  std::vector<std::uint32_t> to;
  std::vector<std::uint8_t> operation;
  for (std::size_t at = 0; at < states.size(); ++at) {
    if ((at & 0xfff) == 0) stop_if_interrupted();
    const State state = states[at];
    builder.successors(state, [&](std::uint8_t made, State next) {
      next.before = made;
      const auto [entry, fresh] = numbers.try_emplace(next.key(), static_cast<std::uint32_t>(states.size()));
      if (fresh) states.push_back(next);
      to.push_back(entry->second);
      operation.push_back(made);
    });
    ends.push_back(static_cast<std::uint32_t>(to.size()));
  }

  // Of these, what an end can be reached from, in an order in which edges lead to later nodes only (depth first).
  constexpr std::uint32_t kUnseen = 0xffffffff, kDead = 0xfffffffe, kOpen = 0xfffffffd;
  std::vector<std::uint32_t> place(states.size(), kUnseen);
  std::vector<std::uint32_t> finished;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path{{0, ends[0]}};
  std::vector<bool> alive(states.size(), false);
  place[0] = kOpen;
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next < ends[node + 1]) {
      const std::uint32_t below = to[next++];
      if (place[below] == kUnseen) {
        place[below] = kOpen;
        path.emplace_back(below, ends[below]);
      }
      continue;
    }
    alive[node] = builder.is_end(states[node]);
    for (std::uint32_t edge = ends[node]; edge < ends[node + 1]; ++edge) alive[node] = alive[node] || alive[to[edge]];
    place[node] = kDead;
    if (alive[node]) finished.push_back(node);
    path.pop_back();
  }
  std::ranges::reverse(finished);
  for (std::size_t at = 0; at < finished.size(); ++at) place[finished[at]] = static_cast<std::uint32_t>(at);
  for (const std::uint32_t node : finished) {
    nodes_.push_back({states[node].at[0], states[node].at[1], states[node].before});
    for (std::uint32_t edge = ends[node]; edge < ends[node + 1]; ++edge) {
      if (!alive[to[edge]]) continue;
      to_.push_back(place[to[edge]]);
      operation_.push_back(operation[edge]);
    }
    ends_.push_back(static_cast<std::uint32_t>(to_.size()));
  }
}

double EditLattice::value(std::span<const double> weights, std::span<double> expected) const {
  std::vector<double> inside(nodes_.size(), 0.0);
  std::vector<double> share(to_.size());
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    const std::uint32_t begin = at == 0 ? 0 : ends_[at - 1], end = ends_[at];
    if (begin == end) continue;
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint32_t edge = begin; edge < end; ++edge) {
      share[edge] = weight(nodes_[at], operation_[edge], weights) + inside[to_[edge]];
      most = std::max(most, share[edge]);
    }
    double sum = 0;
    for (std::uint32_t edge = begin; edge < end; ++edge) sum += share[edge] = std::exp(share[edge] - most);
    for (std::uint32_t edge = begin; edge < end; ++edge) share[edge] /= sum;
    inside[at] = most + std::log(sum);
  }
  if (!expected.empty()) {
    std::ranges::fill(expected, 0.0);
    std::vector<double> chance(nodes_.size(), 0.0);
    chance[0] = 1;
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      for (std::uint32_t edge = at == 0 ? 0 : ends_[at - 1]; edge < ends_[at]; ++edge) {
        const double part = chance[at] * share[edge];
        chance[to_[edge]] += part;
        expected[operation_[edge]] += part;
        if (nodes_[at].before != kStart) expected[pair_feature(nodes_[at].before, operation_[edge])] += part;
      }
    }
  }
  return inside[0];
}

std::vector<EditStep> EditLattice::best(std::span<const double> weights) const {
  std::vector<double> inside(nodes_.size(), 0.0);
  std::vector<std::uint32_t> chosen(nodes_.size(), 0);
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    const std::uint32_t begin = at == 0 ? 0 : ends_[at - 1];
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint32_t edge = begin; edge < ends_[at]; ++edge) {
      const double score = weight(nodes_[at], operation_[edge], weights) + inside[to_[edge]];
      if (score > most) {
        most = score;
        chosen[at] = edge;
      }
    }
    if (begin != ends_[at]) inside[at] = most;
  }
  std::vector<EditStep> steps;
  for (std::size_t at = 0; (at == 0 ? 0 : ends_[at - 1]) != ends_[at]; at = to_[chosen[at]])
    steps.push_back({operation_[chosen[at]], nodes_[at].first, nodes_[at].second});
  return steps;
}

void EditLattice::count_features(std::span<double> counts) const {
  std::vector<bool> fires(kFeatures, false);
  for (std::size_t at = 0; at < nodes_.size(); ++at)
    for (std::uint32_t edge = at == 0 ? 0 : ends_[at - 1]; edge < ends_[at]; ++edge) {
      fires[operation_[edge]] = true;
      if (nodes_[at].before != kStart) fires[pair_feature(nodes_[at].before, operation_[edge])] = true;
    }
  for (std::size_t at = 0; at < kFeatures; ++at) counts[at] += fires[at] ? 1 : 0;
}

}  // namespace dragoman::similarity
