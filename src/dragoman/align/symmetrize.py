"""Symmetrization: one alignment out of two directional ones.

A directional aligner gives each word of one side at most one link. Running it both ways and combining the two gives
many-to-many links; heuristics differ in what they add to the intersection, trading precision for the recall that
extraction needs. The order of additions is part of the definition (ties are decided by it) and is that of Moses' symal:
growing goes over targets and, for each, over sources, and tries the neighbours left, below, right, above and then the
diagonals; the final step goes through the forward links by target, then the reverse links by source. Hence the result
for exchanged sides is not always the transposed one. (Koehn, Och and Marcu 2003.)

    >>> symmetrize("0-0 1-1", "0-0 2-1", heuristic="union")
    Alignment('0-0 1-1 2-1')
"""

from __future__ import annotations

from collections.abc import Iterable

from dragoman.align.alignment import Alignment, from_arrays, to_arrays
from dragoman.errors import LengthMismatch

__all__ = ["HEURISTICS", "USUAL", "symmetrize", "symmetrize_all"]

HEURISTICS = (
    "source-to-target", "target-to-source", "intersection", "union",
    "grow", "grow-diag", "grow-diag-final", "grow-diag-final-and",
)  # fmt: skip
"""Heuristics on two alignments; trained aligners also know `posterior`, which works on probabilities."""

USUAL = "grow-diag-final-and"
"""For those who name none, in the parts and in the recipe: links that extraction makes the best rules of."""


def symmetrize(forward: Alignment | str, reverse: Alignment | str, *, heuristic: str = USUAL) -> Alignment:
    """Combine two alignments of one sentence pair, both as (source, target) links.

    `forward` links each target word at most once (its model generates the target), `reverse` each source word.
    """
    return symmetrize_all([forward], [reverse], heuristic=heuristic, threads=1)[0]


def symmetrize_all(
    forward: Iterable[Alignment | str],
    reverse: Iterable[Alignment | str],
    *,
    heuristic: str = USUAL,
    threads: int = 0,
) -> list[Alignment]:
    """Combine the alignments of many sentence pairs."""
    from dragoman._native import align

    one, other = ([_alignment(item) for item in side] for side in (forward, reverse))
    if len(one) != len(other):
        raise LengthMismatch(
            f"{len(one)} alignments in one direction, {len(other)} in the other", remedy="give both the same text"
        )
    return from_arrays(*align.symmetrize(*to_arrays(one), *to_arrays(other), heuristic=heuristic, threads=threads))


def _alignment(item: Alignment | str) -> Alignment:
    return Alignment.parse(item) if isinstance(item, str) else item
