"""MERT: minimum error rate training, the metric itself as the objective.

The corpus metric of the best candidates is piecewise constant in the weights. Along a line in weight space the score of
each candidate is a straight line, the best candidate of a sentence changes only at the corners of their upper envelope,
and so the metric on the whole line is known exactly after one sweep over all corners (Och 2003). What remains is which
lines to search (`dragoman.tuning.climbing`), from where (the current weights and random points), and how far to trust a
peak that may be an accident of the dev set (windows of plateaus; Cer, Jurafsky and Manning 2008). With `lists="forest"`
the envelopes are those of all derivations in the forests of the last round (Kumar et al. 2009).

It suits models of up to some thirty features.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native.common import worker_count
from dragoman.errors import SettingError
from dragoman.forest import Forest, KBestLists
from dragoman.metrics.base import Floats
from dragoman.search.base import Tunable
from dragoman.seeds import stream
from dragoman.settings import setting
from dragoman.tuning.base import Tuner, TuningTask
from dragoman.tuning.batch import BatchSession, BatchTuner
from dragoman.tuning.climbing import CLIMBS, Climb, ClimbLimits, normalized
from dragoman.tuning.problem import Optimum, Problem
from dragoman.tuning.surface import SMOOTHING, ForestSurface, PoolSurface, Surface, Windows, is_odd

__all__ = ["Mert", "TooManyFeatures"]

MANY, TOO_MANY = 30, 100


class TooManyFeatures(UserWarning):
    """More features than MERT is known to handle."""


@dataclass(frozen=True, kw_only=True)
class Mert(BatchTuner):
    """Exact line searches over the corpus metric, from many starts (Och 2003; Cer, Jurafsky and Manning 2008)."""

    name: ClassVar[str] = "mert"

    search: str = setting(
        "powell",
        "How directions are chosen: along the axes and where they led together (`powell`, `powell-basic`), the best "
        "axis each time (`kcd`), at random, or by a simplex without lines. Powell's method needs the fewest lines; "
        "random directions held up best on unseen sentences, in an experiment with two language pairs.",
        choices=tuple(CLIMBS),
    )
    smoothing: str = setting(
        "auto",
        "How plateaus are judged: each by itself, or by the average or minimum of a window; `auto` averages for axes "
        "and not for random directions.",
        choices=("auto", *SMOOTHING),
    )
    window: int = setting(3, "Plateaus in a window.", valid=is_odd, wanted="an odd number such as 3, 5 or 7")
    restarts: int = setting(20, "Random points to start from, besides the current weights.", least=0)
    spread: str = setting(
        "signed", "Where they lie: each weight from -1 to 1, or from 0 to 1.", choices=("signed", "positive")
    )
    carry: str = setting(
        "current",
        "What else to start from: only the current weights, or also the best point of any iteration.",
        choices=("current", "best"),
    )
    lists: str = setting(
        "nbest",
        "What candidates are: accumulated n-best lists, or the whole forests of the last round.",
        choices=("nbest", "forest"),
    )
    patience: int = setting(30, "Random directions in a row that may fail.", least=1)
    lines: int = setting(2000, "Line searches from each start.", least=1)
    compare: str = setting(
        "raw",
        "What points of different lines are compared by: the metric itself, or that of their window.",
        choices=("raw", "smoothed"),
    )
    along: str = setting("", "Search along this feature alone, `word_penalty` say; the others keep their weights.")
    allow_many: bool = setting(False, "Go on with more than a hundred features.")

    @property
    def windows(self) -> Windows:
        """How plateaus are judged."""
        smoothing = self.smoothing
        if smoothing == "auto":
            smoothing = "average" if self.search in ("kcd", "powell", "powell-basic") else "none"
        return Windows(smoothing, self.window if smoothing != "none" else 1)

    def start(self, task: TuningTask) -> BatchSession:
        return _ForestSession(self, task) if self.lists == "forest" else BatchSession(self, task)

    def optimize(self, problem: Problem) -> Optimum:
        if self.lists == "forest":
            return Tuner.optimize(self, problem)
        workers = worker_count(problem.threads)
        return self.climb(problem, lambda: PoolSurface(problem.pool, self.windows, threads=1), workers=workers)

    def climb(self, problem: Problem, surface: Callable[[], Surface], *, workers: int) -> Optimum:
        """The best of climbs from several starts; ties go to the earlier one."""
        free = np.flatnonzero((problem.fixed == 0) & (problem.pool.native.used() != 0))
        if self.along:
            return self._one_line(problem, surface(), free)
        if len(free) > TOO_MANY and not self.allow_many:
            raise SettingError(
                f"MERT for {len(free)} features",
                remedy="tune them with mira or pro, or set allow_many to insist",
            )
        if len(free) > MANY:
            warnings.warn(f"MERT for {len(free)} features is likely to overfit", TooManyFeatures, stacklevel=2)
        if not len(free):
            return Optimum(problem.start, problem.pool.dev.metric.sign * surface().gain(problem.start))
        starts = self.starts(problem, free)
        limits = ClimbLimits(patience=self.patience, lines=self.lines, compare=self.compare)

        def one(number: int) -> Climb:
            rng = stream(problem.seed, "mert", problem.number, number)
            return CLIMBS[self.search](
                surface(), starts[number], free=free, rng=rng, limits=limits, rescale=not problem.fixed.any()
            )

        with ThreadPoolExecutor(workers) as pool:
            climbs = []
            for done, climb in enumerate(pool.map(one, range(len(starts))), 1):
                climbs.append(climb)
                problem.report("climbing", done, len(starts))
        best = max(range(len(climbs)), key=lambda number: (climbs[number].height, -number))
        found = climbs[best]
        details = {"start": best, "lines": sum(climb.lines for climb in climbs)}
        return Optimum(found.weights, problem.pool.dev.metric.sign * found.gain, details=details)

    def _one_line(self, problem: Problem, surface: Surface, free: NDArray[np.intp]) -> Optimum:
        """The best point on the line along one feature; an exact search needs neither restarts nor rounds."""
        only = [place for place in free if problem.pool.names[place] == self.along]
        if not only:
            known = sorted(problem.pool.names[place] for place in free)
            raise SettingError(
                f"no candidate has the feature {self.along!r}, or its weight is fixed",
                remedy=f"name one of {', '.join(known)}",
            )
        limits = ClimbLimits(patience=self.patience, lines=1, compare=self.compare)
        rng = stream(problem.seed, "mert", problem.number, 0)
        found = CLIMBS["kcd"](surface, problem.start, free=np.array(only), rng=rng, limits=limits, rescale=False)
        return Optimum(found.weights, problem.pool.dev.metric.sign * found.gain, details={"lines": found.lines})

    def starts(self, problem: Problem, free: NDArray[np.intp]) -> list[Floats]:
        """The current weights, the best point of earlier iterations if asked for, and random points.

        Random points follow from the seed and the iteration alone, so that tuners for other metrics see the same ones.
        """
        points = [problem.start]
        if self.carry == "best" and problem.history:
            points.append(max(problem.history, key=PoolSurface(problem.pool).gain))
        low = -1.0 if self.spread == "signed" else 0.0
        for number in range(self.restarts):
            drawn = problem.start.copy()
            values = stream(problem.seed, "restart", problem.number, number).uniform(low, 1.0, len(free))
            drawn[free] = values if problem.fixed.any() else normalized(values)
            points.append(drawn)
        return points


class _ForestSession(BatchSession):
    """Keeps the forests of the last round, and climbs on them."""

    tuner: Mert

    def __init__(self, tuner: Mert, task: TuningTask) -> None:
        super().__init__(tuner, task)
        self.forests: list[Forest] = []

    def lists(self, decoder: Tunable, sentences: range) -> KBestLists:
        task = self.task
        if sentences.start == 0:
            self.forests.clear()
        found = decoder.forests(task.dev.source[sentences.start : sentences.stop], threads=task.threads)
        self.forests += found
        return KBestLists.of_forests(found, nbest=task.nbest, distinct=self.tuner.distinct, threads=task.threads)

    def optimize(self, problem: Problem) -> Optimum:
        surface = ForestSurface(
            problem.pool.dev, self.forests, self.tuner.windows, names=problem.pool.names, threads=self.task.threads
        )
        return self.tuner.climb(problem, lambda: surface, workers=1)
