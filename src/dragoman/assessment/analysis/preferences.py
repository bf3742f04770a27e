"""Preferences: which of two outputs an assessor ranked higher, and rankings of systems made of them.

A screen of five outputs gives ten preferences. A system's score is its expected wins: the mean over the other systems
of the share of its comparisons with them that it wins, ties left out (Koehn 2012), which does not depend on whom it
happened to meet. Two systems differ if one wins significantly more of their own comparisons (an exact sign test).

Agreement follows the WMT evaluations: two assessors, or one assessor twice, agree on a pair of outputs if they both
prefer the same one or both see a tie. Chance agreement is estimated from how often ties are given at all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from dragoman.assessment.ratings import Preference
from dragoman.errors import InputError

__all__ = ["PreferenceAgreement", "expected_wins", "preference_agreement", "sign_test", "sign_tests"]


def expected_wins(preferences: Iterable[Preference]) -> dict[str, float]:
    """The score of each system, best first."""
    wins: Counter[tuple[str, str]] = Counter()
    for one in preferences:
        if one.margin:
            winner, loser = (one.first, one.second) if one.margin > 0 else (one.second, one.first)
            wins[winner, loser] += 1
    systems = sorted({name for match in wins for name in match})
    if not systems:
        raise InputError("no comparison has a winner")
    scores = {}
    for system in systems:
        shares = [
            wins[system, other] / (wins[system, other] + wins[other, system])
            for other in systems
            if other != system and wins[system, other] + wins[other, system]
        ]
        scores[system] = sum(shares) / len(shares) if shares else 0.0
    return dict(sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])))


def sign_test(won: int, lost: int) -> float:
    """Probability of at least so many wins if each were the toss of a coin: the exact one-sided binomial test.

    >>> round(sign_test(120, 80), 4)
    0.0028
    """
    from scipy import stats

    return float(stats.binomtest(won, won + lost, alternative="greater").pvalue) if won + lost else 1.0


def sign_tests(preferences: Iterable[Preference]) -> dict[str, dict[str, float | None]]:
    """`p[a][b]`: one-sided p-value that a is better than b, None where a does not lead (as `clusters` wants it)."""
    wins: Counter[tuple[str, str]] = Counter()
    for one in preferences:
        if one.margin:
            wins[(one.first, one.second) if one.margin > 0 else (one.second, one.first)] += 1
    systems = sorted({name for match in wins for name in match})
    found: dict[str, dict[str, float | None]] = {system: {} for system in systems}
    for a in systems:
        for b in systems:
            if a != b:
                won, lost = wins[a, b], wins[b, a]
                found[a][b] = sign_test(won, lost) if won > lost else None
    return found


@dataclass(frozen=True, slots=True)
class PreferenceAgreement:
    """How often two looks at the same two outputs agree."""

    kappa: float
    agreement: float
    chance: float
    pairs: int


def preference_agreement(
    preferences: Sequence[Preference], *, same: bool, ties: float | None = None
) -> PreferenceAgreement | None:
    """Agreement of assessors with themselves (`same`) or with each other; None where nothing was judged twice.

    `ties` is the share of ties that chance agreement is computed from, by default that of all `preferences`.
    """
    groups: dict[tuple[str, ...], list[tuple[str, str, int]]] = defaultdict(list)
    for one in preferences:
        first, second, sign = one.ordered
        groups[one.pair, one.testset, one.segment, first, second].append((one.assessor, one.screen, sign))
    agreed = total = 0
    for looks in groups.values():
        for a, b in combinations(looks, 2):
            if (a[0] == b[0]) == same and (not same or a[1] != b[1] or not a[1]):
                total += 1
                agreed += a[2] == b[2]
    if not total:
        return None
    tied = sum(not one.margin for one in preferences) / len(preferences) if ties is None else ties
    chance = tied**2 + 2 * ((1 - tied) / 2) ** 2
    share = agreed / total
    return PreferenceAgreement((share - chance) / (1 - chance), share, chance, total)
