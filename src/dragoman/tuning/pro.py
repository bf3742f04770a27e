"""PRO: pairwise ranking. Of two candidates, the one that the metric prefers shall score higher.

Pairs are sampled from each list; of those whose sentence scores differ enough the ones that differ most are kept, and a
logistic regression learns to tell better from worse by the difference of their features, with a Gaussian prior on the
weights. It takes any number of features and any metric that can score a sentence. (Hopkins and May 2011.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman.metrics.base import Floats
from dragoman.seeds import stream
from dragoman.settings import setting
from dragoman.tuning.batch import BatchTuner
from dragoman.tuning.losses import sample_pairs
from dragoman.tuning.problem import Optimum, Problem

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Pro", "pairwise_loss"]


def pairwise_loss(
    weights: Floats, differences: csr_matrix | Floats, offsets: Floats | float = 0.0
) -> tuple[float, Floats]:
    """Sum of log(1 + exp(-w . x)) over differences of features, better less worse, and its gradient.

    `offsets` are what features that do not change add to each difference in score.

    >>> loss, gradient = pairwise_loss(np.array([0.5, -0.2]), np.array([[1.0, 2.0], [-0.5, 1.0]]))
    >>> round(loss, 6), gradient.round(6).tolist()
    (1.587646, [-0.169701, -1.560681])
    """
    from scipy.special import expit

    margins = differences @ weights + offsets
    loss = float(np.logaddexp(0.0, -margins).sum())
    return loss, -(differences.T @ expit(-margins))


@dataclass(frozen=True, kw_only=True)
class Pro(BatchTuner):
    """Pairwise ranking of sampled candidates by logistic regression (Hopkins and May 2011)."""

    name: ClassVar[str] = "pro"

    samples: int = setting(5000, "Random pairs per sentence.", least=1)
    keep: int = setting(50, "Pairs kept of them, those that differ most.", least=1)
    threshold: float = setting(0.05, "The least difference in sentence score.", least=0)
    sigma: float = setting(0.1, "Standard deviation of the Gaussian prior on weights.", above=0)
    interpolation: float = setting(
        1.0,
        "How far to go from the old weights to the new ones; Hopkins and May went a tenth of the way.",
        above=0,
        most=1,
    )
    least_sentences: int = setting(
        3,
        "Features of fewer sentences keep their weight; in a dev set of fewer sentences, those that not all have.",
        least=0,
    )

    def optimize(self, problem: Problem) -> Optimum:
        from scipy.optimize import minimize

        lists = problem.pool.lists()
        gains = problem.pool.dev.sentence_gains(lists.statistics)
        pairs = []
        for sentence, (first, end) in enumerate(zip(lists.starts[:-1], lists.starts[1:], strict=True)):
            rng = stream(problem.seed, "pro", problem.number, sentence)
            found = sample_pairs(gains[first:end], rng, samples=self.samples, pairs=self.keep, threshold=self.threshold)
            pairs.append(found + first)
        better, worse = np.concatenate(pairs).T
        if not len(better):
            return Optimum(problem.start, 0.0, objective_is_metric=False, details={"pairs": 0})
        used = lists.features.copy()
        used.data = np.ones_like(used.data)
        enough = min(self.least_sentences, len(problem.pool.dev))
        free = (problem.fixed == 0) & (_sentences_with(used, lists.sentences) >= enough)
        differences = (lists.features[better] - lists.features[worse]).tocsr()
        closed = differences @ np.where(free, 0.0, problem.start)
        open_part = differences[:, np.flatnonzero(free)]

        def objective(point: Floats) -> tuple[float, Floats]:
            loss, gradient = pairwise_loss(point, open_part, closed)
            return loss + float(point @ point) / (2 * self.sigma**2), gradient + point / self.sigma**2

        found = minimize(objective, problem.start[free], jac=True, method="L-BFGS-B", options={"maxiter": 200})
        vector = problem.start.copy()
        vector[free] = self.interpolation * found.x + (1 - self.interpolation) * problem.start[free]
        right = float(np.mean(open_part @ vector[free] + closed > 0))
        details = {"pairs": len(better), "ranked_right": right}
        return Optimum(vector, float(found.fun) / len(better), objective_is_metric=False, details=details)


def _sentences_with(used: csr_matrix, sentences: NDArray[np.int64]) -> Floats:
    """In how many sentences each feature occurs."""
    from scipy.sparse import csr_matrix

    rows = csr_matrix((np.ones(len(sentences)), (sentences, np.arange(len(sentences)))))
    return np.asarray((rows @ used > 0).sum(axis=0)).ravel().astype(np.float64)
