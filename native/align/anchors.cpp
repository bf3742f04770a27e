#include "align/anchors.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"

namespace dragoman::align {

void Anchors::check(const Bitext& bitext) const {
  if (empty()) return;
  if (ends.size() != bitext.size())
    throw InputError("anchors of " + std::to_string(ends.size()) + " sentence pairs for " +
                     std::to_string(bitext.size()) + " pairs");
  for (std::size_t k = 0; k < ends.size(); ++k)
    for (const Anchor& anchor : of(k).anchors)
      if (anchor.source < 0 || anchor.target < 0 ||
          anchor.source >= static_cast<std::int32_t>(bitext.source(k).size()) ||
          anchor.target >= static_cast<std::int32_t>(bitext.target(k).size()) || !(anchor.confidence >= 0.5F) ||
          anchor.confidence > 1)
        throw InputError("an anchor outside its sentences, or with a confidence outside 0.5 to 1",
                         "sentence pair " + std::to_string(k + 1));
}

void fill_prior(const PairAnchors& known, bool forward, int given, int generated, PriorForm form,
                std::vector<float>& prior, std::vector<float>& null_prior) {
  const std::span<const Anchor> anchors = known.anchors;
  const auto rows = static_cast<std::size_t>(generated), columns = static_cast<std::size_t>(given);
  std::vector<char> given_anchored(columns), generated_anchored(rows);
  for (const Anchor& anchor : anchors) {
    given_anchored[static_cast<std::size_t>(forward ? anchor.source : anchor.target)] = 1;
    generated_anchored[static_cast<std::size_t>(forward ? anchor.target : anchor.source)] = 1;
  }
  float free = 1;
  if (form == PriorForm::paper) {
    const auto unanchored = std::count(given_anchored.begin(), given_anchored.end(), 0);
    free = unanchored > 0 ? 1 / static_cast<float>(unanchored) : 1;
  }
  prior.assign(rows * columns, known.whole ? 0 : free);
  null_prior.assign(rows, free);
  // What contradicts an anchor keeps what its confidence leaves over; the strictest anchor decides.
  for (const Anchor& anchor : anchors) {
    const auto i = static_cast<std::size_t>(forward ? anchor.source : anchor.target);
    const auto j = static_cast<std::size_t>(forward ? anchor.target : anchor.source);
    const float rest = 1 - anchor.confidence;
    for (std::size_t other = 0; other < columns; ++other)
      prior[j * columns + other] = std::min(prior[j * columns + other], rest);
    for (std::size_t other = 0; other < rows; ++other)
      prior[other * columns + i] = std::min(prior[other * columns + i], rest);
    null_prior[j] = std::min(null_prior[j], rest);
  }
  for (const Anchor& anchor : anchors) {
    const auto i = static_cast<std::size_t>(forward ? anchor.source : anchor.target);
    const auto j = static_cast<std::size_t>(forward ? anchor.target : anchor.source);
    prior[j * columns + i] = anchor.confidence;
  }
}

}  // namespace dragoman::align
