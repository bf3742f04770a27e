"""Inside and outside: sums over all derivations in one walk over the edges.

The walk is the same for the best score, the total probability, the number of derivations and expectations; the semiring
decides what is computed (Goodman 1999; Li and Eisner 2009). What tuners need comes out of it: d log Z / d w is the
expected feature vector, and the gradient of an expected gain is the covariance of gain and features.

    >>> from dragoman.forest import ForestBuilder
    >>> build = ForestBuilder()
    >>> goal = build.add_node()
    >>> for word, score in [("yes", 0.0), ("no", 0.0), ("perhaps", 0.0)]:
    ...     _ = build.add_edge(goal, word, features={word: 1.0}, score=score)
    >>> forest = build.finish(goal)
    >>> round(expected_features(forest).to_dict()["no"], 4)
    0.3333
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman._native.common import Vocabulary
from dragoman.forest.forest import Forest
from dragoman.forest.graph import Edge
from dragoman.forest.semirings import SEMIRINGS, node_values

__all__ = [
    "SEMIRINGS",
    "FeatureVector",
    "ForestPosteriors",
    "GainExpectation",
    "Moments",
    "entropy",
    "expected_features",
    "gain_expectation",
    "inside",
    "max_marginals",
    "moments",
    "outside",
    "posteriors",
]


@dataclass(frozen=True, slots=True)
class FeatureVector:
    """A sparse vector: ids in ascending order, and values."""

    ids: NDArray[np.uint32]
    values: NDArray[np.float64]
    features: Vocabulary

    def to_dict(self) -> dict[str, float]:
        """By name."""
        return dict(zip(map(self.features.word, self.ids.tolist()), self.values.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class ForestPosteriors:
    """How often each node and edge is expected in a derivation drawn by probability; `log_partition` is log Z.

    A probability, except where a derivation can use the same part twice.
    """

    log_partition: float
    nodes: NDArray[np.float64]
    edges: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GainExpectation:
    """Mean of a gain that adds up along a derivation, and its covariance with each feature: the mean's gradient."""

    log_partition: float
    mean: float
    covariance: FeatureVector


@dataclass(frozen=True, slots=True)
class Moments:
    """Means of two quantities that add up along a derivation, and their covariance."""

    log_partition: float
    first: float
    second: float
    covariance: float


def inside(forest: Forest, semiring: str = "log") -> NDArray[np.float64]:
    """For each node, the sum over its derivations."""
    return node_values(forest, semiring)


def outside(forest: Forest, semiring: str = "log") -> NDArray[np.float64]:
    """For each node, the sum over all ways to complete it."""
    return node_values(forest, semiring, outward=True)


def posteriors(forest: Forest) -> ForestPosteriors:
    """Expected uses of nodes and edges; scale the forest first for another sharpness."""
    return ForestPosteriors(*native.posteriors(forest.native))


def max_marginals(forest: Forest) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The score of the best derivation through each node, and through each edge."""
    return native.max_marginals(forest.native)


def expected_features(forest: Forest) -> FeatureVector:
    """Mean of the feature vector over derivations drawn by probability."""
    edges = posteriors(forest).edges
    return FeatureVector(*native.weighted_features(forest.native, edges), forest.features)


def gain_expectation(forest: Forest, gain: NDArray[np.float64] | Callable[[Edge], float]) -> GainExpectation:
    """Mean and gradient of a gain given per edge, as an array or as a function of the edge."""
    log_partition, mean, ids, values = native.gain_expectation(forest.native, _per_edge(forest, gain))
    return GainExpectation(log_partition, mean, FeatureVector(ids, values, forest.features))


def moments(
    forest: Forest,
    first: NDArray[np.float64] | Callable[[Edge], float],
    second: NDArray[np.float64] | Callable[[Edge], float],
) -> Moments:
    """Means and covariance of two quantities given per edge; of one with itself, its variance."""
    return Moments(*native.moments(forest.native, _per_edge(forest, first), _per_edge(forest, second)))


def entropy(forest: Forest) -> float:
    """Entropy of the distribution over derivations, in nats."""
    return native.entropy(forest.native)


def _per_edge(forest: Forest, quantity: NDArray[np.float64] | Callable[[Edge], float]) -> NDArray[np.float64]:
    if callable(quantity):
        return np.array([quantity(forest.edge(edge)) for edge in range(forest.edges)], dtype=np.float64)
    return np.ascontiguousarray(quantity, dtype=np.float64)
