"""Tests on human scores and on counts: Wilcoxon's rank-sum test, and the exact interval of a proportion.

>>> rank_sum([3, 4, 5, 6], [1, 2, 2.5, 3.5]).p
0.028...
>>> low, high = proportion_interval(53, 66)
>>> round(low, 3), round(high, 3)
(0.687, 0.891)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dragoman.errors import InputError

__all__ = ["RankSum", "proportion_interval", "rank_sum", "rank_sum_matrix"]

EXACT_BELOW = 50
"""Both samples smaller than this and no ties: the exact distribution is used."""


@dataclass(frozen=True, slots=True)
class RankSum:
    """Mann and Whitney's U of the first sample, and the p-value."""

    u: float
    p: float
    exact: bool


def rank_sum(
    x: ArrayLike, y: ArrayLike, *, alternative: Literal["greater", "less", "two-sided"] = "greater"
) -> RankSum:
    """Wilcoxon's rank-sum test: do scores of x tend to be higher than those of y?

    Midranks for ties; exact for small samples without ties, else the normal approximation with tie and continuity
    corrections.
    """
    from scipy import stats

    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if not len(first) or not len(second):
        raise InputError("a rank-sum test needs scores on both sides")
    joint = np.concatenate([first, second])
    if not np.isfinite(joint).all():
        raise InputError("scores must be finite numbers")
    exact = len(first) < EXACT_BELOW and len(second) < EXACT_BELOW and len(np.unique(joint)) == len(joint)
    if len(np.unique(joint)) == 1:
        return RankSum(len(first) * len(second) / 2, 1.0 if alternative == "two-sided" else 0.5, exact=False)
    found = stats.mannwhitneyu(first, second, alternative=alternative, method="exact" if exact else "asymptotic")
    return RankSum(float(found.statistic), float(found.pvalue), exact)


def rank_sum_matrix(scores: Mapping[str, ArrayLike]) -> dict[str, dict[str, float]]:
    """One-sided p-values of all ordered pairs of systems: `p[a][b]` is small where a's scores tend to be higher.

    Together with `dragoman.evaluation.clusters` this gives the ranking of a human evaluation (Graham et al. 2014).
    """
    return {a: {b: rank_sum(scores[a], scores[b], alternative="greater").p for b in scores if b != a} for a in scores}


def proportion_interval(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval of a proportion."""
    from scipy import stats

    if not 0 <= successes <= trials or trials < 1:
        raise InputError(f"{successes} successes in {trials} trials")
    found = stats.binomtest(successes, trials).proportion_ci(level, method="exact")
    return float(found.low), float(found.high)
