"""Which groups of features help: decisions without one group, for weights by hand, learned and adjusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dragoman.entailment.decision import DecisionModel, cross_validated_prior, cross_validated_scores
from dragoman.entailment.decision_features import FEATURES, GROUPS, DecisionFeatures
from dragoman.evaluation.contingency import mcnemar
from experiments.common import Row, Table
from experiments.entailment_sets import right

__all__ = ["Scoring", "ablation", "by_folds", "by_hand", "by_learning"]

Scoring = Callable[[Sequence[str]], Sequence[float]]
"""What scores the pairs of a set by the features of these names alone."""


def by_hand(vectors: Sequence[DecisionFeatures]) -> Scoring:
    """Hand-set weights, which stay as they are when others are left out."""
    hand = DecisionModel.hand()

    def scores(names: Sequence[str]) -> list[float]:
        less = replace(hand, weights={name: hand.weights[name] for name in names if name in hand.weights})
        return [less.score(each) for each in vectors]

    return scores


def by_learning(
    vectors: Sequence[DecisionFeatures],
    gold: Sequence[bool],
    unseen: Sequence[DecisionFeatures],
    *,
    around: Mapping[str, float] | None = None,
) -> Scoring:
    """Weights learned from one set for another, with the prior that is best there with all features."""
    prior = cross_validated_prior(vectors, gold, around=around)

    def scores(names: Sequence[str]) -> list[float]:
        model = DecisionModel.fit(vectors, gold, prior=prior, names=names, around=around)
        return [model.score(each) for each in unseen]

    return scores


def by_folds(
    vectors: Sequence[DecisionFeatures], gold: Sequence[bool], *, around: Mapping[str, float] | None = None
) -> Scoring:
    """Weights learned in ten folds, each pair scored by those that have not seen it."""
    prior = cross_validated_prior(vectors, gold, around=around)
    return lambda names: cross_validated_scores(vectors, gold, prior=prior, names=names, around=around)


def ablation(judges: Mapping[tuple[str, str], Scoring], gold: Mapping[str, Sequence[bool]]) -> Table:
    """What is right without each group, by set and weights; `p, all groups` is corrected for how many there are."""
    rows = []
    for (pairs, weights), score in judges.items():
        full = right(gold[pairs], score(FEATURES))
        for group, left_out in GROUPS.items():
            found = right(gold[pairs], score([name for name in FEATURES if name not in left_out]))
            row: Row = {"pairs of": pairs, "weights": weights, "without": group}
            row |= {"accuracy": 100 * float(np.mean(found))}
            row |= {"gain of the group": 100 * float(np.mean(full) - np.mean(found))}
            p = mcnemar(full, found)
            rows.append(row | {"p": p, "p, all groups": min(1.0, len(GROUPS) * p)})
    return Table(("pairs of", "weights", "without"), tuple(rows))
