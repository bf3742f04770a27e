"""Correlation of two scorings of the same things: Pearson, Spearman, Kendall as the metrics tasks define it, and RMSE.

A constant vector has no correlation, and saying 0 would hide a broken metric: it raises. Kendall's tau for segments
comes in the forms that the WMT metrics tasks used, which differ in how ties count (Macháček and Bojar 2014); they
compare a metric with pairwise preferences of people, not with scores.

    >>> pearson([1, 2, 3, 4], [1, 2, 3, 5]).r
    0.98...
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import InputError, LengthMismatch
from dragoman.settings import check_argument

__all__ = [
    "CORRELATIONS",
    "Correlation",
    "ScoredPreference",
    "correlate",
    "fisher_difference",
    "interval",
    "kendall",
    "pearson",
    "rmse",
    "spearman",
    "weighted_pearson",
    "wmt_kendall",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation, how many things it was computed over, and a two-sided p-value against zero."""

    coefficient: str
    r: float
    n: int
    p: float

    def __float__(self) -> float:
        return self.r


def vectors(a: ArrayLike, b: ArrayLike, *, at_least: int = 2) -> tuple[Array, Array]:
    """Two finite vectors of equal length, as float64."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.ndim != 1 or second.ndim != 1:
        raise InputError("scores must be flat lists of numbers")
    if len(first) != len(second):
        raise LengthMismatch(f"{len(first)} scores against {len(second)}", remedy="score the same things twice")
    if len(first) < at_least:
        raise InputError(f"{len(first)} scores where at least {at_least} are needed")
    for values in (first, second):
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InputError(f"score {bad[0] + 1} is {values[bad[0]]}", remedy="scores must be finite numbers")
    return first, second


def _deviations(values: Array, which: str) -> Array:
    centred = values - values.mean()
    norm = math.sqrt(float(centred @ centred))
    if norm <= 1e-12 * max(1.0, float(np.abs(values).max())) * math.sqrt(len(values)):
        raise InputError(f"the {which} scores are all equal, so nothing correlates with them")
    scaled: Array = centred / norm
    return scaled


def _coefficient(a: Array, b: Array) -> float:
    product = float(_deviations(a, "first") @ _deviations(b, "second"))
    return max(-1.0, min(1.0, product))


def _p_of_r(r: float, n: int) -> float:
    from scipy import stats

    if n < 3:
        return math.nan
    if abs(r) == 1:
        return 0.0
    return float(2 * stats.t.sf(abs(r) * math.sqrt((n - 2) / (1 - r * r)), n - 2))


def pearson(a: ArrayLike, b: ArrayLike) -> Correlation:
    """Linear correlation: do the two scorings agree on how far apart things are?"""
    first, second = vectors(a, b)
    r = _coefficient(first, second)
    return Correlation("pearson", r, len(first), _p_of_r(r, len(first)))


def weighted_pearson(a: ArrayLike, b: ArrayLike, weights: ArrayLike) -> float:
    """Linear correlation in which some things count more: means and products are weighted (Agirre et al. 2012).

    Only the proportions of the weights matter; equal ones give `pearson`.
    """
    first, second = vectors(a, b)
    given, _ = vectors(weights, first)
    if given.min() < 0 or not given.max() > 0:
        raise InputError("weights must not be negative, nor all 0")
    root = np.sqrt(given / given.sum())
    centred = [root * (values - values @ (root * root)) for values in (first, second)]
    norms = [math.sqrt(float(values @ values)) for values in centred]
    if min(norms) <= 1e-12 * max(1.0, float(np.abs(first).max()), float(np.abs(second).max())):
        raise InputError("the scores are all equal, so nothing correlates with them")
    return max(-1.0, min(1.0, float(centred[0] @ centred[1]) / (norms[0] * norms[1])))


def spearman(a: ArrayLike, b: ArrayLike) -> Correlation:
    """Correlation of ranks, ties at their average rank: do the two scorings agree on the order?"""
    from scipy import stats

    first, second = vectors(a, b)
    r = _coefficient(stats.rankdata(first), stats.rankdata(second))
    return Correlation("spearman", r, len(first), _p_of_r(r, len(first)))


def kendall(a: ArrayLike, b: ArrayLike) -> Correlation:
    """Kendall's tau-b: concordant minus discordant pairs, corrected for ties."""
    from scipy import stats

    first, second = vectors(a, b)
    _deviations(first, "first"), _deviations(second, "second")
    found = stats.kendalltau(first, second)
    return Correlation("kendall", float(found.statistic), len(first), float(found.pvalue))


CORRELATIONS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def correlate(a: ArrayLike, b: ArrayLike, coefficient: str = "pearson") -> Correlation:
    """Correlation by name."""
    check_argument("coefficient", coefficient, choices=CORRELATIONS)
    return CORRELATIONS[coefficient](a, b)


def rmse(a: ArrayLike, b: ArrayLike) -> float:
    """Root of the mean squared difference."""
    first, second = vectors(a, b, at_least=1)
    return float(np.sqrt(np.mean((first - second) ** 2)))


def interval(r: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Confidence interval of a Pearson correlation, by Fisher's transformation."""
    from scipy import stats

    if n < 4:
        raise InputError(f"an interval needs at least 4 scores, not {n}")
    if abs(r) == 1:
        return r, r
    half = float(stats.norm.ppf((1 + level) / 2)) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def fisher_difference(r1: float, r2: float, n1: int, n2: int) -> float:
    """One-sided p that the first correlation is higher, for two *independent* samples (Fisher's r to z).

    Two metrics that score the same systems are not independent: for those use `dragoman.evaluation.williams`. This is
    here to show how much power the wrong test loses.
    """
    from scipy import stats

    if min(n1, n2) < 4:
        raise InputError("each sample needs at least 4 scores")
    z = (math.atanh(r1) - math.atanh(r2)) / math.sqrt(1 / (n1 - 3) + 1 / (n2 - 3))
    return float(stats.norm.sf(z))


@dataclass(frozen=True, slots=True)
class ScoredPreference:
    """A person's comparison of two outputs of one segment, and what the metric gave them.

    `human` is 1 if the first output was preferred, -1 if the second, 0 for a tie; metric scores are higher for better.
    """

    human: int
    first: float
    second: float


def wmt_kendall(
    preferences: Iterable[ScoredPreference] | Sequence[ScoredPreference],
    variant: Literal["wmt12", "wmt13", "wmt14"] = "wmt14",
) -> float:
    """Kendall's tau of a metric with pairwise human preferences, as the WMT metrics tasks computed it.

    Human ties are left out in all variants. A tie of the metric counts as disagreement in `wmt12`, is left out in
    `wmt13`, and counts in the denominator only in `wmt14`.
    """
    check_argument("variant", variant, choices=("wmt12", "wmt13", "wmt14"))
    agree = disagree = tied = 0
    for preference in preferences:
        if preference.human == 0:
            continue
        difference = (preference.first - preference.second) * preference.human
        if difference > 0:
            agree += 1
        elif difference < 0:
            disagree += 1
        else:
            tied += 1
    if variant == "wmt12":
        disagree += tied
    denominator = agree + disagree + (tied if variant == "wmt14" else 0)
    if denominator == 0:
        raise InputError("no pair was preferred by anybody, so there is nothing to correlate with")
    return (agree - disagree) / denominator
