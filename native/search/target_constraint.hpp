#pragma once
// Forced decoding: only what can still become one of the references is kept. The state of a partial translation is
// where in the references it stands; a rule is possible if the words and parts of its target stand there one after the
// other. (Siahbani, Sankaran and Sarkar 2013.)
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/hash.hpp"
#include "common/interned.hpp"
#include "features/feature.hpp"
#include "grammar/symbols.hpp"

namespace dragoman::search {

using features::StateId;

class TargetConstraint {
 public:
  // References as words of the sentence's own numbering; without any, everything is possible.
  void begin(std::vector<std::vector<WordId>> references) {
    references_ = std::move(references);
    states_.clear();
  }
  [[nodiscard]] bool active() const noexcept { return !references_.empty(); }
  [[nodiscard]] std::span<const std::vector<WordId>> references() const noexcept { return references_; }

  // The state of a target whose nonterminals stand for parts in the states tails(index); false if it stands nowhere.
  // What `opens` the sentence stands at the beginning of a reference.
  template <typename Tails>
  bool combine(std::span<const WordId> target, bool opens, const Tails& tails, StateId& state) {
    found_.clear();
    for (std::uint32_t reference = 0; reference < references_.size(); ++reference) {
      const auto length = static_cast<std::uint32_t>(references_[reference].size());
      for (std::uint32_t start = 0; start <= (opens ? 0 : length); ++start) {
        ends_.assign(1, start);
        for (const WordId symbol : target) {
          std::size_t kept = 0;
          for (const std::uint32_t end : ends_) {
            if (!grammar::is_nonterminal(symbol)) {
              if (end < length && references_[reference][end] == symbol) ends_[kept++] = end + 1;
            } else if (const std::uint32_t after = end_of(tails(grammar::index_of(symbol)), reference, end);
                       after != kNowhere) {
              ends_[kept++] = after;
            }
          }
          ends_.resize(kept);
          if (ends_.empty()) break;
        }
        for (const std::uint32_t end : ends_) found_.push_back({reference, start, end});
      }
    }
    if (found_.empty()) return false;
    std::uint64_t hash = 0;
    for (const Place& place : found_)
      hash = combine_hash(combine_hash(combine_hash(hash, place.reference), place.start), place.end);
    state = states_.intern(found_, hash);
    return true;
  }
  // Whether it is a whole reference.
  [[nodiscard]] bool complete(StateId state) const noexcept {
    return std::ranges::any_of(states_[state], [&](const Place& place) {
      return place.start == 0 && place.end == references_[place.reference].size();
    });
  }

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  struct Place {
    std::uint32_t reference, start, end;
    friend bool operator==(const Place&, const Place&) = default;
  };
  [[nodiscard]] static std::uint64_t combine_hash(std::uint64_t hash, std::uint32_t value) noexcept {
    return dragoman::combine(hash, value);
  }
  // Equal texts stand at equal places, so a part that begins somewhere ends in one place only.
  [[nodiscard]] std::uint32_t end_of(StateId state, std::uint32_t reference, std::uint32_t start) const noexcept {
    for (const Place& place : states_[state])
      if (place.reference == reference && place.start == start) return place.end;
    return kNowhere;
  }

  std::vector<std::vector<WordId>> references_;
  Interned<std::vector<Place>> states_;
  std::vector<Place> found_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace dragoman::search
