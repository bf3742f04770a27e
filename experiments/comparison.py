"""Whether runs of two systems differ: tested over all of their runs at once.

A system is run several times, with one random seed after another. A segment is swapped in every run, and the statistics
of a system are the sums over its runs, so that luck of the tuner and of the segments are both in the p-value (as in
Clark, Dyer, Lavie and Smith 2011).

    >>> runs = [["a b c d e"], ["a b c d f"]]
    >>> compared("bleu:tokenize=none", [["a b c d e"]], runs, [])["BLEU"]
    83.44
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np

from dragoman.evaluation.correction import adjusted
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.metrics import get_metric
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from experiments.common import Row

__all__ = ["LEVEL", "compared", "flipped", "holm", "scores_of", "significant"]

LEVEL = 0.05
"""A difference counts if chance alone would give one as large less often than this."""

Outputs = Sequence[Sequence[str]]
"""What each run of a system says, segment by segment."""


def _statistics(scorer: Metric, references: PreparedReferences, outputs: Outputs) -> list[Floats]:
    return [scorer.statistics(list(output), references) for output in outputs]


def _scores(scorer: Metric, runs: Sequence[Floats]) -> list[float]:
    return [scorer.scale * float(scorer.scores(run.sum(axis=0)[None, :])[0]) for run in runs]


def scores_of(metric: str | Metric, references: Sequence[Sequence[str]], outputs: Outputs) -> list[float]:
    """The score of each run, in the customary points."""
    scorer = get_metric(metric)
    return _scores(scorer, _statistics(scorer, scorer.prepare([list(each) for each in references]), outputs))


def compared(
    metric: str | Metric,
    references: Sequence[Sequence[str]],
    ours: Outputs,
    theirs: Outputs,
    *,
    samples: int = 10_000,
    name: str = "BLEU",
) -> Row:
    """The score (mean and standard deviation of the runs), the difference from other runs, and its p-value.

    `references` are one list of segments or several. A system of one run, as one that was not tuned, is compared as if
    it had given the same as often as the other one was run. For errors a difference below 0 is a gain.
    """
    scorer = get_metric(metric)
    prepared = scorer.prepare([list(each) for each in references])
    runs = _statistics(scorer, prepared, ours)
    scores = _scores(scorer, runs)
    digits = 2 if scorer.scale == 100 else 4
    row: Row = {
        name: round(statistics.fmean(scores), digits),
        "deviation": round(statistics.stdev(scores), digits) if len(scores) > 1 else math.nan,
        "difference": math.nan,
        "p": math.nan,
    }
    if theirs and theirs != ours:
        others = _statistics(scorer, prepared, theirs)
        times = max(len(runs), len(others))
        one, other = (sum(each * (times // len(each)), np.zeros(each[0].shape)) for each in (runs, others))
        if times % len(runs) or times % len(others):
            raise ValueError(f"{len(runs)} runs cannot be compared with {len(others)}")
        row["difference"] = round(statistics.fmean(scores) - statistics.fmean(_scores(scorer, others)), digits)
        row["p"] = compare_statistics(one, other, scorer.scores, SignificanceTest(samples=samples)).p
    return row


def flipped(ours: Sequence[float], theirs: Sequence[float], *, samples: int = 10_000) -> float:
    """The p-value of paired figures, two-sided: how often the mean difference is as large if signs are random."""
    if list(ours) == list(theirs):
        return 1.0
    one, other = (np.array(each, dtype=np.float64)[:, None] for each in (ours, theirs))
    return compare_statistics(one, other, lambda sums: sums[:, 0], SignificanceTest(samples=samples)).p


def holm(ps: Sequence[float]) -> list[float]:
    """p-values of several comparisons, corrected; runs that say the same have none, and do not differ."""
    return list(adjusted([1.0 if math.isnan(p) else p for p in ps], "holm"))


def significant(row: Row, *, figure: str = "difference", p: str = "p", least: float = 0.0) -> bool:
    """Whether a difference is above `least`, and no chance."""
    return bool(row[figure] > least and row[p] < LEVEL)
