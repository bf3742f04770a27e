"""Near-duplicates in a large text: lines that say the same, found by an index first and a scorer second.

Comparing all lines with all would take years for a million of them. Lines with the same words are found by hashing;
pairs that share enough of their words by an index of rare words, which misses none (native code); only those pairs are
scored. `least_shared` decides how far apart in words two lines may be, `least` how similar the scorer must find them.

    >>> found = near_duplicates(["the cat sat on the mat", "a dog barked", "The cat sat on a mat."], least=0.5)
    >>> [(pair.first, pair.second, round(pair.score, 2)) for pair in found]
    [(0, 2, 0.83)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dragoman._native import similarity as native
from dragoman.metrics.lexical import is_punctuation
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import check_argument
from dragoman.similarity.base import PairScorer
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.words import cut

__all__ = ["NearDuplicate", "near_duplicates"]


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two lines by number, from 0, the first before the second, and how similar they are."""

    first: int
    second: int
    score: float
    shared: float
    """Words in both, of the different words that both have together; 1 if they have the same."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def near_duplicates(
    lines: Sequence[str],
    scorer: PairScorer | None = None,
    *,
    least: float = 0.8,
    least_shared: float = 0.5,
    annotate: Callable[[Sequence[TextPair]], Iterable[TextPair]] | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> list[NearDuplicate]:
    """Pairs of lines that a scorer finds similar, in the order of the text; without a scorer, by shared words alone.

    Empty lines are in no pair. A line whose words another one repeats is paired with the first line of that kind only,
    so that a thousand copies make a thousand pairs. `annotate` gives pairs the layers that a scorer needs.
    """
    check_argument("least", least, float, least=0, most=1)
    check_argument("least_shared", least_shared, float, above=0, most=1)
    kinds: dict[str, int] = {}
    found: list[NearDuplicate] = []
    for at, line in enumerate(lines):
        key = " ".join(dict.fromkeys(word for word in cut(line.lower()) if not is_punctuation(word)))
        if not key:
            continue
        first = kinds.setdefault(key, at)
        if first != at:
            found.append(NearDuplicate(first, at, 1.0, 1.0))
        if progress is not None and at % 100_000 == 0:
            progress(Progress("reading", at, len(lines)))
    numbers = list(kinds.values())
    ours, theirs, shared = native.near_duplicates(list(kinds), least=least_shared, threads=threads)
    found += [
        NearDuplicate(numbers[i], numbers[j], value, value)
        for i, j, value in zip(ours.tolist(), theirs.tolist(), shared.tolist(), strict=True)
    ]
    if scorer is not None and found:
        pairs: Sequence[TextPair] = [TextPair.of(lines[pair.first], lines[pair.second]) for pair in found]
        if annotate is not None:
            pairs = list(annotate(pairs))
        scores = scorer.score(pairs, threads=threads, progress=progress)
        found = [
            NearDuplicate(pair.first, pair.second, float(score), pair.shared)
            for pair, score in zip(found, np.asarray(scores), strict=True)
        ]
    return sorted((pair for pair in found if pair.score >= least), key=lambda pair: (pair.first, pair.second))
