"""Williams' test: is one metric's correlation with people significantly higher than another's?

Two metrics that score the same systems against the same human scores give *dependent* correlations, and how strongly
the metrics correlate with each other decides how much a difference means. Williams' test uses that third correlation;
testing each correlation against zero says nothing about their difference, and Fisher's transformation assumes two
independent samples and loses most of the power. (Williams 1959; Steiger 1980; Graham and Baldwin 2014.)

    >>> williams(r12=0.95, r13=0.90, r23=0.80, n=12)
    Williams(t=2.3765..., df=9, p=0.0207..., r12=0.95, r13=0.9, r23=0.8, n=12, alternative='greater', ...)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.correction import adjusted
from dragoman.evaluation.correlation import correlate, interval
from dragoman.settings import check_argument

__all__ = [
    "MetricMatrix",
    "Williams",
    "compare_metrics",
    "difference_interval",
    "metric_matrix",
    "steiger",
    "williams",
]

Alternative = Literal["greater", "two-sided"]
Degrees = Literal["n-3", "n-2"]


@dataclass(frozen=True, slots=True)
class Williams:
    """The test statistic, its degrees of freedom and p-value; `r13` and `r23` are the correlations compared."""

    t: float
    df: int
    p: float
    r12: float
    r13: float
    r23: float
    n: int
    alternative: Alternative
    identical: bool = False


def williams(
    *, r12: float, r13: float, r23: float, n: int, alternative: Alternative = "greater", df: Degrees = "n-3"
) -> Williams:
    """Test whether variable 1 correlates higher with variable 3 than variable 2 does.

    `df="n-2"` only reproduces figures that were published with a library of the time that used it; `n-3` is correct.
    """
    from scipy import stats

    _check_correlations(r12, r13, r23, n)
    degrees = n - 3 if df == "n-3" else n - 2
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -1e-12:
        raise InputError("no data can have these three correlations together")
    determinant = max(determinant, 0.0)
    spread = 2 * determinant * (n - 1) / (n - 3) + (r23 + r13) ** 2 / 4 * (1 - r12) ** 3
    identical = spread == 0
    t = 0.0 if identical else (r13 - r23) * math.sqrt((n - 1) * (1 + r12) / spread)
    p = float(stats.t.sf(t, degrees) if alternative == "greater" else 2 * stats.t.sf(abs(t), degrees))
    return Williams(t, degrees, p, r12, r13, r23, n, alternative, identical)


def steiger(*, r12: float, r13: float, r23: float, n: int, alternative: Alternative = "greater") -> float:
    """The p-value of the same question by Fisher's transformation with a covariance (Steiger 1980, equation 14).

    For contrast: unlike `dragoman.evaluation.correlation.fisher_difference` it knows that the correlations depend on
    each other; for few systems Williams' test keeps its level better.
    """
    from scipy import stats

    _check_correlations(r12, r13, r23, n)
    if max(abs(r13), abs(r23)) == 1:
        raise InputError("a perfect correlation has no z-transform", remedy="use Williams' test")
    mean = (r13 + r23) / 2
    covariance = r12 * (1 - 2 * mean**2) - mean**2 / 2 * (1 - 2 * mean**2 - r12**2)
    covariance /= (1 - mean**2) ** 2
    if covariance >= 1:  # the two metrics are one
        return 0.5 if alternative == "greater" else 1.0
    z = math.sqrt(n - 3) * (math.atanh(r13) - math.atanh(r23)) / math.sqrt(2 - 2 * covariance)
    return float(stats.norm.sf(z) if alternative == "greater" else 2 * stats.norm.sf(abs(z)))


def difference_interval(*, r12: float, r13: float, r23: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two dependent correlations that share a variable (Zou 2007)."""
    _check_correlations(r12, r13, r23, n)
    difference = r13 - r23
    if max(abs(r13), abs(r23)) == 1:
        return difference, difference
    (low1, high1), (low2, high2) = (interval(r, n, level=confidence) for r in (r13, r23))
    joint = (r12 - r13 * r23 / 2) * (1 - r13**2 - r23**2 - r12**2) + r12**3
    joint /= (1 - r13**2) * (1 - r23**2)

    def width(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one**2 + other**2 - 2 * joint * one * other))

    return difference - width(r13 - low1, high2 - r23), difference + width(high1 - r13, r23 - low2)


def _check_correlations(r12: float, r13: float, r23: float, n: int) -> None:
    if n < 4:
        raise InputError(f"a test of two correlations needs at least 4 systems, not {n}")
    for name, r in (("r12", r12), ("r13", r13), ("r23", r23)):
        check_argument(name, r, float, least=-1, most=1)


