"""Measures of decisions: accuracy, confidence-weighted score, average precision.

The confidence-weighted score (Dagan et al. 2005) is the mean, over all ranks k, of the accuracy of the k most confident
decisions: it asks a system to know what it knows. Average precision asks the same of the answer *yes*. Ties keep the
order of the input, in both.

    >>> confidence_weighted_score([True, True, False, True, False], [5, 4, 3, 2, 1])
    0.8033333333333333
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.errors import InputError, LengthMismatch

__all__ = ["DecisionScores", "average_precision", "confidence_weighted_score", "score_decisions"]


def confidence_weighted_score(right: Sequence[bool], confidence: Sequence[float]) -> float:
    """Mean accuracy of the k most confident decisions over all k."""
    order = _by(confidence, right)
    hits, total = 0, 0.0
    for rank, at in enumerate(order, start=1):
        hits += right[at]
        total += hits / rank
    return total / len(right)


def average_precision(gold: Sequence[bool], score: Sequence[float]) -> float:
    """Mean precision at the rank of each true pair, the pairs ordered by how sure the answer yes is."""
    order = _by(score, gold)
    hits, total = 0, 0.0
    for rank, at in enumerate(order, start=1):
        if gold[at]:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def _by(score: Sequence[float], beside: Sequence[bool]) -> list[int]:
    if len(score) != len(beside):
        raise LengthMismatch(f"{len(score)} scores for {len(beside)} pairs")
    if not score:
        raise InputError("no pairs to measure")
    return sorted(range(len(score)), key=lambda at: -score[at])


@dataclass(frozen=True, slots=True)
class DecisionScores:
    """How good decisions were."""

    pairs: int
    right: int
    accuracy: float
    confidence_weighted: float
    average_precision: float
    yes: float
    """The share of pairs that were answered yes."""
    precision: float
    recall: float

    def to_dict(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in self.__slots__}


def score_decisions(gold: Sequence[bool], answers: Sequence[bool], probabilities: Sequence[float]) -> DecisionScores:
    """All measures of answers and of how probable yes was."""
    right = [one == other for one, other in zip(gold, answers, strict=True)]
    confidence = [abs(each - 0.5) for each in probabilities]
    yes = sum(answers)
    both = sum(one and other for one, other in zip(gold, answers, strict=True))
    return DecisionScores(
        len(gold),
        sum(right),
        sum(right) / len(gold) if gold else 0.0,
        confidence_weighted_score(right, confidence),
        average_precision(gold, probabilities),
        yes / len(gold),
        both / yes if yes else 0.0,
        both / sum(gold) if any(gold) else 0.0,
    )
