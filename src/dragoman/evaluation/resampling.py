"""Resampling tests: is the difference between two systems' scores more than luck?

A corpus score such as BLEU is no mean of sentence scores, so no textbook test applies; one resamples the test set
instead. All tests here work on matrices of per-segment statistics, one per system, and on a function from a sum of
statistics to a score, and so serve every metric. (Noreen 1989; Koehn 2004; Riezler and Maxwell 2005; Graham, Mathur and
Baldwin 2014.)

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

Samples are shared: sample r draws or swaps the same segments for every pair of systems and every metric. Small test
sets are enumerated instead of sampled where that is feasible.

    >>> import numpy as np
    >>> x, y = np.array([[6.0], [7], [3], [5], [8]]), np.array([[4.0], [8], [1], [5], [5]])
    >>> compare_statistics(x, y, lambda sums: sums[:, 0]).p  # 8 of the 32 ways to swap
    0.25
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman._native import evaluation as native
from dragoman._native.metrics import bootstrap_sums
from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.metrics.bootstrap import Scorer, interval
from dragoman.settings import Settings, setting

__all__ = [
    "TESTS",
    "Difference",
    "Resampled",
    "SignificanceTest",
    "compare_all",
    "compare_statistics",
    "p_value",
]

Array = NDArray[np.float64]

TESTS = ("randomization", "bootstrap", "paired-bootstrap", "riezler-maxwell")

DEFAULT_SAMPLES = 10_000
INTERVAL_SAMPLES = 2_000
MOST_EXACT_SWAPS = 20
MOST_EXACT_DRAWS = 7
_CHUNK = 1 << 16
"""How many enumerated samples are held at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest(Settings):
    """How systems are compared: which test, how many samples, and what counts."""

    name: str = setting("randomization", "Which test.", choices=TESTS)
    sided: int = setting(2, "One- or two-sided.", least=1, most=2)
    samples: int = setting(DEFAULT_SAMPLES, "How many are drawn.", least=10, most=10**7)
    seed: int = setting(1, "Of the random choices.", least=0)
    smoothing: bool = setting(True, "p is (c+1)/(B+1), which is never 0 and keeps the level; without it p is c/B.")
    strict_ties: bool = setting(
        False,
        "Count only samples that are strictly more extreme, as several published tools do; the paired bootstrap then "
        "calls two almost identical outputs significantly different.",
    )
    centre: str = setting("mean", "Of the test `riezler-maxwell` only.", choices=("mean", "mean-abs"))
    exact: bool | None = setting(None, "Enumerate instead of drawing; none does so where feasible.")
    confidence: float = setting(0.95, "Of intervals.", above=0, below=1)

    def enumerates(self, segments: int) -> bool:
        """Whether a test set of this size is enumerated rather than sampled."""
        feasible = segments <= (MOST_EXACT_SWAPS if self.name == "randomization" else MOST_EXACT_DRAWS)
        if self.exact and not feasible:
            raise SettingError(f"{segments} segments are too many to enumerate", remedy="sample instead")
        return feasible if self.exact is None else self.exact

    @property
    def drawn(self) -> int:
        """How many bootstrap samples are drawn: for intervals alone, fewer than a test needs are enough."""
        return min(self.samples, INTERVAL_SAMPLES) if self.name == "randomization" else self.samples

    def describe(self, segments: int) -> str:
        """One line that lets others repeat the test."""
        how = "exact" if self.enumerates(segments) else f"{self.samples:,} samples, seed {self.seed}"
        return f"{self.name}, {'one' if self.sided == 1 else 'two'}-sided, {how}"


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
    confidence: float
    error: float
    """Standard deviation of the difference over bootstrap samples: its standard error."""
    wins: float
    """Share of bootstrap samples in which the first system is better; ties count half."""
    segments: int
    pseudo: Array = field(repr=False, compare=False)
    """Pseudo-statistics: the differences of the samples, centred where the test centres them."""

    @property
    def effect(self) -> float:
        """Standardised effect size: the difference in units of the spread of one segment's contribution.

        For a mean of segment scores this is Cohen's d of paired samples; other metrics get their spread from the
        bootstrap. Unlike p it does not grow with the test set. Below 0.2 is usually called small.
        """
        return self.delta * self._unit

    @property
    def effect_interval(self) -> tuple[float, float]:
        """The interval of the difference in the same units."""
        return self.interval[0] * self._unit, self.interval[1] * self._unit

    @property
    def _unit(self) -> float:
        return 1 / (self.error * math.sqrt(self.segments)) if self.error > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = (
            "score_x", "score_y", "delta", "p", "test", "sided", "samples", "count", "seed", "confidence", "error",
            "wins", "effect",
        )  # fmt: skip
        plain = {name: getattr(self, name) for name in names}
        return plain | {"interval": list(self.interval), "effect_interval": list(self.effect_interval)}


