"""The best derivations of some sentences as flat arrays: all that tuners look at, without an object per derivation.

Candidates lie list by list, best first; each has a row of feature ids and values, a score and a text. Several
derivations of a sentence often say the same, so texts stand apart, each once in a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman.forest.forest import Forest

__all__ = ["KBestLists"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KBestLists:
    """Candidates of list `i` are `lists[i]` to `lists[i + 1]`, features of candidate `k` `rows[k]` to `rows[k + 1]`."""

    lists: Ids
    rows: Ids
    ids: Ids
    """Feature ids of the decoder, ascending in each row."""
    values: Floats
    scores: Floats
    text_of: Ids
    """Which of the texts each candidate derives."""
    texts: list[str]

    @staticmethod
    def of_forests(forests: Sequence[Forest], *, nbest: int, distinct: bool = False, threads: int = 0) -> KBestLists:
        """The best derivations of each forest; with `distinct` only the best of each text."""
        return KBestLists(
            *native.kbest_lists(
                [forest.native for forest in forests],
                [forest.words for forest in forests],
                nbest=nbest,
                distinct=distinct,
                threads=threads,
            )
        )

    @staticmethod
    def joined(parts: Sequence[KBestLists]) -> KBestLists:
        """The lists of all parts, one part after the other."""
        if len(parts) == 1:
            return parts[0]

        def shifted(starts: Sequence[Ids]) -> Ids:
            ends = np.cumsum([0, *(part[-1] for part in starts)])
            moved = [part[1:] + base for part, base in zip(starts, ends, strict=False)]
            return np.concatenate([np.zeros(1, dtype=np.int64), *moved])

        texts = np.cumsum([0, *(len(part.texts) for part in parts)])
        return KBestLists(
            shifted([part.lists for part in parts]),
            shifted([part.rows for part in parts]),
            np.concatenate([part.ids for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.text_of + base for part, base in zip(parts, texts, strict=False)]),
            [text for part in parts for text in part.texts],
        )

    def __len__(self) -> int:
        """The number of lists."""
        return len(self.lists) - 1

    @property
    def best(self) -> list[str]:
        """The first text of each list; empty where there is none."""
        first = self.lists[:-1]
        filled = np.diff(self.lists) > 0
        return [self.texts[self.text_of[at]] if some else "" for at, some in zip(first, filled, strict=True)]

    def chosen(self, lists: Sequence[int]) -> KBestLists:
        """Some of the lists, in this order."""
        candidates = _ranges(self.lists, np.asarray(lists, dtype=np.int64))
        places = _ranges(self.rows, candidates)
        return KBestLists(
            _starts(np.diff(self.lists)[lists]),
            _starts(np.diff(self.rows)[candidates]),
            self.ids[places],
            self.values[places],
            self.scores[candidates],
            self.text_of[candidates],
            self.texts,
        )

    def gradient(self, coefficients: Floats) -> tuple[Ids, Floats]:
        """Sum of the feature vectors with these coefficients, without what is equal in all and so cancels out."""
        used = np.flatnonzero(coefficients)
        places = _ranges(self.rows, used)
        spread = np.repeat(coefficients[used], np.diff(self.rows)[used]) * self.values[places]
        if not len(spread):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        ids = self.ids[places]
        size = int(ids.max()) + 1
        sums: Floats = np.bincount(ids, spread, minlength=size).astype(np.float64, copy=False)
        masses = np.bincount(ids, np.abs(spread), minlength=size)
        found = np.flatnonzero(np.abs(sums) > 1e-12 * masses)
        return found, sums[found]


def _starts(lengths: Ids) -> Ids:
    """Where rows of these lengths start, and the end."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])


def _ranges(starts: Ids, rows: Ids) -> Ids:
    """The places of these rows, one row after the other."""
    lengths = np.diff(starts)[rows]
    first = np.repeat(starts[:-1][rows] - _starts(lengths)[:-1], lengths)
    return first + np.arange(len(first))
