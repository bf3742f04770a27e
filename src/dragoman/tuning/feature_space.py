"""One numbering of features for a tuner, whatever decoder it works with.

A phrase-based decoder numbers its features itself and takes weights by number, so nothing is renamed at all; forests of
other decoders have vocabularies of their own, whose numbers are translated here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dragoman._native import tuning as native
from dragoman._native.common import Vocabulary
from dragoman.features.weights import Weights
from dragoman.forest import Forest
from dragoman.search.base import Decoder

__all__ = ["FeatureSpace", "KBestLists"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@runtime_checkable
class _Numbered(Protocol):
    """A decoder that knows its features by number."""

    @property
    def feature_ids(self) -> Vocabulary: ...
    def with_vector(self, vector: Floats) -> Decoder: ...
    def forests(self, sentences: Sequence[str], *, threads: int = 0) -> list[Forest]: ...


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

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self._numbered = decoder if isinstance(decoder, _Numbered) else None
        self._own = Vocabulary()
        self._maps: dict[int, tuple[Vocabulary, Ids]] = {}

    @property
    def names(self) -> Vocabulary:
        """All names by number; number 0 is none."""
        return self._own if self._numbered is None else self._numbered.feature_ids

    def __len__(self) -> int:
        return len(self.names)

    def ids(self, names: Sequence[str]) -> Ids:
        """Numbers of names, new ones among them."""
        if self._numbered is not None:
            # Names enter a decoder's numbering with its weights.
            self.decoder.with_weights(Weights(dict.fromkeys(names, 0.0)))
            known = self._numbered.feature_ids
            return np.array([known.id(name) for name in names], dtype=np.int64)
        return np.array([self._own.intern(name) for name in names], dtype=np.int64)

    def name(self, index: int) -> str:
        return self.names.word(index)

    def weights(self, vector: Floats, keep: Mapping[str, float]) -> Weights:
        """Weights by name: those that are not 0, and those in `keep` whatever they are."""
        names = self.names
        found = dict.fromkeys(keep, 0.0)
        found.update({names.word(int(index)): float(vector[index]) for index in np.flatnonzero(vector)})
        return Weights(found)

    def lists(
        self, vector: Floats, sentences: Sequence[str], *, nbest: int, distinct: bool, threads: int
    ) -> KBestLists:
        """Decode under these weights; the best derivations of each sentence."""
        if self._numbered is not None:
            decoder = self._numbered.with_vector(vector)
            forests = decoder.forests(sentences, threads=threads)  # type: ignore[attr-defined]
        else:
            plain = self.decoder.with_weights(self.weights(vector, {}))
            forests = [found.forest for found in plain.translate(sentences, threads=threads, forests=True)]
        lists, rows, ids, values, scores, texts = native.kbest_lists(
            [forest.native for forest in forests],
            [forest.words for forest in forests],
            nbest=nbest,
            distinct=distinct,
            threads=threads,
        )
        if self._numbered is None:
            bounds = rows[lists]
            for forest, start, end in zip(forests, bounds, bounds[1:], strict=False):
                ids[start:end] = self._mapped(forest.features)[ids[start:end]]
        return KBestLists(lists, rows, ids, values, scores, texts)

    def _mapped(self, features: Vocabulary) -> Ids:
        """Our numbers for those of a vocabulary, which may have grown."""
        kept, known = self._maps.get(id(features), (features, np.zeros(0, dtype=np.int64)))
        if len(known) < len(features):
            more = [self._own.intern(features.word(index)) for index in range(len(known), len(features))]
            known = np.append(known, np.array(more, dtype=np.int64))
            self._maps[id(features)] = (kept, known)
        return known
