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
from scipy import stats

from dragoman.evaluation.correction import adjusted
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.metrics import get_metric
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from dragoman.seeds import stream
from experiments.common import Row

__all__ = ["LEVEL", "Gain", "compared", "flipped", "gains_compared", "holm", "longer", "scores_of", "significant"]

LEVEL = 0.05
"""A difference counts if chance alone would give one as large less often than this."""

Outputs = Sequence[Sequence[str]]
"""What each run of a system says, segment by segment."""

Gain = tuple[Sequence[Sequence[str]], Outputs, Outputs]
"""References, and the runs of two systems that are compared by them."""


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


def gains_compared(metric: str | Metric, ours: Gain, theirs: Gain, *, times: float = 1, samples: int = 10_000) -> Row:
    """By how many points the difference of two systems is above `times` that of two others, and its p-value.

    By the bootstrap over segments, two-sided: how often drawn test sets say the contrary (Koehn 2004). Differences on
    one test set are drawn together, those on two apart; scores are of all runs of a system at once.
    """
    scorer = get_metric(metric)
    sums = []
    for references, *systems in (ours, theirs):
        prepared = scorer.prepare([list(each) for each in references])
        found = [_statistics(scorer, prepared, outputs) for outputs in systems]
        sums.append([np.sum(runs, axis=0) / len(runs) for runs in found])
    sizes = [len(each[0]) for each in sums]
    together = [list(each) for each in ours[0]] == [list(each) for each in theirs[0]]

    def above(counts: Sequence[Floats]) -> Floats:
        one, other = (
            scorer.scores(count @ pair[0]) - scorer.scores(count @ pair[1])
            for count, pair in zip(counts, sums, strict=True)
        )
        return np.asarray(scorer.scale * (one - times * other), dtype=np.float64)

    random = stream(1, "gains")

    def drawn(count: int) -> Floats:
        sets = [random.multinomial(size, np.full(size, 1 / size), count).astype(np.float64) for size in sizes]
        return above([sets[0], sets[0] if together else sets[1]])

    differences = np.concatenate([drawn(min(500, samples - start)) for start in range(0, samples, 500)])
    contrary = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    whole = float(above([np.ones((1, size)) for size in sizes])[0])
    return {"difference": round(whole, 2), "p": min(1.0, 2 * (contrary + 1) / (samples + 1))}


def longer(ours: Outputs, theirs: Outputs) -> Row:
    """By how many words a segment one system writes more than another, and p of a signed-rank test over segments."""
    one, other = (
        np.sum([[len(line.split()) for line in run] for run in runs], axis=0) / len(runs) for runs in (ours, theirs)
    )
    p = float(stats.wilcoxon(one, other).pvalue) if (one != other).any() else 1.0
    return {"difference": float((one - other).mean()), "p": p}


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
