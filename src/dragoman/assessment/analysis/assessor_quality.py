"""Quality: which assessors did careful work, tested against themselves.

No expert and no majority decides. Hidden in each task are damaged copies and repeats of its own items; a careful
assessor scores a damaged copy lower than its original, and a repeat about the same. The main test is a one-sided paired
t-test of originals against damaged copies (Graham, Baldwin, Moffat and Zobel 2014); stricter ones ask whether the
differences of repeats are smaller than those of damaged copies (Welch, or Mann and Whitney; Graham et al. 2013). Where
items of known score are hidden instead, the correlation with them decides (Agirre et al. 2012).

Whether to pay is another question: `flags` lists what a person should look at, and nothing is decided by them.

    >>> original, damaged = [72, 55, 81, 40, 66, 90, 35, 58, 77, 49], [47, 41, 48, 31, 48, 50, 29, 36, 48, 34]
    >>> round(paired_test(original, damaged).p, 7)
    8.13e-05
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.assessment.analysis.agreement import rest_correlations
from dragoman.assessment.analysis.control_pairs import AssessorKey, Controls, collect_controls
from dragoman.assessment.ratings import Rating
from dragoman.errors import InputError
from dragoman.evaluation.ranks import rank_sum
from dragoman.settings import check_argument

__all__ = [
    "TESTS",
    "Quality",
    "Test",
    "assess_quality",
    "consistency_test",
    "difference_test",
    "paired_test",
]

TESTS = ("auto", "paired", "welch", "mann-whitney", "gold", "none")
LEAST_PAIRS, LEAST_GOLD, LEAST_CORRELATION = 5, 10, 0.5
FAST_SECONDS, LONG_RUN = 3.0, 8


@dataclass(frozen=True, slots=True)
class Test:
    """A statistic, its degrees of freedom (None for a rank test) and the p-value; `degenerate` without any spread."""

    statistic: float
    df: float | None
    p: float
    degenerate: bool = False


def paired_test(originals: ArrayLike, damaged: ArrayLike) -> Test:
    """One-sided paired t-test that originals score higher than their damaged copies.

    Without spread there is no t: five or more differences, all positive, count as certain, anything else as nothing.
    """
    differences = np.asarray(originals, np.float64) - np.asarray(damaged, np.float64)
    if len(differences) < 2 or np.ptp(differences) == 0:
        certain = len(differences) >= LEAST_PAIRS and bool((differences > 0).all())
        return Test(float("inf") if certain else 0.0, None, 0.0 if certain else 1.0, degenerate=True)
    t, df = _t(differences)
    return Test(t, df, _below(-t, df))


def consistency_test(initial: ArrayLike, repeated: ArrayLike) -> Test:
    """Two-sided paired t-test that repeats are scored differently: a large p is good, and no proof of care."""
    differences = np.asarray(initial, np.float64) - np.asarray(repeated, np.float64)
    if len(differences) < 2 or np.ptp(differences) == 0:
        same = not len(differences) or not differences.any()
        return Test(0.0 if same else float("inf"), None, 1.0 if same else 0.0, degenerate=True)
    t, df = _t(differences)
    return Test(t, df, 2 * _below(-abs(t), df))


def difference_test(d1: ArrayLike, d2: ArrayLike, *, test: Literal["welch", "mann-whitney"]) -> Test:
    """One-sided test that differences of repeats (d1) are smaller than those of damaged copies (d2)."""
    first, second = np.asarray(d1, np.float64), np.asarray(d2, np.float64)
    if min(len(first), len(second)) < 2:
        raise InputError("a comparison of differences needs two of each kind")
    if np.ptp(first) == 0 and np.ptp(second) == 0:
        smaller = bool(first[0] < second[0])
        return Test(float("-inf") if smaller else 0.0, None, 0.0 if smaller else 1.0, degenerate=True)
    if test == "mann-whitney":
        ranks = rank_sum(first, second, alternative="less")
        return Test(ranks.u, None, ranks.p)
    a, b = first.var(ddof=1) / len(first), second.var(ddof=1) / len(second)
    t = float((first.mean() - second.mean()) / np.sqrt(a + b))
    df = float((a + b) ** 2 / (a**2 / (len(first) - 1) + b**2 / (len(second) - 1)))
    return Test(t, df, _below(t, df))


def _t(differences: NDArray[np.float64]) -> tuple[float, float]:
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    return float(differences.mean() / error), float(len(differences) - 1)


def _below(t: float, df: float) -> float:
    """Student's distribution function."""
    from scipy import special

    return float(special.stdtr(df, t))


