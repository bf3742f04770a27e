"""Tune to each metric, evaluate under all: is a system best under the metric that it was tuned to?

Cer, Manning and Jurafsky (2010) tune a phrase-based system by MERT to each of many metrics and score every result under
every metric. They find families (n-gram metrics, edit distances, METEOR), that edit-distance-tuned systems are shorter
and lag under the others, and that METEOR-tuned ones are longer. Here the same is asked of a small system. By default it
is tuned by batch MIRA, which takes a tenth of the time; `--tuner mert` follows the paper: random directions, the same
random starts for every metric, and the best point of earlier iterations carried along.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.metrics import get_metric
from dragoman.tuning.dev import DevSet
from dragoman.tuning.loop import tune
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from experiments.common import Claim, Table, arguments, dot_plot, grid, record
from experiments.systems import System, system

TUNED = {
    "bleu:1": "bleu:1",
    "bleu:3": "bleu:3",
    "bleu:4": "bleu",
    "nist": "nist",
    "chrf": "chrf",
    "wer": "wer",
    "ter": "ter",
    "terp": "terp",
    "meteor": "meteor:stages=exact+stem",
    "meteor:0.5": "meteor:stages=exact+stem,alpha=0.5",
    "bleu:4 - ter": "bleu - ter",
}
EVALUATED = ["bleu:1", "bleu:3", "bleu:4", "nist", "chrf", "wer", "ter", "terp", "meteor", "meteor:0.5"]
FAMILIES = {
    "n-grams": ("bleu:1", "bleu:3", "bleu:4", "nist", "chrf", "meteor:0.5"),
    "edits": ("wer", "ter", "terp"),
    "meteor": ("meteor",),
}


class Experiment:
    """A system, tuned again and again."""

    def __init__(self, base: System, *, tuner: str, iterations: int, nbest: int) -> None:
        self.base, self.decoder, self.iterations, self.nbest = base, base.decoder(), iterations, nbest
        self.tuner = Mert(carry="best") if tuner == "mert" else Mira(passes=20)
        self.judges = {name: DevSet.of(*base.test, get_metric(TUNED[name]).for_tokens()) for name in EVALUATED}

    def cell(self, tuned: str, seed: int) -> dict[str, Any]:
        base = self.base
        began = time.perf_counter()
        if tuned == "untuned":
            weights = self.decoder.weights
        else:
            weights = tune(
                self.decoder,
                *base.dev,
                tuner=self.tuner,
                metric=TUNED[tuned],
                iterations=self.iterations,
                nbest=self.nbest,
                seed=seed,
            ).weights
        output = [found.text for found in self.decoder.with_weights(weights).translate(base.test[0])]
        words = sum(len(text.split()) for text in output) / sum(len(text.split()) for text in base.test[1])
        scores = {name: judge.metric.scale * judge.score(output) for name, judge in self.judges.items()}
        return {**scores, "length": words, "seconds": time.perf_counter() - began}


def sign(metric: str) -> float:
    return get_metric(TUNED[metric]).sign


def column(table: Table, metric: str) -> dict[str, float]:
    """Score under a metric by what was tuned to, averaged over seeds; more is better."""
    return {tuned: sign(metric) * table.mean(metric, tuned=tuned) for tuned in TUNED}


def in_family(table: Table) -> float:
    """The share of metrics under which a system tuned to its family wins; blends aside."""
    hits = 0
    for metric in EVALUATED:
        family = next(names for names in FAMILIES.values() if metric in names)
        scores = {tuned: score for tuned, score in column(table, metric).items() if " " not in tuned}
        hits += max(scores, key=lambda name: scores[name]) in family
    return hits / len(EVALUATED)


def lags(table: Table) -> bool:
    """Whether the mean of systems tuned to edit distances is below that of BLEU:4 under every n-gram metric."""
    for metric in ("bleu:3", "bleu:4", "nist", "meteor"):
        scores = column(table, metric)
        if sum(scores[name] for name in FAMILIES["edits"]) / 3 >= scores["bleu:4"]:
            return False
    return True


def length(table: Table, tuned: str) -> float:
    return table.mean("length", tuned=tuned)


CLAIMS = [
    Claim(
        "under at least 80 % of the metrics, a system tuned to the metric's own family is best",
        lambda t: in_family(t) >= 0.8,
    ),
    Claim("systems tuned to edit distances lag behind one tuned to BLEU:4 under BLEU:3, BLEU:4, NIST and METEOR", lags),
    Claim(
        "systems tuned to edit distances beat one tuned to BLEU:4 under WER, TER and TERp",
        lambda t: all(
            sum(column(t, m)[n] for n in FAMILIES["edits"]) / 3 > column(t, m)["bleu:4"] for m in FAMILIES["edits"]
        ),
    ),
    Claim(
        "output is longest when tuned to METEOR and shortest when tuned to TER, with BLEU:4 in between",
        lambda t: length(t, "meteor") > length(t, "bleu:4") > length(t, "ter"),
    ),
    Claim(
        "WER and TER are interchangeable: under both, they differ by less than a quarter of what BLEU:4 and TER do",
        lambda t: all(
            abs(column(t, m)["wer"] - column(t, m)["ter"]) < abs(column(t, m)["bleu:4"] - column(t, m)["ter"]) / 4
            for m in ("wer", "ter")
        ),
    ),
    Claim(
        "alpha = 0.5 cures METEOR: under TER, METEOR:0.5 is closer to BLEU:4 than METEOR is",
        lambda t: (
            abs(column(t, "ter")["meteor:0.5"] - column(t, "ter")["bleu:4"])
            < abs(column(t, "ter")["meteor"] - column(t, "ter")["bleu:4"])
        ),
    ),
    Claim(
        "the blend BLEU:4 - TER beats TER tuning under BLEU:4 and BLEU:4 tuning under TER",
        lambda t: (
            column(t, "bleu:4")["bleu:4 - ter"] > column(t, "bleu:4")["ter"]
            and column(t, "ter")["bleu:4 - ter"] > column(t, "ter")["bleu:4"]
        ),
    ),
]


def main() -> None:
    args = arguments(__doc__, out="docs/experiments/p15", tuner="mira", iterations=5, nbest=100, small=False)
    if args.small:
        args.iterations, args.nbest = 1, 5
    experiment = Experiment(system(small=args.small), tuner=args.tuner, iterations=args.iterations, nbest=args.nbest)
    table = grid(experiment.cell, tuned=["untuned", *TUNED], seed=range(1, args.seeds + 1))
    table = table.over("seed")
    plot = dot_plot(table, label=lambda row: f"tuned to {row['tuned']}", figure="bleu:4")
    record(table, CLAIMS, plot=plot, out=args.out, settings=vars(args))


if __name__ == "__main__":
    main()