@dataclass(frozen=True)
class Resampled:
    """Systems by one metric: scores with intervals, and the differences of the pairs that were asked for."""

    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    differences: Mapping[tuple[str, str], Difference]


def compare_all(
    systems: Mapping[str, Array],
    scores: Scorer,
    test: SignificanceTest | None = None,
    *,
    higher_is_better: bool = True,
    pairs: Sequence[tuple[str, str]] | None = None,
    threads: int = 0,
    advance: Callable[[], None] | None = None,
) -> Resampled:
    """Score systems from their statistics, and test pairs of them (all, unless named); one set of samples serves all.

    `advance` is called after each pair.
    """
    test = test or SignificanceTest()
    matrices = _checked(systems)
    names = list(matrices)
    wanted = list(itertools.combinations(names, 2)) if pairs is None else list(pairs)
    width = next(iter(matrices.values())).shape[1]
    segments = len(next(iter(matrices.values())))
    columns = {name: slice(k * width, (k + 1) * width) for k, name in enumerate(names)}
    joint = np.ascontiguousarray(np.hstack(list(matrices.values())))
    totals = joint.sum(axis=0)
    whole = {name: float(scores(totals[columns[name]][None, :])[0]) for name in names}
    drawn: dict[str, list[Array]] = {name: [] for name in names}
    for sums in _draws(joint, test, threads):
        for name in names:
            drawn[name].append(scores(np.ascontiguousarray(sums[:, columns[name]])))
    resampled = {name: np.concatenate(parts) for name, parts in drawn.items()}
    sign = 1.0 if higher_is_better else -1.0
    exact = test.enumerates(segments)
    swaps = test.name == "randomization"
    taken = None
    if swaps and not exact:
        taken = native.masked_sums(joint, samples=test.samples, seed=test.seed, threads=threads)
    found: dict[tuple[str, str], Difference] = {}
    for x, y in wanted:
        varied = sign * (resampled[x] - resampled[y])
        pseudo = varied
        if swaps:
            shuffled = [taken[:, columns[x]] - taken[:, columns[y]]] if taken is not None else None
            moved = shuffled or _all_swaps(matrices[x] - matrices[y])
            parts = [scores(totals[columns[x]] - lost) - scores(totals[columns[y]] + lost) for lost in moved]
            pseudo = sign * np.concatenate(parts)
        delta = sign * (whole[x] - whole[y])
        if np.array_equal(matrices[x], matrices[y]):
            count, p = len(pseudo), 1.0
        else:
            pseudo, count, p = p_value(pseudo, delta, test, exact=exact)
        found[x, y] = Difference(
            score_x=whole[x],
            score_y=whole[y],
            delta=delta,
            p=p,
            test=test.name,
            sided=test.sided,
            samples=len(pseudo),
            count=count,
            seed=None if exact else test.seed,
            interval=interval(varied, test.confidence),
            confidence=test.confidence,
            error=float(varied.std()),
            wins=float(np.mean(varied > 0) + np.mean(varied == 0) / 2),
            segments=segments,
            pseudo=pseudo,
        )
        if advance is not None:
            advance()
    return Resampled(whole, {name: interval(values, test.confidence) for name, values in resampled.items()}, found)