@dataclass(frozen=True, slots=True)
class Quality:
    """What is known of one assessor in one attribute and language pair, and whether the judgements are kept.

    `reason` says why. `consistent` is the p-value of the test on repeats, `gold_near` the share of gold items answered
    within one point. `flags` are for a person to look at.
    """

    assessor: str
    protocol: str
    pair: str
    kept: bool
    reason: str
    tasks: int
    judgements: int
    seconds: float
    means: Mapping[str, float]
    repeats: int
    mean_d1: float
    sd_d1: float
    degraded: int
    mean_d2: float
    sd_d2: float
    p_paired: float | None
    p_welch: float | None
    p_mann_whitney: float | None
    consistent: float | None
    gold: int
    gold_correlation: float | None
    gold_near: float | None
    one_versus_rest: float | None
    flags: tuple[str, ...] = ()

    @property
    def assessor_key(self) -> AssessorKey:
        return self.assessor, self.protocol, self.pair

    def to_dict(self) -> dict[str, Any]:
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "means": dict(self.means), "flags": list(self.flags)}


def assess_quality(
    ratings: Sequence[Rating],
    *,
    test: str = "auto",
    alpha: float = 0.05,
    absolute: bool = False,
    least_correlation: float = LEAST_CORRELATION,
    full_marks: float = 100.0,
) -> list[Quality]:
    """Every assessor's record, kept or not, in alphabetical order.

    `auto` takes the paired test where there are damaged copies, gold where there are gold items, and keeps everybody
    where there is neither. `absolute` takes the size of d2 instead of its sign, as one reading of the 2013 paper does.
    """
    check_argument("test", test, choices=TESTS)
    check_argument("alpha", alpha, float, above=0, below=1)
    by_key: dict[AssessorKey, list[Rating]] = defaultdict(list)
    for one in ratings:
        by_key[one.assessor_key].append(one)
    controls, rest = collect_controls(ratings), rest_correlations(ratings)
    found = []
    for key in sorted(by_key):
        own = controls[key]
        wanted = test
        if wanted == "auto":
            wanted = "paired" if own.degraded or own.incomplete else "gold" if own.gold else "none"
        kept, reason = _decide(own, wanted, alpha, absolute, least_correlation, rest.get(key))
        found.append(_record(key, by_key[key], own, kept, reason, absolute, rest.get(key), full_marks))
    return found


def _decide(
    own: Controls, test: str, alpha: float, absolute: bool, least: float, rest: tuple[float, int] | None
) -> tuple[bool, str]:
    if test == "none":
        return True, "not tested"
    if test == "gold":
        if len(own.gold) >= LEAST_GOLD:
            r = gold_correlation(own)
            return r >= least, f"correlation {r:.2f} with {len(own.gold)} gold items, {least:g} needed"
        if rest is None:
            return True, f"only {len(own.gold)} gold items, too few to decide"
        return rest[0] >= least, f"only {len(own.gold)} gold items; correlation {rest[0]:.2f} with the others' mean"
    if test == "paired":
        if not own.degraded:
            return False, "no complete pair of an output and its degraded copy"
        found = paired_test(*zip(*own.degraded, strict=True))
        verdict = "lower" if found.p < alpha else "not reliably lower"
        return found.p < alpha, f"degraded copies {verdict} (paired t, p = {found.p:.2g}, n = {len(own.d2)})"
    if min(len(own.repeats), len(own.degraded)) < LEAST_PAIRS:
        few = f"{len(own.repeats)} repeats and {len(own.degraded)} degraded copies"
        return False, f"insufficient: {few}, {LEAST_PAIRS} of each needed"
    d2 = [abs(one) for one in own.d2] if absolute else own.d2
    found = difference_test(own.d1, d2, test="welch" if test == "welch" else "mann-whitney")
    verdict = "smaller" if found.p < alpha else "not reliably smaller"
    note = ", no spread" if found.degenerate else ""
    return (
        found.p < alpha,
        f"differences of repeats {verdict} than of degraded copies ({test}, p = {found.p:.2g}{note})",
    )


