"""Agreement: of assessors with themselves and with each other.

Scores of a continuous scale are cut into categories and compared by kappa. Chance agreement is *uniform*, 1/k: all
kappas of Graham, Baldwin, Moffat and Zobel (2013) follow from it, and not from Cohen's product of margins, which is
there as an option. Beside it: differences of scores as they stand, Krippendorff's alpha for interval data, and the
correlation of each assessor with the mean of the others (Agirre et al. 2012).

    >>> pairs = [(12, 18), (35, 41), (55, 58), (60, 79), (80, 95), (5, 22), (44, 47), (99, 100), (61, 62), (30, 39)]
    >>> round(kappa([(category(a, 5), category(b, 5)) for a, b in pairs], 5), 2)
    0.75
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dragoman.assessment.analysis.control_pairs import AssessorKey, collect_controls
from dragoman.assessment.ratings import Rating
from dragoman.errors import InputError
from dragoman.settings import check_argument

__all__ = [
    "CHANCES",
    "Agreement",
    "Differences",
    "Validation",
    "agreement",
    "category",
    "differences",
    "kappa",
    "krippendorff_alpha",
    "one_versus_rest",
    "percentile_cuts",
    "rest_correlations",
    "score_pairs",
    "slot_correlation",
    "validate_crowd",
]

CHANCES = ("uniform", "cohen", "scott")


def category(score: float, categories: int, *, low: float = 0.0, high: float = 100.0) -> int:
    """The category of a score, of equal widths, from 0; the top of the scale belongs to the last one."""
    if not low <= score <= high:
        raise InputError(f"{score} lies outside the scale of {low:g} to {high:g}")
    return min(categories - 1, int(categories * (score - low) / (high - low)))


def percentile_cuts(scores: Sequence[float], categories: int) -> Callable[[float], int]:
    """A function that puts a score into one of so many categories of about equal size."""
    cuts = _cuts(scores, categories)
    return lambda score: int(np.searchsorted(cuts, score, side="right"))


def _cuts(scores: Sequence[float], categories: int) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.percentile(
        np.asarray(scores, np.float64), [100 * at / categories for at in range(1, categories)]
    )
    return found


def kappa(pairs: Sequence[tuple[int, int]], categories: int, *, chance: str = "uniform") -> float:
    """Agreement beyond chance: 1 if all agree, 0 at chance, negative below."""
    share = sum(a == b for a, b in pairs) / len(pairs) if pairs else 0.0
    expected = _chance(pairs, categories, chance)
    if expected == 1:
        raise InputError("chance agreement is complete: everything is in one category")
    return (share - expected) / (1 - expected)


def _chance(pairs: Sequence[tuple[int, int]], categories: int, chance: str) -> float:
    check_argument("chance", chance, choices=CHANCES)
    if not pairs:
        raise InputError("agreement of no pairs")
    if chance == "uniform":
        return 1 / categories
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    if chance == "cohen":
        return sum(first[at] * second[at] for at in first) / len(pairs) ** 2
    both = first + second
    return sum(count**2 for count in both.values()) / (2 * len(pairs)) ** 2


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on categories: the share that agrees, kappa, and how many pairs were compared."""

    kind: str
    categories: int
    share: float
    kappa: float
    pairs: int


@dataclass(frozen=True, slots=True)
class Differences:
    """Sizes of differences between two scores of one thing."""

    mean: float
    sd: float
    pairs: int


Kind = Literal["intra", "inter"]
Pairs = Sequence[tuple[float, float]]


def score_pairs(ratings: Sequence[Rating], *, kind: Kind) -> list[tuple[float, float]]:
    """Two scores of the same thing: an item and its repeat (`intra`), or two assessors of one output (`inter`).

    Of one output and two assessors there is one pair; an assessor's own repeats are averaged first.
    """
    if kind == "intra":
        return [pair for own in collect_controls(ratings).values() for pair in own.repeats]
    return [pair for scores in by_output(ratings).values() for pair in combinations(scores.values(), 2)]


