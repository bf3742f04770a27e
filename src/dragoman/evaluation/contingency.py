"""Tests on counts: do two systems that answer the same questions differ in how often they are right?

McNemar's test looks at the questions that exactly one of them got right, since the others say nothing about a
difference; Fisher's exact test compares the two counts as if the questions were different ones, and so sees less.

    >>> mcnemar([True] * 9 + [False], [False] * 9 + [True])
    0.021484375
    >>> round(fisher_exact(436, 473, 800, alternative="one-sided"), 4)
    0.0346
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.errors import InputError, LengthMismatch
from dragoman.settings import check_argument

__all__ = ["fisher_exact", "mcnemar"]


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Two-sided p-value, exact by the binomial distribution; 1 where the systems never differ."""
    from scipy.stats import binomtest

    if len(first) != len(second):
        raise LengthMismatch(f"{len(first)} and {len(second)} answers")
    ours = sum(one and not other for one, other in zip(first, second, strict=True))
    theirs = sum(other and not one for one, other in zip(first, second, strict=True))
    return float(binomtest(ours, ours + theirs).pvalue) if ours + theirs else 1.0


def fisher_exact(first: int, second: int, total: int, *, alternative: str = "two-sided") -> float:
    """P-value of two counts of right answers to as many questions; one-sided asks whether the second is greater."""
    from scipy.stats import fisher_exact as exact

    if not 0 <= first <= total or not 0 <= second <= total:
        raise InputError(f"{first} and {second} right answers to {total} questions")
    check_argument("alternative", alternative, choices=("two-sided", "one-sided"))
    table = [[second, total - second], [first, total - first]]
    return float(exact(table, alternative="two-sided" if alternative == "two-sided" else "greater")[1])
