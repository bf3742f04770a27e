#pragma once
// Checks that features tell the truth about their states. Search scores a step from the state that it has, which may be
// that of another translation whose state was said to be equal; here every step that search kept is scored again from
// scratch, along its own translation and along those that were recombined with it. Where the values differ, the state
// forgets something that the feature uses. Slow; for those who write features.
#include <memory>
#include <vector>

#include "features/feature.hpp"
#include "search/phrase_view.hpp"

namespace dragoman::search {

class FeatureCheck {
 public:
  explicit FeatureCheck(const PhraseModel& model);

  // Throws InputError, which names the feature. `exact`: nodes that recombined agree in all states.
  void check(const SearchView& view, bool exact);

 private:
  // Nodes through which a derivation may come to this one: itself, and some of those that it beat.
  [[nodiscard]] std::vector<NodeId> ways(const SearchView& view, NodeId node, bool exact) const;
  void check_step(const SearchView& view, NodeId node, bool exact);
  void check_end(const SearchView& view, NodeId node, bool exact);
  // The values of the last part of a translation, from scratch: after a step, or at its end.
  [[nodiscard]] const FeatureVector& replayed(const SearchView& view, std::size_t feature, NodeId last,
                                              const Option* next);
  void require_equal(const SearchView& view, std::size_t feature, const FeatureVector& searched,
                     const FeatureVector& scratch, NodeId node) const;

  const PhraseModel& model_;
  std::vector<std::unique_ptr<features::StateFeature>> witnesses_;
  std::vector<std::uint32_t> path_;
  std::vector<FeatureVector> fired_;
};

}  // namespace dragoman::search
