#pragma once
// Static linear interpolation: several models into one list of n-grams (as SRILM's mixing does). Listed n-grams get the
// weighted mean of their probabilities, back-off weights are computed anew so that every context sums to one. A word
// that a model does not know has probability zero in it, so that the mixture over the joint vocabulary is one too.
#include <span>

#include "lm/build.hpp"

namespace dragoman::lm {

struct MixturePart {
  const ClosedNgrams* ngrams;
  const Model* model;  // built from them, exact
  double weight;
};
[[nodiscard]] Ngrams interpolate(std::span<const MixturePart> parts);

}  // namespace dragoman::lm
