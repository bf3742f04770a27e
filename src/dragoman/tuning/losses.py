"""Losses of one n-best list, and how each candidate bears on the gradient.

Every loss here depends on the weights through the scores of the candidates alone, so its gradient is a sum of their
feature vectors, each with a coefficient: the derivative of the loss by its score. Gains are what the metric gives a
candidate, more being better.

`pro` ranks pairs, the better one of each to score higher, by a logistic loss; of many pairs drawn at random the few
with the largest difference in gain are kept (Hopkins and May 2011; online: Green, Wang, Cer and Manning 2013).
`hinge` is the same with a margin. `expected` is the negative expected gain under the model, p(k) proportional to
exp(score); its gradient is a covariance, there is nothing to sample, and it overfits less (Green, Cer and Manning
2014). `hope-fear` wants the candidate that model and metric prefer together to beat the one that the model likes in
spite of the metric, by their difference in gain (Chiang 2012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LOSSES",
    "ListLoss",
    "expected_gain_loss",
    "expected_gains",
    "hope_fear_loss",
    "list_loss",
    "ranking_loss",
    "sample_pairs",
]

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

LOSSES = ("pro", "expected", "hinge", "hope-fear")


@dataclass(frozen=True, slots=True)
class ListLoss:
    """A loss and its derivative by the score of each candidate; `used` counts pairs, or lists that had a gradient."""

    value: float
    coefficients: Floats
    used: int


def sample_pairs(gains: Floats, generator: np.random.Generator, *, samples: int, pairs: int, threshold: float) -> Pairs:
    """Rows (better, worse): of `samples` draws those that differ by `threshold`, of these the `pairs` largest."""
    if len(gains) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    drawn = generator.integers(len(gains), size=(samples, 2))
    difference = gains[drawn[:, 0]] - gains[drawn[:, 1]]
    kept = np.flatnonzero((np.abs(difference) >= threshold) & (difference != 0))
    kept = kept[np.argsort(-np.abs(difference[kept]), kind="stable")][:pairs]
    found = drawn[kept]
    return np.where((difference[kept] > 0)[:, None], found, found[:, ::-1])


def ranking_loss(scores: Floats, pairs: Pairs, *, margin: float | None = None) -> ListLoss:
    """Sum over pairs of log(1 + exp(-difference)), or with a margin of max(0, margin - difference)."""
    difference = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    if margin is None:
        value = float(np.logaddexp(0.0, -difference).sum())
        pull = np.exp(-np.logaddexp(0.0, difference))
    else:
        value = float(np.maximum(0.0, margin - difference).sum())
        pull = (difference < margin).astype(np.float64)
    coefficients = np.zeros(len(scores))
    np.subtract.at(coefficients, pairs[:, 0], pull)
    np.add.at(coefficients, pairs[:, 1], pull)
    return ListLoss(value, coefficients, len(pairs))


def expected_gains(scores: Floats, gains: Floats, starts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The expected gain of each list, and its derivative by the score of each candidate: the candidate's probability
    times what its gain is above the mean. List `i` is from `starts[i]` to `starts[i + 1]`; empty ones are left out."""
    lengths = np.diff(starts)
    lengths, begin = lengths[lengths > 0], starts[:-1][lengths > 0]
    masses = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begin), lengths))
    masses /= np.repeat(np.add.reduceat(masses, begin), lengths)
    means = np.add.reduceat(masses * gains, begin)
    return means, masses * (gains - np.repeat(means, lengths))


def expected_gain_loss(scores: Floats, gains: Floats, *, temperature: float = 1.0) -> ListLoss:
    """The negative expected gain of one list."""
    means, slopes = expected_gains(scores / temperature, gains, np.array([0, len(scores)]))
    return ListLoss(-float(means[0]), -slopes / temperature, int(np.ptp(gains) > 0))


def hope_fear_loss(scores: Floats, gains: Floats) -> ListLoss:
    """max(0, difference in gain - difference in score) of hope and fear."""
    hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
    value = float((gains[hope] - gains[fear]) - (scores[hope] - scores[fear]))
    coefficients = np.zeros(len(scores))
    if hope == fear or gains[hope] <= gains[fear] or value <= 0:
        return ListLoss(0.0, coefficients, 0)
    coefficients[hope], coefficients[fear] = -1.0, 1.0
    return ListLoss(value, coefficients, 1)


def list_loss(
    name: str,
    scores: Floats,
    gains: Floats,
    generator: np.random.Generator,
    *,
    samples: int,
    pairs: int,
    threshold: float,
    temperature: float,
    scale: float,
) -> ListLoss:
    """The loss called `name`. Pairs are chosen by gains as they are; elsewhere gains are multiplied by `scale`."""
    if name == "expected":
        return expected_gain_loss(scores, scale * gains, temperature=temperature)
    if name == "hope-fear":
        return hope_fear_loss(scores, scale * gains)
    chosen = sample_pairs(gains, generator, samples=samples, pairs=pairs, threshold=threshold)
    return ranking_loss(scores, chosen, margin=1.0 if name == "hinge" else None)
