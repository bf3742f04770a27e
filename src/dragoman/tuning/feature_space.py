"""Weights by number, as online tuners keep them: names to the ids of a decoder and back, and its n-best lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dragoman._native import tuning as native
from dragoman._native.common import Vocabulary
from dragoman.features.weights import Weights
from dragoman.search.base import Tunable
from dragoman.text.source_text import Source

__all__ = ["FeatureSpace", "KBestLists"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class KBestLists:
    """The best derivations of a few sentences: candidates of list `i` are rows `lists[i]` to `lists[i + 1]`."""

    __slots__ = ("ids", "lists", "rows", "scores", "texts", "values")

    def __init__(self, lists: Ids, rows: Ids, ids: Ids, values: Floats, scores: Floats, texts: list[str]) -> None:
        self.lists, self.rows, self.ids, self.values, self.scores, self.texts = lists, rows, ids, values, scores, texts

    def gradient(self, coefficients: Floats) -> tuple[Ids, Floats]:
        """Sum of the feature vectors with these coefficients, without what is equal in all and so cancels out."""
        spread = np.repeat(coefficients, np.diff(self.rows)) * self.values
        used = np.flatnonzero(spread)
        if not len(used):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        ids, spread = self.ids[used], spread[used]
        size = int(ids.max()) + 1
        sums: Floats = np.bincount(ids, spread, minlength=size).astype(np.float64, copy=False)
        masses = np.bincount(ids, np.abs(spread), minlength=size)
        found = np.flatnonzero(np.abs(sums) > 1e-12 * masses)
        return found, sums[found]


class FeatureSpace:
    """Names to numbers for one decoder."""

    def __init__(self, decoder: Tunable) -> None:
        self.decoder = decoder

    @property
    def names(self) -> Vocabulary:
        """All names by number; number 0 is none."""
        return self.decoder.feature_ids

    def __len__(self) -> int:
        return len(self.names)

    def ids(self, names: Sequence[str]) -> Ids:
        """Numbers of names, new ones among them."""
        self.decoder.with_weights(dict.fromkeys(names, 0.0))  # names enter a decoder's numbering with its weights
        known = self.names
        return np.array([known.id(name) for name in names], dtype=np.int64)

    def name(self, index: int) -> str:
        return self.names.word(index)

    def weights(self, vector: Floats, keep: Mapping[str, float]) -> Weights:
        """Weights by name: those that are not 0, and those in `keep` whatever they are."""
        names = self.names
        found = dict.fromkeys(keep, 0.0)
        found.update({names.word(int(index)): float(vector[index]) for index in np.flatnonzero(vector)})
        return Weights(found)

    def lists(
        self, vector: Floats, sentences: Sequence[Source], *, nbest: int, distinct: bool, threads: int
    ) -> KBestLists:
        """Decode under these weights; the best derivations of each sentence."""
        forests = self.decoder.with_vector(vector).forests(sentences, threads=threads)
        found = native.kbest_lists(
            [forest.native for forest in forests],
            [forest.words for forest in forests],
            nbest=nbest,
            distinct=distinct,
            threads=threads,
        )
        return KBestLists(*found)
