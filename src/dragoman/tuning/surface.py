"""The surface that MERT climbs: the metric of the best candidates as a function of the weights.

It is made of plateaus, so gradients say nothing; but along any line it is known exactly (`dragoman.tuning.mert`). A
surface answers two questions, how high a point is and where the best point of a line lies, from n-best lists or from
whole forests, which hold all that search found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman._native import tuning as native
from dragoman.errors import InputError
from dragoman.forest import Forest
from dragoman.metrics.base import Floats
from dragoman.settings import Settings, setting
from dragoman.tuning.dev import DevSet
from dragoman.tuning.nbest import NBestPool

__all__ = ["SMOOTHING", "ForestSurface", "LinePoint", "PoolSurface", "Surface", "Windows"]

SMOOTHING = {
    "none": "each plateau by itself",
    "average": "the average over a window of plateaus",
    "minimum": "the worst of a window of plateaus",
}
"""How a plateau is judged."""


def is_odd(number: int) -> bool:
    """Whether a window of so many plateaus has one in the middle."""
    return number > 0 and number % 2 == 1


@dataclass(frozen=True, slots=True)
class Windows(Settings):
    """Plateaus judged with their neighbours (Cer, Jurafsky and Manning 2008)."""

    smoothing: str = setting("none", "How a plateau is judged.", choices=tuple(SMOOTHING))
    window: int = setting(1, "Plateaus in a window.", valid=is_odd, wanted="an odd number such as 3, 5 or 7")


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A point on a line: its gain, and what it was chosen by."""

    weights: Floats
    gain: float
    smoothed: float


class Surface(Protocol):
    """The gain as a function of weights."""

    def gain(self, weights: Floats) -> float:
        """How good these weights are."""

    def line(self, weights: Floats, direction: Floats) -> LinePoint:
        """The best point of weights + x * direction, for all x."""


class PoolSurface:
    """The surface of n-best lists. One object serves one thread."""

    def __init__(self, pool: NBestPool, windows: Windows | None = None, *, threads: int = 0) -> None:
        self.pool, self.windows, self.threads = pool, windows or Windows(), threads
        self._gain = pool.dev.metric.gain()
        self._search = native.LineSearch(pool.native, self._gain)

    def gain(self, weights: Floats) -> float:
        total = self.pool.native.best_statistics(weights, threads=self.threads)
        return float(self._gain.scores(total.reshape(1, -1))[0])

    def line(self, weights: Floats, direction: Floats) -> LinePoint:
        x, gain, smoothed = self._search.search(
            weights, direction, smoothing=self.windows.smoothing, window=self.windows.window, threads=self.threads
        )
        return LinePoint(weights + x * direction, gain, smoothed)

    def plateaus(self, weights: Floats, direction: Floats) -> tuple[Floats, Floats, Floats]:
        """Where each plateau of a line begins, its gain, and its gain as its neighbours see it."""
        return self._search.plateaus(
            weights, direction, smoothing=self.windows.smoothing, window=self.windows.window, threads=self.threads
        )


class ForestSurface:
    """The surface of all derivations of forests, one per sentence of the dev set (Kumar et al. 2009).

    Weight vectors are in the order of `names`; features without a name weigh nothing.
    """

    def __init__(
        self,
        dev: DevSet,
        forests: Sequence[Forest],
        windows: Windows | None = None,
        *,
        names: Sequence[str],
        threads: int = 0,
    ) -> None:
        if len(forests) != len(dev):
            raise InputError(f"{len(forests)} forests for {len(dev)} sentences")
        if len({id(forest.features) for forest in forests}) > 1:
            raise InputError("forests that name their features differently", remedy="take them from one decoder")
        if not all(forests):
            raise InputError("a forest without a derivation")
        self.dev, self.windows, self.threads = dev, windows or Windows(), threads
        features = forests[0].features
        self._ids = np.array([features.id(name) for name in names], dtype=np.intp)
        self._size = len(features)
        self._forests = [forest.native for forest in forests]
        self._words = [forest.words for forest in forests]
        self._gain = dev.metric.gain()
        self._known: list[dict[str, Floats]] = [{} for _ in forests]

    def _vector(self, weights: Floats) -> Floats:
        """By feature id of the forests; 0 is the id of names that they do not have."""
        vector = np.zeros(self._size)
        vector[self._ids] = weights
        vector[0] = 0.0
        return vector

    def _statistics(self, ends: NDArray[np.int64], texts: list[str]) -> Floats:
        """Statistics of the segments of all sentences; each text of a sentence is measured once."""
        sentences = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)).tolist()
        fresh = {
            (sentence, text): None
            for sentence, text in zip(sentences, texts, strict=True)
            if text not in self._known[sentence]
        }
        rows = self.dev.statistics([s for s, _ in fresh], [text for _, text in fresh], threads=self.threads)
        for (sentence, text), row in zip(fresh, rows, strict=True):
            self._known[sentence][text] = row
        return np.array([self._known[sentence][text] for sentence, text in zip(sentences, texts, strict=True)])

    def gain(self, weights: Floats) -> float:
        # Without a direction all lines are flat, and the envelope is the best derivation.
        ends, _, _, _, texts = native.forest_envelopes(
            self._forests, self._words, self._vector(weights), np.zeros(0), threads=self.threads
        )
        total = self._statistics(ends, texts).sum(axis=0)
        return float(self._gain.scores(total.reshape(1, -1))[0])

    def line(self, weights: Floats, direction: Floats) -> LinePoint:
        ends, begin, _, _, texts = native.forest_envelopes(
            self._forests, self._words, self._vector(weights), self._vector(direction), threads=self.threads
        )
        x, gain, smoothed = native.best_point(
            ends,
            begin,
            self._statistics(ends, texts),
            self._gain,
            smoothing=self.windows.smoothing,
            window=self.windows.window,
        )
        return LinePoint(weights + x * direction, gain, smoothed)