def compare_metrics(
    a: ArrayLike,
    b: ArrayLike,
    human: ArrayLike,
    *,
    a_higher_is_better: bool | None = None,
    b_higher_is_better: bool | None = None,
    coefficient: str = "pearson",
    alternative: Alternative = "greater",
    df: Degrees = "n-3",
) -> Williams:
    """Williams' test on scores. A metric's direction, if not given, is that of its correlation with people."""
    r13, r23 = correlate(a, human, coefficient).r, correlate(b, human, coefficient).r
    signs = [
        math.copysign(1, r) if better is None else (1 if better else -1)
        for r, better in ((r13, a_higher_is_better), (r23, b_higher_is_better))
    ]
    r12 = signs[0] * signs[1] * correlate(a, b, coefficient).r
    n = len(np.asarray(human))
    return williams(r12=r12, r13=signs[0] * r13, r23=signs[1] * r23, n=n, alternative=alternative, df=df)


@dataclass(frozen=True)
class MetricMatrix:
    """All pairs of metrics: `p[a][b]` says how surely a follows people better than b; None where it does not.

    Metrics are ordered by correlation, best first. Do not rank them by the number of wins: the test is more powerful
    for metrics that resemble each other, so a metric with many relatives collects wins unfairly.
    """

    order: tuple[str, ...]
    r: Mapping[str, float]
    between: Mapping[str, Mapping[str, float]]
    p: Mapping[str, Mapping[str, float | None]]
    n: int
    alternative: Alternative
    correction: str
    warnings: tuple[str, ...] = field(default=())

    def significant(self, alpha: float = 0.05) -> tuple[tuple[str, str], ...]:
        """Pairs (better, worse) at this level."""
        return tuple(
            (a, b) for a in self.order for b in self.order if (p := self.p[a].get(b)) is not None and p < alpha
        )


def metric_matrix(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    *,
    higher_is_better: Mapping[str, bool] | None = None,
    coefficient: str = "pearson",
    alternative: Alternative = "greater",
    correction: str = "none",
    df: Degrees = "n-3",
) -> MetricMatrix:
    """Compare every metric with every other against one human scoring of the same systems.

    The direction of each one-sided test is chosen after looking (the higher correlation goes first), so at level 0.05
    about one pair in ten of equally good metrics will seem to differ; ask for `two-sided` or a `correction` to be safe.
    """
    if coefficient == "kendall":
        raise SettingError("Williams' test is derived for Pearson correlations", remedy="use pearson or spearman")
    if len(metrics) < 2:
        raise InputError("a comparison needs at least two metrics")
    scores = np.asarray(human, np.float64)
    for name, values in metrics.items():
        if len(np.asarray(values)) != len(scores):
            raise LengthMismatch(f"{name} scores {len(np.asarray(values))} systems, people scored {len(scores)}")
    if len(scores) < 4:
        raise InputError(f"Williams' test needs at least 4 systems, not {len(scores)}")
    warnings = []
    if len(scores) < 8:
        warnings.append(f"only {len(scores)} systems: a difference must be large to be found")
    signs: dict[str, float] = {}
    oriented: dict[str, float] = {}
    for name, values in metrics.items():
        r = correlate(values, scores, coefficient).r
        wanted = (higher_is_better or {}).get(name)
        signs[name] = math.copysign(1, r) if wanted is None else (1.0 if wanted else -1.0)
        oriented[name] = signs[name] * r
        if oriented[name] < 0:
            warnings.append(f"{name} correlates in the wrong direction ({oriented[name]:.3f})")
    order = tuple(sorted(metrics, key=lambda name: (-oriented[name], name)))
    between = {
        a: {b: signs[a] * signs[b] * correlate(metrics[a], metrics[b], coefficient).r if a != b else 1.0 for b in order}
        for a in order
    }
    tests: dict[tuple[str, str], float] = {}
    for index, a in enumerate(order):
        for b in order[index + 1 :]:
            if oriented[a] > oriented[b] and between[a][b] < 1:
                test = williams(
                    r12=between[a][b], r13=oriented[a], r23=oriented[b], n=len(scores), alternative=alternative, df=df
                )
                tests[a, b] = test.p
    corrected = dict(zip(tests, adjusted(list(tests.values()), correction), strict=True))
    p = {a: {b: corrected.get((a, b)) for b in order if b != a} for a in order}
    return MetricMatrix(order, oriented, between, p, len(scores), alternative, correction, tuple(warnings))
