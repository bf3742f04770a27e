"""Weights by number, as online tuners keep them: names to the ids of a decoder and back, and its n-best lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dragoman._native.common import Vocabulary
from dragoman.features.weights import Weights
from dragoman.forest import KBestLists
from dragoman.search.base import Tunable
from dragoman.text.source_text import Source

__all__ = ["FeatureSpace"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


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
        decoder = self.decoder.with_vector(vector)
        return decoder.kbest_lists(sentences, nbest=nbest, distinct=distinct, threads=threads)
