"""Which features of the aligned pair help? Decisions without one group of them, for three kinds of weights.

The pairs, parser and knowledge of words are those of `experiments/p11_entailment`, whose systems decide: weights set
by hand, weights *learned* from nothing but pairs, and *adjusted* ones, learned with those set by hand as the mean of
their prior, which is what `dragoman entail fit` does. RTE-1's test part is judged by weights from its development
part, RTE-2, a set of development, by weights learned in ten folds; the prior is the one chosen with all features.

`gain of the group` is what is lost without it, in points; `p` is McNemar's test against all features, and `p, all
groups` is corrected for how many groups were tried.

    python experiments/p11_ablation/run.py --cache FOLDER

`FOLDER` may be that of `experiments/p11_entailment`: parser and annotated pairs are kept there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.entailment.decision import DecisionModel, cross_validated_prior, cross_validated_scores
from dragoman.entailment.decision_features import FEATURES, GROUPS, DecisionFeatures, ScoreReferences
from dragoman.entailment.entailer import Entailer, EntailerSettings
from dragoman.entailment.word_relations import WordRelations
from dragoman.evaluation.contingency import mcnemar
from experiments.common import Claim, Row, Table, arguments, dot_plot, publish
from experiments.entailment_sets import PARAPHRASES, both_parts, look, open_annotator, read_set, right

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
            row |= {"all features": 100 * float(np.mean(full)), "accuracy": 100 * float(np.mean(found))}
            row |= {"gain of the group": 100 * float(np.mean(full) - np.mean(found))}
            p = mcnemar(full, found)
            rows.append(row | {"p": p, "p, all groups": min(1.0, len(GROUPS) * p)})
    return Table(("pairs of", "weights", "without"), tuple(rows))


def main() -> None:
    given = arguments(__doc__, out="docs/experiments/p11-ablation", cache="", small=False)
    annotator = None if given.small else open_annotator(given.cache)
    entailer = Entailer(
        WordRelations.find(), settings=EntailerSettings(paraphrases="" if given.small else str(PARAPHRASES))
    )
    sets = {name: read_set(name, annotator, given.cache) for name in ("RTE-1 dev", "RTE-1 test")}
    dev, test = both_parts(entailer, *sets.values())
    references = ScoreReferences.of([each.mean for each in dev.alignments])
    later = [look(entailer, read_set(name, annotator, given.cache), references) for name in ("RTE-2 dev", "RTE-2 test")]
    vectors, gold = [each for part in later for each in part.vectors], [each for part in later for each in part.gold]
    hand = DecisionModel.hand()
    handed = [[entailer.features(each, hand.references) for each in part.alignments] for part in (test, *later)]
    judges = {
        ("RTE-1 test", "hand-set"): by_hand(handed[0]),
        ("RTE-1 test", "learned"): by_learning(dev.vectors, dev.gold, test.vectors),
        ("RTE-1 test", "adjusted"): by_learning(dev.vectors, dev.gold, test.vectors, around=hand.weights),
        ("RTE-2", "hand-set"): by_hand(handed[1] + handed[2]),
        ("RTE-2", "learned"): by_folds(vectors, gold),
        ("RTE-2", "adjusted"): by_folds(vectors, gold, around=hand.weights),
    }
    table = ablation(judges, {"RTE-1 test": test.gold, "RTE-2": gold})
    claims = [
        Claim(
            f"{pairs}, {weights} weights: leaving out some group costs something that is not chance (p < 0.05, times"
            f" {len(GROUPS)} groups)",
            lambda t, pairs=pairs, weights=weights: any(
                row["p, all groups"] < 0.05 and row["gain of the group"] > 0
                for row in t.where(**{"pairs of": pairs}, weights=weights)
            ),
        )
        for pairs, weights in judges
    ]
    publish(
        "Entailment: which features help",
        __doc__,
        {"Without one group of features": (table, claims)},
        pictures={
            "gains": dot_plot(
                table,
                label=lambda row: f"{row['pairs of']}, {row['weights']}, {row['without']}",
                figure="gain of the group",
            )
        },
        out=given.out,
        settings={**vars(given), "parser": "English-EWT", "RTE-1 pairs": len(test.gold), "RTE-2 pairs": len(gold)},
    )


if __name__ == "__main__":
    main()