def gold_correlation(own: Controls) -> float:
    """Pearson's r with the known scores; 0 for someone who always gives the same answer."""
    given, known = (np.array(values, np.float64) for values in zip(*own.gold, strict=True))
    if np.ptp(given) == 0 or np.ptp(known) == 0:
        return 0.0
    return float(np.corrcoef(given, known)[0, 1])


def _record(
    key: AssessorKey,
    ratings: Sequence[Rating],
    own: Controls,
    kept: bool,
    reason: str,
    absolute: bool,
    rest: tuple[float, int] | None,
    full_marks: float,
) -> Quality:
    means = {
        kind: statistics.fmean(scores)
        for kind in ("system", "repeat", "degraded", "reference", "gold")
        if (scores := [one.score for one in ratings if one.kind == kind])
    }
    timed = [one.milliseconds for one in ratings if one.milliseconds]
    d2 = [abs(one) for one in own.d2] if absolute else own.d2
    enough = min(len(own.repeats), len(own.degraded)) >= LEAST_PAIRS
    return Quality(
        *key,
        kept=kept,
        reason=reason,
        tasks=len({one.task for one in ratings}),
        judgements=len(ratings),
        seconds=statistics.fmean(timed) / 1000 if timed else 0.0,
        means=means,
        repeats=len(own.repeats),
        mean_d1=statistics.fmean(own.d1) if own.repeats else 0.0,
        sd_d1=float(np.std(own.d1, ddof=1)) if len(own.repeats) > 1 else 0.0,
        degraded=len(own.degraded),
        mean_d2=statistics.fmean(d2) if d2 else 0.0,
        sd_d2=float(np.std(d2, ddof=1)) if len(d2) > 1 else 0.0,
        p_paired=paired_test(*zip(*own.degraded, strict=True)).p if own.degraded else None,
        p_welch=difference_test(own.d1, d2, test="welch").p if enough else None,
        p_mann_whitney=difference_test(own.d1, d2, test="mann-whitney").p if enough else None,
        consistent=consistency_test(*zip(*own.repeats, strict=True)).p if own.repeats else None,
        gold=len(own.gold),
        gold_correlation=gold_correlation(own) if len(own.gold) > 1 else None,
        gold_near=statistics.fmean(abs(a - b) <= 1 for a, b in own.gold) if own.gold else None,
        one_versus_rest=rest[0] if rest else None,
        flags=tuple(_flags(key, ratings, means, own, full_marks)),
    )


def _flags(
    key: AssessorKey, ratings: Sequence[Rating], means: Mapping[str, float], own: Controls, full_marks: float
) -> list[str]:
    found = []
    if "degraded" in means and means["degraded"] >= means.get("system", full_marks):
        found.append("degraded copies score as high as outputs")
    if "reference" in means and means.get("system", 0) >= means["reference"]:
        found.append("outputs score as high as references")
    if "adequacy" in key[1] and means.get("reference", full_marks) < 0.9 * full_marks:
        found.append("references of equal text score below 90% of the scale")
    by_task: dict[str, list[Rating]] = defaultdict(list)
    for one in ratings:
        by_task[one.task].append(one)
    for task, rows in sorted(by_task.items()):
        rows.sort(key=lambda one: one.position)
        times = [one.milliseconds for one in rows if one.milliseconds]
        if times and statistics.fmean(times) < 1000 * FAST_SECONDS:
            found.append(f"task {task}: {statistics.fmean(times) / 1000:.1f} s per item")
        run = longest = 1
        for before, after in pairwise(rows):
            run = run + 1 if after.score == before.score else 1
            longest = max(longest, run)
        if longest > LONG_RUN:
            found.append(f"task {task}: {longest} equal scores in a row")
    if own.incomplete:
        found.append(f"{own.incomplete} control pairs are incomplete")
    return found
