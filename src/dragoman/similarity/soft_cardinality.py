"""Soft cardinality: how many words two texts share when words that look alike count as partly the same.

Jimenez, Becerra and Gelbukh (2012), third by the mean of 2012 without any resource. A set of words is as large as the
number of *different* things in it: `cat` and `cats` are less than two. What two texts share is what they have less
together than apart.

    >>> from dragoman.similarity.pairs import TextPair
    >>> scorer = SoftCardinality()
    >>> scorer.score([TextPair.of("the cats sat", "the cat sat")]).round(3).tolist()
    [0.901]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dragoman._native import similarity as native
from dragoman.metrics.lexical import is_punctuation
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.words import cut

__all__ = ["SoftCardinality"]


@dataclass(kw_only=True, eq=False)
class SoftCardinality(PairScorer):
    """Shared words, words spelled alike counting in part (Jimenez, Becerra and Gelbukh 2012)."""

    name: ClassVar[str] = "soft-cardinality"
    power: float = setting(2.0, "How much less words count that are only a little alike.", above=0, most=100)

    def _cardinalities(self, pairs: list[TextPair], threads: int) -> Scores:
        sides = [[" ".join(_types(pair.texts[side])) for pair in pairs] for side in (0, 1)]
        return native.soft_cardinalities(sides[0], sides[1], power=self.power, threads=threads)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        first, second, both = self._cardinalities(pairs, threads).T
        common, product = first + second - both, np.sqrt(first * second)
        found: Scores = np.divide(common, product, out=np.zeros(len(pairs)), where=product > 0)
        return found

    def _explain(self, pair: TextPair) -> PairReasons:
        first, second, both = (float(value) for value in self._cardinalities([pair], 1)[0])
        values = {"first": first, "second": second, "both together": both, "in common": first + second - both}
        return PairReasons(
            self.name,
            float(self._scores([pair], 1)[0]),
            cut(pair.texts[0]),
            cut(pair.texts[1]),
            features=tuple(Contribution(f"soft cardinality, {name}", value) for name, value in values.items()),
        )


def _types(text: str) -> list[str]:
    """Different words in lower case, without punctuation."""
    return list(dict.fromkeys(word for word in cut(text.lower()) if not is_punctuation(word)))