def compare_statistics(
    x: Array,
    y: Array,
    scores: Scorer,
    test: SignificanceTest | None = None,
    *,
    higher_is_better: bool = True,
    threads: int = 0,
) -> Difference:
    """Test whether the first system differs from (two-sided) or is better than (one-sided) the second."""
    found = compare_all({"first": x, "second": y}, scores, test, higher_is_better=higher_is_better, threads=threads)
    return found.differences["first", "second"]


def p_value(pseudo: Array, delta: float, test: SignificanceTest, *, exact: bool = False) -> tuple[Array, int, float]:
    """From differences in samples to a p-value: the pseudo-statistics as the test looks at them, their count, and p.

    The samples may come from anywhere, so that a test done by another program can be repeated on its own samples.
    """
    slack = 1e-12 * max(1.0, abs(delta), float(np.abs(pseudo).max()))
    extreme = abs(delta)
    if test.name == "paired-bootstrap":
        losses = pseudo if test.sided == 1 or delta >= 0 else -pseudo
        count = int(np.sum(losses < -slack if test.strict_ties else losses <= slack))
    else:
        if test.name == "bootstrap":
            pseudo = pseudo - pseudo.mean()
        elif test.name == "riezler-maxwell":
            size = np.abs(pseudo)
            pseudo = size - (abs(pseudo.mean()) if test.centre == "mean" else size.mean())
        looked_at = pseudo
        if test.name != "riezler-maxwell":
            looked_at, extreme = (np.abs(pseudo), abs(delta)) if test.sided == 2 else (pseudo, delta)
        count = int(np.sum(looked_at > extreme + slack if test.strict_ties else looked_at >= extreme - slack))
    p = count / len(pseudo) if exact or not test.smoothing else (count + 1) / (len(pseudo) + 1)
    if test.name == "paired-bootstrap" and test.sided == 2:
        p = min(1.0, 2 * p)
    return pseudo, count, p


def _checked(systems: Mapping[str, Array]) -> dict[str, Array]:
    matrices = {name: np.ascontiguousarray(matrix, np.float64) for name, matrix in systems.items()}
    if len(matrices) < 2:
        raise InputError("a comparison needs at least two systems")
    first_name, first = next(iter(matrices.items()))
    for name, matrix in matrices.items():
        if matrix.ndim != 2 or matrix.shape[1:] != first.shape[1:]:
            raise InputError("statistics must be matrices of equal width, one row per segment", where=name)
        if len(matrix) != len(first):
            raise LengthMismatch(
                f"{len(matrix)} segments, but {first_name} has {len(first)}",
                where=name,
                remedy="compare outputs of one test set",
            )
        bad = np.argwhere(~np.isfinite(matrix))
        if len(bad):
            raise InputError("the statistics are not finite numbers", where=f"{name}, segment {bad[0][0] + 1}")
    if not len(first):
        raise InputError("an empty test set cannot be tested")
    return matrices


def _draws(joint: Array, test: SignificanceTest, threads: int) -> Iterator[Array]:
    """Sums over segments drawn with replacement: all ways to draw them if those are few, else samples."""
    segments = len(joint)
    if segments > MOST_EXACT_DRAWS or not test.enumerates(segments):
        yield bootstrap_sums(joint, samples=test.drawn, seed=test.seed, threads=threads)
        return
    places = segments ** np.arange(segments)
    for start in range(0, segments**segments, _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, segments**segments))
        digits = numbers[:, None] // places % segments
        times = (digits[:, :, None] == np.arange(segments)).sum(axis=1)
        yield times.astype(np.float64) @ joint


def _all_swaps(lead: Array) -> Iterator[Array]:
    """What the first system loses to the second in each of the ways to swap their outputs."""
    segments = len(lead)
    for start in range(0, 2**segments, _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, 2**segments))
        yield (numbers[:, None] >> np.arange(segments) & 1).astype(np.float64) @ lead
