"""Batch MIRA: margins between good and bad candidates, as wide as the metric says.

Of each sentence the candidate that model and metric prefer together, the hope, is to beat the one that the model likes
in spite of the metric, the fear; the weights take the smallest step that puts them as far apart as their gains are. The
gain of a sentence is measured inside a document of the hopes seen so far, so that corpus metrics need no smoothing. Of
the running averages after each pass over the lists the one that scores best is kept. It stays stable with many features
and is the default for models of any size. (Cherry and Foster 2012; Crammer et al. 2006.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dragoman._native import tuning as native
from dragoman.errors import SettingError
from dragoman.seeds import stream
from dragoman.tuning.batch import BatchTuner, Optimum, Problem

__all__ = ["Mira"]


@dataclass(frozen=True, kw_only=True)
class Mira(BatchTuner):
    """Batch MIRA on n-best lists: hope and fear, with background statistics (Cherry and Foster 2012)."""

    name: ClassVar[str] = "mira"

    step: float = 0.01
    """The longest step of an update, `C` in the paper."""
    decay: float = 0.999
    """How fast the background document forgets."""
    passes: int = 60
    """Passes over the lists in each iteration."""

    def __post_init__(self) -> None:
        self._positive("step", "passes")
        if not 0 <= self.decay <= 1:
            raise SettingError(f"{self.name}: decay={self.decay}", remedy="it must be within 0 and 1")

    def optimize(self, problem: Problem) -> Optimum:
        dev = problem.pool.dev
        vector, gain, best, gains = native.batch_mira(
            problem.pool.native,
            dev.gain(),
            problem.start,
            dev.words,
            problem.fixed,
            step=self.step,
            decay=self.decay,
            passes=self.passes,
            length_column=dev.length_column,
            seed=int(stream(problem.task.seed, "mira", problem.number).integers(2**63)),
            threads=problem.task.threads,
        )
        return Optimum(vector, dev.sign * gain, {"pass": best + 1, "gains": [dev.sign * float(g) for g in gains]})
