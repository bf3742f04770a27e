"""Batch MIRA: margins between good and bad candidates, as wide as the metric says.

Of each sentence the candidate that model and metric prefer together, the hope, is to beat the one that the model likes
in spite of the metric, the fear; the weights take the smallest step that puts them as far apart as their gains are. The
gain of a sentence is measured inside a document of the hopes seen so far, so that corpus metrics need no smoothing. Of
the running averages after each pass over the lists the one that scores best is kept. It stays stable with many features
and is the default for models of any size. (Cherry and Foster 2012; Crammer et al. 2006.)

Two relatives share the loop: the structured perceptron, which moves from what the model says to the best there is by
steps of one size, and the ramp loss, which compares hope and fear without a margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dragoman._native import tuning as native
from dragoman.seeds import stream
from dragoman.settings import setting
from dragoman.tuning.batch import BatchTuner
from dragoman.tuning.problem import Optimum, Problem

__all__ = ["Mira", "Perceptron", "Ramp"]


@dataclass(frozen=True, kw_only=True)
class _Visits(BatchTuner):
    """Tuners that visit one sentence after another and keep the best of the running averages."""

    rule: ClassVar[str]
    step: float = setting(0.001, "The size of every update.", above=0)
    decay: float = setting(0.999, "How fast the background document forgets.", least=0, most=1)
    passes: int = setting(20, "Passes over the lists in each iteration.", least=1)

    @property
    def _pull(self) -> float:
        return 0.0

    def optimize(self, problem: Problem) -> Optimum:
        dev = problem.pool.dev
        vector, gain, best, gains = native.batch_mira(
            problem.pool.native,
            dev.metric.gain(),
            problem.start,
            dev.words,
            problem.fixed,
            rule=self.rule,
            step=self.step,
            pull=self._pull,
            decay=self.decay,
            passes=self.passes,
            length_column=dev.metric.length_column,
            seed=int(stream(problem.seed, self.name, problem.number).integers(2**63)),
            threads=problem.threads,
        )
        details = {"pass": best + 1, "gains": [dev.metric.sign * float(g) for g in gains]}
        return Optimum(vector, dev.metric.sign * gain, details=details)


@dataclass(frozen=True, kw_only=True)
class Mira(_Visits):
    """Batch MIRA on n-best lists: hope and fear, with background statistics (Cherry and Foster 2012)."""

    name: ClassVar[str] = "mira"
    rule: ClassVar[str] = "margin"

    step: float = setting(0.01, "The longest step of an update, `C` in the paper.", above=0)
    passes: int = 60


@dataclass(frozen=True, kw_only=True)
class Perceptron(_Visits):
    """Averaged perceptron: from the best candidate to the oracle's best derivation (Liang et al. 2006)."""

    name: ClassVar[str] = "perceptron"
    rule: ClassVar[str] = "perceptron"


@dataclass(frozen=True, kw_only=True)
class Ramp(_Visits):
    """Ramp loss between hope and fear, held near the start of each round (Gimpel and Smith 2012)."""

    name: ClassVar[str] = "ramp"
    rule: ClassVar[str] = "ramp"

    pull: float = setting(
        1e-4, "What share of the way back to where the round started each visit takes.", least=0, below=1
    )

    @property
    def _pull(self) -> float:
        return self.pull
