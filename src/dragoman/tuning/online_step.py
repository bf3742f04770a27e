"""One step of learning weights from one corrected sentence.

In the forest of the sentence are a hope, which model and correction like together, and a fear, which the model likes in
spite of the correction. The weights move so far that the hope wins by what it is better, and no further than a limit
(passive-aggressive: Crammer, Dekel, Keshet et al. 2006; hope and fear: Chiang 2012).
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman._native import forest as native
from dragoman.forest import Derivation, Forest
from dragoman.forest.oracle import reference_rows

__all__ = ["online_step"]

_BEAM = 20


def online_step(forest: Forest, reference: Sequence[str], *, limit: float) -> dict[str, float]:
    """What to add to each weight; empty if the hope wins by enough already."""
    if not forest or not reference:
        return {}
    rows = reference_rows(forest.words, [list(reference)])
    (hope, high), (fear, low) = (
        (Derivation(forest, edges), gain)
        for edges, gain in (
            native.bleu_oracle(forest.native, *rows, _BEAM, model=1.0, gain=sign) for sign in (1.0, -1.0)
        )
    )
    wanted = (high - low) * len(reference) - (hope.score - fear.score)
    difference = {name: value for name, value in hope.features.items() if value}
    for name, value in fear.features.items():
        difference[name] = difference.get(name, 0.0) - value
    length = sum(value * value for value in difference.values())
    if wanted <= 0 or length <= 0:
        return {}
    step = min(limit, wanted / length)
    return {name: step * value for name, value in difference.items() if value}
