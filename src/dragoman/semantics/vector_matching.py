"""Word alignment by vectors alone: each word is linked to the word of the other side whose vector is nearest.

How good such links are says whether two languages share one space (Zou, Socher, Cer and Manning 2013). Of equally near
words, the one at the nearer relative position is taken; words without a vector are not linked.

    >>> import numpy as np
    >>> german, english = WordVectors(["haus", "das"], np.eye(2)), WordVectors(["the", "house"], np.eye(2)[::-1])
    >>> match_words(["das haus"], ["the house"], german, english)
    [Alignment('0-0 1-1')]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dragoman.align.alignment import Alignment
from dragoman.align.symmetrize import symmetrize
from dragoman.errors import LengthMismatch
from dragoman.semantics.vectors import WordVectors
from dragoman.settings import check_argument

__all__ = ["DIRECTIONS", "match_words"]

DIRECTIONS = ("forward", "backward", "intersection", "union")
"""Each source word to its nearest target word, each target word to its nearest source word, or both together."""


def match_words(
    source: Sequence[str],
    target: Sequence[str],
    source_vectors: WordVectors,
    target_vectors: WordVectors,
    *,
    direction: str = "forward",
    threshold: float = -1.0,
) -> list[Alignment]:
    """Links of tokenised sentence pairs; those whose cosine is below the threshold are left out."""
    check_argument("direction", direction, choices=DIRECTIONS)
    if len(source) != len(target):
        raise LengthMismatch(f"{len(source)} source sentences, {len(target)} target sentences")
    found = []
    for one, other in zip(source, target, strict=True):
        words, others = one.split(), other.split()
        forward = _nearest(words, others, source_vectors, target_vectors, threshold)
        if direction == "forward":
            found.append(forward)
            continue
        backward = _nearest(others, words, target_vectors, source_vectors, threshold).transposed()
        found.append(backward if direction == "backward" else symmetrize(forward, backward, heuristic=direction))
    return found


def _nearest(
    words: Sequence[str], others: Sequence[str], own: WordVectors, theirs: WordVectors, threshold: float
) -> Alignment:
    rows, columns = own.rows(words), theirs.rows(others)
    known, candidates = np.flatnonzero(rows >= 0), np.flatnonzero(columns >= 0)
    if not len(known) or not len(candidates):
        return Alignment()
    cosines = own.unit[rows[known]] @ theirs.unit[columns[candidates]].T
    places = np.abs((known + 0.5)[:, None] / len(words) - (candidates + 0.5)[None, :] / len(others))
    links = []
    for at, i in enumerate(known):
        best = np.lexsort((places[at], -np.round(cosines[at], 6)))[0]
        if cosines[at, best] >= threshold:
            links.append((int(i), int(candidates[best])))
    return Alignment(tuple(links))
