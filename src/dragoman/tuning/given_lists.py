"""Tuning on lists that are given: one round of learning, without a decoder.

Lists may come from any system that writes them as Moses does. What is learned holds for them alone; a system that can
be asked again under the new weights should be, and `dragoman.tuning.tune` does that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dragoman.features.weights import Weights
from dragoman.progress import Progress, ProgressCallback
from dragoman.tuning.base import Tuner
from dragoman.tuning.health import ill_signs
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.problem import Problem
from dragoman.tuning.tuners import get_tuner

__all__ = ["ListsTuned", "tune_lists"]


@dataclass(frozen=True, slots=True)
class ListsTuned:
    """Weights for the lists, and the metric of the candidates that score best, before and after."""

    weights: Weights
    before: float
    after: float
    tuner: str
    metric: str
    scale: float
    candidates: int
    warnings: tuple[str, ...]
    details: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "tuner": self.tuner,
            "metric": self.metric,
            "before": self.before,
            "after": self.after,
            "candidates": self.candidates,
            "warnings": list(self.warnings),
            "details": dict(self.details),
            "weights": dict(self.weights),
        }


def tune_lists(
    pool: NBestPool,
    *,
    tuner: str | Tuner = "mert",
    start: Mapping[str, float] | None = None,
    fixed: Iterable[str] = (),
    seed: int = 1,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> ListsTuned:
    """The weights under which the best candidates of the lists score best; learning starts from `start`, or from equal
    weights. Those named in `fixed` stay as they are.

    >>> from dragoman.tuning.dev import DevSet
    >>> pool = NBestPool(DevSet.of(["x"], ["a b c d"]))
    >>> pool.add([(0, "a b c d", {"f": -1.0, "g": 1.0}), (0, "a b", {"f": 1.0, "g": 0.0})])
    2
    >>> found = tune_lists(pool)
    >>> found.before < found.after == 1.0
    True
    """
    chosen = get_tuner(tuner, sparse=False) if isinstance(tuner, str) else tuner
    names, closed = pool.names[1:], list(fixed)
    first = Weights(dict.fromkeys(names, 1 / len(names)) if start is None else start)
    for weights in (first, Weights(dict.fromkeys(closed, 0.0))):
        weights.require_known(names)
    vector = pool.vector(first)

    def report(stage: str, done: float, total: float) -> None:
        if progress is not None:
            progress(Progress(stage, done, total))

    problem = Problem(pool, vector, pool.fixed(closed, len(vector)), seed=seed, threads=threads, report=report)
    found = chosen.optimize(problem)
    weights = pool.weights(found.vector, keep=first)
    metric = pool.dev.metric
    return ListsTuned(
        weights,
        pool.score(first, threads=threads),
        pool.score(weights, threads=threads),
        chosen.name,
        metric.name,
        metric.scale,
        len(pool),
        tuple(ill_signs(weights, dense=names, start=first)),
        found.details,
    )