def by_output(ratings: Sequence[Rating]) -> dict[tuple[str, ...], dict[str, float]]:
    """The mean score of each assessor for each output."""
    groups: dict[tuple[str, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in ratings:
        if one.genuine:
            groups[one.output][one.assessor].append(one.score)
    return {
        output: {assessor: sum(scores) / len(scores) for assessor, scores in sorted(own.items())}
        for output, own in groups.items()
    }


def differences(pairs: Pairs) -> Differences | None:
    """Mean and spread of the size of differences; None where nothing was scored twice."""
    if not pairs:
        return None
    table = np.array(pairs, np.float64)
    sizes = np.abs(table[:, 0] - table[:, 1])
    return Differences(float(sizes.mean()), float(sizes.std(ddof=1)) if len(sizes) > 1 else 0.0, len(sizes))


def agreement(
    pairs: Pairs,
    *,
    kind: Kind,
    categories: int = 5,
    chance: str = "uniform",
    low: float = 0.0,
    high: float = 100.0,
    shares: Sequence[float] | None = None,
) -> Agreement | None:
    """How often two scores fall into one category, and kappa; None where nothing was scored twice.

    Categories have equal widths on the scale, or, with `shares`, equal shares of those scores (for z-scores).
    """
    if not pairs:
        return None
    table = np.array(pairs, np.float64)
    if shares is not None:
        places = np.searchsorted(_cuts(shares, categories), table, side="right")
    else:
        for score in (table.min(), table.max()):
            category(float(score), categories, low=low, high=high)
        places = np.minimum(categories - 1, (categories * (table - low) / (high - low)).astype(np.int64))
    couples = [(int(a), int(b)) for a, b in places]
    share = sum(a == b for a, b in couples) / len(couples)
    return Agreement(kind, categories, share, kappa(couples, categories, chance=chance), len(couples))


def krippendorff_alpha(ratings: Sequence[Rating]) -> float | None:
    """Krippendorff's alpha for interval data over outputs that two or more assessors scored; None without any."""
    units = [list(scores.values()) for scores in by_output(ratings).values() if len(scores) > 1]
    if not units:
        return None
    everything = np.array([score for unit in units for score in unit], np.float64)
    n = len(everything)
    observed = sum(2 * len(unit) * float(np.var(unit)) * len(unit) / (len(unit) - 1) for unit in units) / n
    expected = 2 * n * float(np.var(everything)) / (n - 1)
    return 1.0 if expected == 0 else 1 - observed / expected


def rest_correlations(ratings: Sequence[Rating]) -> dict[AssessorKey, tuple[float, int]]:
    """Each assessor's correlation with the mean of the others, over the outputs that others scored too; how many.

    Assessors with fewer than three such outputs are left out; one who always gives the same score correlates 0.
    """
    own: dict[AssessorKey, list[float]] = defaultdict(list)
    others: dict[AssessorKey, list[float]] = defaultdict(list)
    for output, scores in by_output(ratings).items():
        total = sum(scores.values())
        if len(scores) > 1:
            for assessor, score in scores.items():
                key = (assessor, output[0], output[1])
                own[key].append(score)
                others[key].append((total - score) / (len(scores) - 1))
    found = {}
    for key, scores_of in own.items():
        if len(scores_of) > 2:
            flat = np.ptp(scores_of) == 0 or np.ptp(others[key]) == 0
            r = 0.0 if flat else float(np.corrcoef(scores_of, others[key])[0, 1])
            found[key] = r, len(scores_of)
    return found


def one_versus_rest(ratings: Sequence[Rating], *, weighted: bool = True) -> float | None:
    """The mean of these correlations, weighted by the number of outputs unless told otherwise; None without any."""
    found = list(rest_correlations(ratings).values())
    if not found:
        return None
    weights = [float(n) if weighted else 1.0 for _, n in found]
    return float(np.average([r for r, _ in found], weights=weights))


@dataclass(frozen=True, slots=True)
class Validation:
    """A crowd against experts: how experts agree, each expert with the crowd's mean, their mean with the crowd's."""

    experts: float
    each: Mapping[str, float]
    together: float
    outputs: int


def validate_crowd(experts: Sequence[Rating], crowd: Sequence[Rating]) -> Validation | None:
    """Correlations over the outputs that all experts and the crowd scored, as Agirre et al. (2014) check a new crowd.

    None where there are fewer than three such outputs or two experts.
    """
    mine, theirs = by_output(experts), by_output(crowd)
    names = sorted({name for scores in mine.values() for name in scores})
    shared = [output for output, scores in mine.items() if output in theirs and len(scores) == len(names)]
    if len(shared) < 3 or len(names) < 2:
        return None
    columns = {name: np.array([mine[output][name] for output in shared]) for name in names}
    means = np.array([statistics.fmean(theirs[output].values()) for output in shared])

    def r(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        return 0.0 if np.ptp(a) == 0 or np.ptp(b) == 0 else float(np.corrcoef(a, b)[0, 1])

    return Validation(
        statistics.fmean(r(columns[a], columns[b]) for a, b in combinations(names, 2)),
        {name: r(column, means) for name, column in columns.items()},
        r(np.mean(list(columns.values()), axis=0), means),
        len(shared),
    )


def slot_correlation(ratings: Sequence[Rating], *, slots: int, rng: np.random.Generator) -> float | None:
    """One-versus-rest where everyone scored something else: ratings of each output are shuffled into columns.

    Outputs with fewer ratings than `slots` are left out.
    """
    full = (list(scores.values()) for scores in by_output(ratings).values() if len(scores) >= slots)
    rows = [rng.permutation(scores)[:slots] for scores in full]
    if len(rows) < 3:
        return None
    table = np.array(rows, np.float64)
    found = []
    for at in range(slots):
        rest = np.delete(table, at, axis=1).mean(axis=1)
        if np.ptp(table[:, at]) > 0 and np.ptp(rest) > 0:
            found.append(float(np.corrcoef(table[:, at], rest)[0, 1]))
    return statistics.fmean(found) if found else None
