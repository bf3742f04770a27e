#pragma once
// A prior over word pairs for the whole corpus, gathered from its anchors (the second model of Okita et al. 2010).
#include <vector>

#include "align/anchors.hpp"
#include "align/pairs.hpp"

namespace dragoman::align {

// By slot, for the forward and the reverse direction. In each sentence with n anchors among L given words, a pair of
// words that is anchored somewhere gets (L - n) / L * n and any other gets n; `exchanged` swaps the two, which is what
// the names in the paper suggest. Then normalised for each given word, and kept above a tenth of uniform.
[[nodiscard]] std::vector<std::vector<float>> dense_prior(const Bitext& bitext, const Anchors& anchors,
                                                          const Cells& cells, const PairIndex& pairs, bool exchanged);

}  // namespace dragoman::align
