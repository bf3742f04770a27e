"""Resampling tests: is the difference between two systems' scores more than luck?

A corpus score such as BLEU is no mean of sentence scores, so no textbook test applies; one resamples the test set
instead. All tests here work on two matrices of per-segment statistics and on a function from a sum of statistics to a
score, and so serve every metric. (Noreen 1989; Koehn 2004; Riezler and Maxwell 2005; Graham, Mathur and Baldwin 2014.)

`randomization`
    swaps the two systems' outputs segment by segment, and asks how often a shuffled difference is as large as the real
    one. It assumes nothing about where the test set came from. The default.
`bootstrap`
    draws segments with replacement and shifts the resulting differences to mean zero, which simulates the null
    hypothesis.
`paired-bootstrap`
    draws segments with replacement and asks how often the better system loses: a confidence interval in disguise. It is
    one-sided by nature; two-sided values are doubled.
`riezler-maxwell`
    takes absolute values before shifting, as published in 2005 and as still computed elsewhere. It is here for
    comparison with such figures: its p-values are about half of what they should be.

Small test sets are enumerated instead of sampled where that is feasible.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman._native import evaluation as native
from dragoman.errors import InputError, LengthMismatch, SettingError

__all__ = ["TESTS", "Difference", "bootstrap_interval", "compare_statistics"]

Array = NDArray[np.float64]
Scorer = Callable[[Array], Array]
"""From sums of statistics, one row per sample, to scores."""

TESTS = ("randomization", "bootstrap", "paired-bootstrap", "riezler-maxwell")

DEFAULT_SAMPLES = 10_000
MOST_EXACT_SWAPS = 20
MOST_EXACT_DRAWS = 7


@dataclass(frozen=True)
class Difference:
    """The difference of two systems, oriented so that positive means the first is better, and how sure that is."""

    score_x: float
    score_y: float
    delta: float
    p: float
    test: str
    sided: int
    samples: int
    count: int
    seed: int | None
    interval: tuple[float, float]
    level: float
    pseudo: Array = field(repr=False, compare=False)
    """Pseudo-statistics: the differences of the samples, centred where the test centres them."""

    def to_dict(self) -> dict[str, Any]:
        names = ("score_x", "score_y", "delta", "p", "test", "sided", "samples", "count", "seed", "level")
        return {name: getattr(self, name) for name in names} | {"interval": list(self.interval)}


def _checked(x: Array, y: Array) -> tuple[Array, Array]:
    first, second = (np.ascontiguousarray(matrix, np.float64) for matrix in (x, y))
    if first.ndim != 2 or first.shape[1:] != second.shape[1:]:
        raise InputError("statistics must be two matrices of equal width, one row per segment")
    if len(first) != len(second):
        raise LengthMismatch(f"{len(first)} segments against {len(second)}", remedy="compare the same test set")
    if not len(first):
        raise InputError("an empty test set cannot be tested")
    for matrix in (first, second):
        bad = np.argwhere(~np.isfinite(matrix))
        if len(bad):
            raise InputError(f"the statistics of segment {bad[0][0] + 1} are not finite numbers")
    return first, second


def _bootstrap(x: Array, y: Array, samples: int, seed: int, threads: int, *, exact: bool) -> tuple[Array, Array]:
    """Sums of both systems over the same resamples."""
    if not exact:
        both = native.bootstrap_sums(np.hstack([x, y]), samples=samples, seed=seed, threads=threads)
        return both[:, : x.shape[1]], both[:, x.shape[1] :]
    draws = np.array(list(itertools.product(range(len(x)), repeat=len(x))))
    return x[draws].sum(axis=1), y[draws].sum(axis=1)


def _shuffle(x: Array, y: Array, samples: int, seed: int, threads: int, *, exact: bool) -> tuple[Array, Array]:
    """Sums of both systems over shuffled outputs."""
    total = x.sum(axis=0) + y.sum(axis=0)
    if not exact:
        first = native.shuffled_sums(x, y, samples=samples, seed=seed, threads=threads)
        return first, total - first
    numbers = np.arange(2 ** len(x), dtype=np.uint32)
    first = np.tile(x.sum(axis=0), (len(numbers), 1))
    for segment, gain in enumerate(y - x):
        first[(numbers >> np.uint32(segment)) & np.uint32(1) == 1] += gain
    return first, total - first


def compare_statistics(
    x: Array,
    y: Array,
    score: Scorer,
    *,
    higher_is_better: bool = True,
    test: str = "randomization",
    sided: int = 2,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 12345,
    smoothing: bool = True,
    strict_ties: bool = False,
    centre: str = "mean",
    level: float = 0.95,
    exact: bool | None = None,
    threads: int = 0,
) -> Difference:
    """Test whether the first system differs from (two-sided) or is better than (one-sided) the second.

    `smoothing` gives (c+1)/(B+1), which is never 0 and keeps the level; without it p is c/B. `strict_ties` counts only
    strict losses in the paired bootstrap, as first published, which calls two identical outputs significantly
    different. `centre` is `mean` or `mean-abs`, for `riezler-maxwell` only. `exact=None` enumerates where feasible.
    """
    if test not in TESTS:
        raise SettingError(f"no test is called {test!r}", remedy=f"choose from {', '.join(TESTS)}")
    if sided not in (1, 2):
        raise SettingError(f"a test is one- or two-sided, not {sided}")
    if samples < 1:
        raise SettingError(f"{samples} samples", remedy="10,000 are usual")
    first, second = _checked(x, y)
    sign = 1.0 if higher_is_better else -1.0
    whole = score(np.stack([first.sum(axis=0), second.sum(axis=0)]))
    delta = float(sign * (whole[0] - whole[1]))
    by_swaps = test == "randomization"
    feasible = len(first) <= (MOST_EXACT_SWAPS if by_swaps else MOST_EXACT_DRAWS)
    if exact and not feasible:
        raise SettingError(f"{len(first)} segments are too many to enumerate", remedy="sample instead")
    exact = feasible if exact is None else exact
    draw = _shuffle if by_swaps else _bootstrap
    sums_x, sums_y = draw(first, second, samples, seed, threads, exact=exact)
    pseudo = sign * (score(sums_x) - score(sums_y))
    interval = _interval(first, second, score, sign, pseudo, by_swaps, samples, seed, threads, level)
    if np.array_equal(first, second):
        count, p = len(pseudo), 1.0
    else:
        pseudo, count = _count(pseudo, delta, test, sided, strict_ties=strict_ties, centre=centre)
        p = count / len(pseudo) if exact or not smoothing else (count + 1) / (len(pseudo) + 1)
        if test == "paired-bootstrap" and sided == 2:
            p = min(1.0, 2 * p)
    return Difference(
        float(whole[0]), float(whole[1]), delta, p, test, sided, len(pseudo), count,
        None if exact else seed, interval, level, pseudo,
    )  # fmt: skip


def _count(pseudo: Array, delta: float, test: str, sided: int, *, strict_ties: bool, centre: str) -> tuple[Array, int]:
    """Pseudo-statistics as the test looks at them, and how many are at least as extreme as the real difference."""
    slack = 1e-12 * max(1.0, abs(delta))
    if test == "paired-bootstrap":
        losses = pseudo if sided == 1 or delta >= 0 else -pseudo
        return pseudo, int(np.sum(losses < -slack if strict_ties else losses <= slack))
    if test == "riezler-maxwell":
        if centre not in ("mean", "mean-abs"):
            raise SettingError(f"no centre is called {centre!r}", remedy="choose mean or mean-abs")
        size = np.abs(pseudo)
        shift = float(pseudo.mean() if centre == "mean" else size.mean())
        return size - shift, int(np.sum(size - shift >= abs(delta) - slack))
    if test == "bootstrap":
        pseudo = pseudo - pseudo.mean()
    if sided == 2:
        return pseudo, int(np.sum(np.abs(pseudo) >= abs(delta) - slack))
    return pseudo, int(np.sum(pseudo >= delta - slack))


def _interval(
    x: Array, y: Array, score: Scorer, sign: float, pseudo: Array, by_swaps: bool,
    samples: int, seed: int, threads: int, level: float,
) -> tuple[float, float]:  # fmt: skip
    """Percentile interval of the difference, from bootstrap samples."""
    if by_swaps:
        sums_x, sums_y = _bootstrap(x, y, min(samples, 2000), seed, threads, exact=False)
        pseudo = sign * (score(sums_x) - score(sums_y))
    low, high = np.quantile(pseudo, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_interval(
    statistics: Array, score: Scorer, *, samples: int = 1000, seed: int = 12345, level: float = 0.95, threads: int = 0
) -> tuple[float, float]:
    """Percentile interval of one system's score."""
    matrix, _ = _checked(statistics, statistics)
    scores = score(native.bootstrap_sums(matrix, samples=samples, seed=seed, threads=threads))
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
