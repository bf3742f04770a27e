"""Expected gain: what a translation drawn from the model scores on average, a smooth function of the weights.

A candidate has a probability in proportion to exp(score). The expected sentence gain has a gradient, the covariance of
gain and features, so that L-BFGS climbs it with any number of features. Sharpening the distribution step by step brings
it to the score of the best candidate; starting soft keeps the search out of poor corners (Smith and Eisner 2006; Och
2003, section 5; Green, Cer and Manning 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman.metrics.base import Floats
from dragoman.settings import setting
from dragoman.tuning.batch import BatchTuner
from dragoman.tuning.losses import expected_gains
from dragoman.tuning.problem import Optimum, Problem

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Expected", "expected_gain"]


def expected_gain(
    weights: Floats, features: csr_matrix | Floats, gains: Floats, starts: NDArray[np.int64], *, sharpness: float = 1.0
) -> tuple[float, Floats]:
    """The sum over lists of the expected gain, and its gradient; list `i` is rows `starts[i]` to `starts[i + 1]`.

    >>> features = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> mean, gradient = expected_gain(np.array([0.3, -0.1]), features, np.array([0.2, 0.6, 0.4]), np.array([0, 3]))
    >>> round(mean, 6), gradient.round(6).tolist()
    (0.374395, [-0.058725, 0.067722])
    """
    means, slopes = expected_gains(sharpness * (features @ weights), gains, starts)
    # E[gain f] - E[gain] E[f], one list after another, is E[(gain - E[gain]) f].
    return float(means.sum()), sharpness * (features.T @ slopes)


@dataclass(frozen=True, kw_only=True)
class Expected(BatchTuner):
    """Expected sentence gain of the lists, climbed by L-BFGS (Smith and Eisner 2006; Green et al. 2014)."""

    name: ClassVar[str] = "expected"

    sharpness: float = setting(1.0, "Factor of the scores when learning ends.", above=0)
    anneal: float = setting(
        0.0, "Factor of the scores when it begins; it is doubled up to `sharpness`. 0 begins at the end.", least=0
    )
    by_length: bool = setting(True, "Count a sentence by the length of its reference.")
    l2: float = setting(
        1e-3, "Strength of the pull towards the weights of the round before, per reference word.", least=0
    )
    rounds: int = setting(100, "Rounds of L-BFGS at each sharpness.", least=1)

    def optimize(self, problem: Problem) -> Optimum:
        from scipy.optimize import minimize

        dev, lists = problem.pool.dev, problem.pool.lists()
        sizes = dev.words if self.by_length else np.ones(len(dev))
        gains = dev.sentence_gains(lists.statistics) * np.repeat(sizes, np.diff(lists.starts))
        total = sizes.sum() or 1.0
        free = np.flatnonzero(problem.fixed == 0)
        vector = problem.start.copy()
        levels = [self.sharpness]
        while self.anneal and levels[0] > self.anneal:
            levels.insert(0, levels[0] / 2)

        for level in levels:

            def loss(point: Floats, level: float = level) -> tuple[float, Floats]:
                vector[free] = point
                mean, gradient = expected_gain(vector, lists.features, gains, lists.starts, sharpness=level)
                away = point - problem.start[free]
                value = -mean / total + 0.5 * self.l2 * float(away @ away)
                return value, -gradient[free] / total + self.l2 * away

            found = minimize(loss, vector[free].copy(), jac=True, method="L-BFGS-B", options={"maxiter": self.rounds})
            vector[free] = found.x
        mean, _ = expected_gain(vector, lists.features, gains, lists.starts, sharpness=self.sharpness)
        details = {"evaluations": int(found.nfev)}
        return Optimum(vector, dev.metric.sign * mean / total, objective_is_metric=False, details=details)
