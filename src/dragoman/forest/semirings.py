"""Semirings: what sums over derivations add up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman.errors import UnknownName
from dragoman.forest.graph import ForestGraph

__all__ = ["SEMIRINGS", "node_values"]

SEMIRINGS = {
    "log": "logarithm of the sum of exp(score): the mass of the derivations",
    "max": "score of the best derivation",
    "count": "number of derivations, as a float: exact up to 2^53 (`Forest.count` is exact always)",
    "boolean": "1 where there is a derivation",
}
"""What sums and products mean. Means and covariances have functions of their own, `gain_expectation` and `moments`."""


def node_values(graph: ForestGraph, semiring: str, *, outward: bool = False) -> NDArray[np.float64]:
    """For each node the sum over its derivations or, outward, over all ways to complete it."""
    if semiring not in SEMIRINGS:
        raise UnknownName(f"no semiring is called {semiring!r}", remedy=f"choose from {', '.join(SEMIRINGS)}")
    weights = graph.scores if semiring in ("log", "max") else np.ones(graph.edges)
    name = "real" if semiring == "count" else semiring
    return native.node_values(graph.native, name, weights, outward=outward)
