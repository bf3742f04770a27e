"""Measures: what systems are compared by — metrics over texts, or scores made elsewhere, one per segment.

A measure holds statistics per segment for every system, and how a sum of them becomes a score. Scores from elsewhere
(COMET, an error count, a person) become one: their statistics are the score and a one, their corpus score is the mean.

    >>> measure = measure_scores("comet", {"A": [0.8, 0.6], "B": [0.7, 0.4]})
    >>> {name: round(value, 2) for name, value in measure.corpus_scores().items()}
    {'A': 0.7, 'B': 0.55}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.metrics.base import Metric
from dragoman.metrics.bootstrap import Scorer
from dragoman.metrics.fitting import MetricSpecs, fitting
from dragoman.metrics.inputs import check_texts
from dragoman.metrics.measuring import measured
from dragoman.metrics.references import References, ReferenceText, Texts
from dragoman.progress import ProgressCallback

__all__ = ["Measure", "measure_scores", "measure_texts"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """Systems seen by one metric: statistics per segment, and a score of their sum, in the points that people use."""

    label: str
    signature: str
    higher_is_better: bool
    scores: Scorer = field(repr=False)
    statistics: Mapping[str, Array] = field(repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def segments(self) -> int:
        """How many segments the test set has."""
        return len(next(iter(self.statistics.values())))

    @property
    def arrow(self) -> str:
        """Whether more is better."""
        return "↑" if self.higher_is_better else "↓"

    def corpus_scores(self) -> dict[str, float]:
        """The score of each system."""
        return {name: float(self.scores(rows.sum(axis=0)[None, :])[0]) for name, rows in self.statistics.items()}

    def segment_scores(self) -> dict[str, Array]:
        """The score of each segment by itself, for each system."""
        return {name: self.scores(rows) for name, rows in self.statistics.items()}


def measure_texts(
    systems: Mapping[str, Texts],
    references: ReferenceText,
    metrics: MetricSpecs,
    *,
    language: str = "",
    allow_empty_references: bool = False,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> tuple[list[Measure], list[str]]:
    """Systems' texts seen by metrics, and warnings about the texts."""
    given = References.of(references)
    warnings = check_texts(systems, given, allow_empty_references=allow_empty_references)
    chosen, remarks = fitting(metrics, given, language=language)
    rows: dict[str, dict[str, Array]] = {label: {} for label in chosen}
    signatures: dict[str, str] = {}
    for one in measured(systems, given, chosen, threads=threads, progress=progress):
        rows[one.label][one.system] = one.statistics
        signatures[one.label] = one.signature
    measures = [
        Measure(label, signatures[label], metric.higher_is_better, _points(metric), rows[label])
        for label, metric in chosen.items()
    ]
    return measures, warnings + remarks


def measure_scores(label: str, scores: Mapping[str, ArrayLike], *, higher_is_better: bool | None = None) -> Measure:
    """Scores made elsewhere, one per segment for each system; higher is taken to be better unless it is said.

    Negative scores are as good as others (standardised human scores have them); where nobody said which direction is
    better, they cause a warning, since error counts are sometimes written so.
    """
    if not scores:
        raise SettingError(f"{label}: no system has scores")
    rows: dict[str, Array] = {}
    warnings = []
    first = next(iter(scores))
    for name, values in scores.items():
        array = np.asarray(values, np.float64)
        where = f"{label}, {name}"
        if array.ndim != 1 or not len(array):
            raise InputError("scores must be a flat list of numbers, one per segment", where=where)
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            raise InputError(f"the score of segment {bad[0] + 1} is {array[bad[0]]}", where=where)
        if len(array) != len(np.asarray(scores[first])):
            raise LengthMismatch(
                f"{len(array)} scores, but {len(np.asarray(scores[first]))} of {first}",
                where=where,
                remedy="score the same segments of every system",
            )
        if len(array) > 1 and np.ptp(array) == 0:
            warnings.append(f"{label}: all {len(array)} scores of {name} are {array[0]:g}")
        if higher_is_better is None and (array < 0).any():
            warnings.append(f"{label}: {name} has negative scores; higher is taken to be better")
        rows[name] = np.stack([array, np.ones_like(array)], axis=1)
    better = True if higher_is_better is None else higher_is_better
    return Measure(label, "mean of scores made elsewhere", better, _mean, rows, tuple(warnings))


def _mean(sums: Array) -> Array:
    quotient: Array = sums[:, 0] / sums[:, 1]
    return quotient


def _points(metric: Metric) -> Scorer:
    scale = metric.scale
    return lambda sums: scale * metric.scores(np.ascontiguousarray(sums))
