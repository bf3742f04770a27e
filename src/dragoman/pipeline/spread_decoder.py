"""A decoder whose n-best lists are made by the workers of an executor: for tuning on a cluster.

Lists of a sentence follow from the models, the weights and the sentence alone, so it does not matter who makes them.
Workers have the same models, opened from the same files, and number dense features alike; sparse ones are numbered as
they appear, and so a decoder with such features is better left where it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman._native.common import Vocabulary
from dragoman.executors import Executor, Shard, ShardPlace, ShardStep, Shared
from dragoman.features.weights import Weights
from dragoman.forest import KBestLists
from dragoman.search.base import Decoder, Tunable
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import Source

__all__ = ["SpreadDecoder"]

SENTENCES = 50
"""Of a shard."""


@dataclass(frozen=True, slots=True)
class _Asked:
    sentences: Sequence[Source]
    weights: Mapping[str, float]
    nbest: int
    distinct: bool


def _lists(shard: Shard[_Asked], decoder: Decoder, place: ShardPlace) -> tuple[KBestLists, dict[int, str]]:
    """The lists, and the names of the features in them by their numbers."""
    asked = shard.value
    weighed = decoder.with_weights(asked.weights)
    found = weighed.kbest_lists(asked.sentences, nbest=asked.nbest, distinct=asked.distinct, threads=place.threads)
    return found, {number: weighed.feature_ids.word(number) for number in np.unique(found.ids).tolist()}


_LISTS = ShardStep("decoding", _lists, wide=True)


class SpreadDecoder(Tunable):
    """Has what a decoder has, without sparse features; only its lists come from elsewhere."""

    def __init__(self, decoder: Decoder, executor: Executor, shared: Shared[Decoder]) -> None:
        assert not decoder.features, "workers would number sparse features differently"
        self._decoder, self._executor, self._shared = decoder, executor, shared

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._decoder.feature_names

    @property
    def weights(self) -> Weights:
        return self._decoder.weights

    @property
    def feature_ids(self) -> Vocabulary:
        return self._decoder.feature_ids

    def with_weights(self, weights: Mapping[str, float]) -> SpreadDecoder:
        return SpreadDecoder(self._decoder.with_weights(weights), self._executor, self._shared)

    def with_vector(self, vector: NDArray[np.float64]) -> SpreadDecoder:
        return SpreadDecoder(self._decoder.with_vector(vector), self._executor, self._shared)

    def try_translate(
        self, sentences: Sequence[Source], *, threads: int = 0, forests: bool = False
    ) -> list[SentenceTranslation | Exception]:
        return self._decoder.try_translate(sentences, threads=threads, forests=forests)

    def kbest_lists(
        self, sentences: Sequence[Source], *, nbest: int, distinct: bool = False, threads: int = 0
    ) -> KBestLists:
        if not sentences:
            return self._decoder.kbest_lists([], nbest=nbest, distinct=distinct)
        weights = dict(self.weights)
        shards = (
            Shard(_Asked(sentences[first : first + SENTENCES], weights, nbest, distinct))
            for first in range(0, len(sentences), SENTENCES)
        )
        parts = []
        for lists, names in self._executor.run(_LISTS, shards, shared=self._shared):
            assert all(self.feature_ids.id(name) == number for number, name in names.items())
            parts.append(lists)
        return KBestLists.joined(parts)
