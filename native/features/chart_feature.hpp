#pragma once
// The contract of state features for decoders that build a translation from its parts. The state of a partial
// translation stands for all that the feature needs to know of it, whatever will stand beside it later; a rule makes it
// from the states of its parts. Equal states recombine.
#include <span>
#include <string>

#include "features/feature.hpp"

namespace dragoman::features {

// One object serves one thread.
class ChartFeature {
 public:
  virtual ~ChartFeature() = default;
  // A new sentence; `options` stay valid until the next call.
  virtual void begin(const SentenceView& sentence, std::span<const OptionView> options) = 0;
  // What the option makes of its parts: `tails` are their states, by nonterminal in source order.
  virtual StateId combine(const OptionView& option, std::span<const StateId> tails, Fire& fire) = 0;
  // The whole sentence is translated.
  virtual void finish(StateId state, Fire& fire) = 0;
  // What it expects of an option by itself: orders options, but does not enter the score.
  virtual double isolated(const OptionView&) { return 0; }
  // For messages: what it is, and how to train without it.
  [[nodiscard]] virtual std::string label() const { return "in C++"; }
  [[nodiscard]] virtual std::string remedy() const { return kLeaveFeatureOut; }
};

}  // namespace dragoman::features
