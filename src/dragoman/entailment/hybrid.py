"""Joining two kinds of evidence: the score of features, and the answer of the prover (Chambers et al. 2007).

    score = features + bonus if the prover says yes, features - bonus otherwise

The bonus is the smallest on a grid that is right most often on development pairs, where the threshold is 0 or the
median of the scores, which makes as many yes as no (the paper's *balanced* hybrid, which looks at all pairs to be
judged). The *optimised* one keeps that bonus and chooses its threshold on the development pairs. The paper takes the
one that is right most often there (`best_threshold`), which hangs on the few pairs next to it; the middle between the
mean scores of true and of false pairs (`middle_threshold`) hangs on all of them, and carries over better from the pairs
of one challenge to those of another.

    >>> proofs = gold = [True, False, True, False]
    >>> round(best_bonus([0.9, 0.4, 0.1, -0.2], proofs, gold, threshold="median"), 3)
    0.153
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

from dragoman.errors import InputError
from dragoman.settings import check_argument

__all__ = ["best_bonus", "best_threshold", "hybrid_scores", "middle_threshold"]

_STEPS = 200


def hybrid_scores(scores: Sequence[float], proofs: Sequence[bool], bonus: float) -> list[float]:
    """Scores with what the prover adds or takes off."""
    return [score + (bonus if proof else -bonus) for score, proof in zip(scores, proofs, strict=True)]


def best_bonus(
    scores: Sequence[float], proofs: Sequence[bool], gold: Sequence[bool], *, threshold: str = "zero"
) -> float:
    """The smallest bonus between 0 and the greatest score with which most answers are right."""
    check_argument("threshold", threshold, choices=("zero", "median"))
    if not scores:
        raise InputError("no pairs to choose from")
    top = max(abs(score) for score in scores)
    best, chosen = -1, 0.0
    for step in range(_STEPS + 1):
        bonus = top * step / _STEPS
        joined = hybrid_scores(scores, proofs, bonus)
        cut = median(joined) if threshold == "median" else 0.0
        right = sum((score > cut) == wanted for score, wanted in zip(joined, gold, strict=True))
        if right > best:
            best, chosen = right, bonus
    return chosen


def best_threshold(scores: Sequence[float], gold: Sequence[bool]) -> float:
    """The threshold above which yes is right most often; of equals the nearest to 0.

    >>> best_threshold([1.2, 0.1, 0.4, -0.5], [True, False, True, False])
    0.25
    """
    if not scores:
        raise InputError("no pairs to choose from")
    ordered = sorted(set(scores))
    cuts = [ordered[0] - 1.0, 0.0, *((low + high) / 2 for low, high in pairwise(ordered)), ordered[-1] + 1.0]

    def right(cut: float) -> int:
        return sum((score > cut) == wanted for score, wanted in zip(scores, gold, strict=True))

    return max(cuts, key=lambda cut: (right(cut), -abs(cut)))


def middle_threshold(scores: Sequence[float], gold: Sequence[bool]) -> float:
    """Half way between the mean score of what is true and the mean score of what is not.

    >>> middle_threshold([1.5, 0.25, 0.5, -0.75], [True, False, True, False])
    0.375
    """
    sides = [[score for score, wanted in zip(scores, gold, strict=True) if wanted == side] for side in (True, False)]
    if not all(sides):
        raise InputError("all pairs have the same label", remedy="give pairs with both answers")
    return (fmean(sides[0]) + fmean(sides[1])) / 2
