"""A linear ranker learned from pairs, one at a time.

Whenever the better one of a pair does not score higher, weights move as little as makes it better by a margin of one:
a perceptron decides when, a passive-aggressive step how far (Crammer et al. 2006; Aziz and Specia 2010). There is no
step inside the margin. The result is the mean of the weights after every pair.

    >>> ranker = PairRanker(epochs=5)
    >>> weights = ranker.fit([([[1.0, 0.0], [0.0, 1.0]], [0, 3])])
    >>> bool(weights[1] > weights[0])
    True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import InputError
from dragoman.seeds import stream
from dragoman.settings import Settings, setting

__all__ = ["PairRanker", "pair_step"]

Group = tuple[ArrayLike, ArrayLike]
"""Candidates of one item: a row of features each, and how good each is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRanker(Settings):
    """How the weights of a ranker are learned."""

    epochs: int = setting(5, "Passes over all pairs.", least=1)
    initial: float = setting(0.2, "All weights in the beginning.")
    most: float = setting(0.0, "The longest step (C of PA-I); 0 for any.", least=0)
    scale: str = setting("none", "Divide features by their deviation, or not.", choices=("none", "std"))
    shuffle: bool = setting(False, "Take items in another order in each pass.")
    seed: int = setting(1, "Of that order.", least=0)

    def fit(self, groups: Sequence[Group]) -> NDArray[np.float64]:
        """The mean weights; `groups` are items whose candidates are compared with each other."""
        items = [(np.asarray(rows, np.float64), np.asarray(ranks, np.float64)) for rows, ranks in groups]
        widths = {rows.shape[1] for rows, _ in items if rows.ndim == 2 and len(rows)}
        if len(widths) != 1:
            raise InputError("no candidates to learn from, or with different features")
        if any(len(rows) != len(ranks) for rows, ranks in items):
            raise InputError("candidates and ranks of different numbers")
        width = widths.pop()
        scales = np.ones(width)
        if self.scale == "std":
            spread = np.concatenate([rows for rows, _ in items if len(rows)]).std(axis=0)
            scales = np.where(spread > 0, spread, 1.0)
        pairs = [list(_pairs(rows / scales, ranks)) for rows, ranks in items if len(rows)]
        weights = [self.initial] * width
        sums, count = [0.0] * width, 0
        for epoch in range(self.epochs):
            order = range(len(pairs))
            if self.shuffle:
                order = stream(self.seed, "ranking", epoch).permutation(len(pairs)).tolist()
            for item in order:
                for difference, length in pairs[item]:
                    weights = pair_step(weights, difference, length, self.most)
                    for at, weight in enumerate(weights):
                        sums[at] += weight
                    count += 1
        mean = np.array(sums) / count if count else np.full(width, self.initial)
        return mean / scales


def pair_step(weights: list[float], difference: Sequence[float], length: float, most: float = 0.0) -> list[float]:
    """Weights after a pair: `difference` is the better one's features less the other's, `length` its squared length.

    >>> [round(weight, 3) for weight in pair_step([0.2, 0.2], [0.0, -1.0], 1.0)]
    [0.2, -1.0]
    """
    margin = sum(weight * value for weight, value in zip(weights, difference, strict=True))
    if margin > 0:
        return weights
    step = (1 - margin) / length
    if most:
        step = min(most, step)
    return [weight + step * value for weight, value in zip(weights, difference, strict=True)]


def _pairs(rows: NDArray[np.float64], ranks: NDArray[np.float64]) -> Iterator[tuple[list[float], float]]:
    """Differences, better less worse, of candidates with different ranks and features."""
    for one in range(len(rows)):
        for other in range(one + 1, len(rows)):
            if ranks[one] == ranks[other]:
                continue
            difference = rows[one] - rows[other] if ranks[one] > ranks[other] else rows[other] - rows[one]
            length = float(difference @ difference)
            if length > 0:
                yield difference.tolist(), length
