"""Conclusions about pairs of systems, and how often those of a metric are those of people.

A one-sided test in each direction says that the first system of a pair is better, that the second is, or neither. Two
attributes are combined by asking the second only where the first is silent. (Graham, Mathur and Baldwin 2014.)

    >>> adequacy = {"A": {"B": 0.20}, "B": {"A": 0.80}}
    >>> fluency = {"A": {"B": 0.01}, "B": {"A": 0.99}}
    >>> conclusions(["A", "B"], adequacy), conclusions(["A", "B"], combined(adequacy, fluency))
    ({('A', 'B'): 0}, {('A', 'B'): 1})
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dragoman.errors import InputError
from dragoman.evaluation.clusters import PairwiseP
from dragoman.evaluation.ranks import proportion_interval

__all__ = ["Accuracy", "accuracy", "combined", "conclusions", "same_accuracy"]


def conclusions(systems: Sequence[str], p: PairwiseP, *, alpha: float = 0.05) -> dict[tuple[str, str], int]:
    """For each pair: 1 if the first is significantly better, -1 if the second is, 0 if neither."""
    found = {}
    for a, b in itertools.combinations(systems, 2):
        forward, backward = p.get(a, {}).get(b), p.get(b, {}).get(a)
        if forward is not None and forward <= alpha:
            found[a, b] = 1
        else:
            found[a, b] = -1 if backward is not None and backward <= alpha else 0
    return found


def combined(first: PairwiseP, second: PairwiseP, *, alpha: float = 0.05) -> dict[str, dict[str, float | None]]:
    """p-values of one attribute where it separates a pair, and of the other where it does not."""
    found: dict[str, dict[str, float | None]] = {}
    for a in first:
        found[a] = {}
        for b in first[a]:
            speaks = any(value is not None and value <= alpha for value in (first[a].get(b), first.get(b, {}).get(a)))
            found[a][b] = (first if speaks else second).get(a, {}).get(b)
    return found


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many conclusions are right, with Clopper and Pearson's interval."""

    correct: int
    pairs: int
    interval: tuple[float, float]

    @property
    def share(self) -> float:
        """Correct ones among all."""
        return self.correct / self.pairs


def accuracy(
    found: Mapping[tuple[str, str], int], gold: Mapping[tuple[str, str], int], *, confidence: float = 0.95
) -> Accuracy:
    """Compare conclusions with those of people; a pair may be written either way round."""
    turned = {**gold, **{(b, a): -value for (a, b), value in gold.items()}}
    missing = next((pair for pair in found if pair not in turned), None)
    if missing is not None or not found:
        raise InputError(f"people did not compare {' and '.join(missing)}" if missing else "no pair to compare")
    correct = sum(value == turned[pair] for pair, value in found.items())
    return Accuracy(correct, len(found), proportion_interval(correct, len(found), level=confidence))


def same_accuracy(first: Accuracy, second: Accuracy) -> float:
    """p-value that two accuracies are equal: the chi-square test of a table of four cells, Yates' correction."""
    from scipy import stats

    table = [[one.correct, one.pairs - one.correct] for one in (first, second)]
    if not (table[0][0] + table[1][0]) or not (table[0][1] + table[1][1]):
        return 1.0
    return float(stats.chi2_contingency(table).pvalue)
