"""Bootstrap samples of a test set, and the intervals they give.

Segments are drawn with replacement and their statistics summed (Koehn 2004). Sample b draws the same segments whatever
the metric and the system, so that samples of several systems can be subtracted from each other.

    >>> import numpy as np
    >>> statistics = np.array([[1.0, 1.0], [0.0, 1.0]] * 50)  # half of the segments are right
    >>> drawn = bootstrap_scores(lambda sums: sums[:, 0] / sums[:, 1], statistics, samples=1000)
    >>> low, high = interval(drawn, 0.95)
    >>> low < 0.5 < high
    True
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dragoman._native import metrics as native
from dragoman.metrics.base import Floats

__all__ = ["Scorer", "bootstrap_scores", "interval"]

Scorer = Callable[[Floats], Floats]
"""From sums of statistics, one row per sample, to scores; `scores` of a metric is one."""


def bootstrap_scores(
    scores: Scorer, statistics: Floats, *, samples: int = 1000, seed: int = 1, threads: int = 0
) -> Floats:
    """Scores of bootstrap samples of segments."""
    rows = np.ascontiguousarray(statistics, np.float64)
    return scores(native.bootstrap_sums(rows, samples=samples, seed=seed, threads=threads))


def interval(scores: Floats, confidence: float) -> tuple[float, float]:
    """The central part of some scores: as many are left out below as above."""
    ordered = np.sort(scores)
    out = int(len(ordered) * (1 - confidence) / 2 + 1e-9)
    return float(ordered[out]), float(ordered[len(ordered) - out - 1])
