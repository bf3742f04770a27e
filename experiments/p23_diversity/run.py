"""Do copies of a system that were tuned to differ combine to something better?

    python experiments/p23_diversity/run.py --out docs/experiments/p23

Cer, Manning and Jurafsky (2013): copies of one system are tuned one after the other, each to BLEU less a little of its
likeness to the copies before it, and combined. Here: Multi30k German to English, a phrase-based system with sparse
features. The copies are tuned on a part of `val`; the combination on one half of a sample of the training text that no
model has seen; everything is reported on `test_2016_flickr`. `seeds` are copies tuned to BLEU that differ in their
random seed only; `other set` is a system tuned to BLEU on the other half. With `--small` a synthetic bitext is used.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.evaluation.resampling import compare_statistics
from dragoman.metrics import get_metric
from dragoman.search.phrase import PhraseDecoder
from dragoman.tuning import tune
from dragoman.tuning.combination import CombinationDecoder
from dragoman.tuning.consensus import select, vote
from dragoman.tuning.diversity import diversity, tune_diverse
from dragoman.tuning.matching import Matcher, join_outputs
from experiments.common import Claim, Row, Table, arguments, dot_plot, record
from experiments.systems import System, Texts, system

BLEU = get_metric("bleu:tokenize=none")
SEEDS = "seeds"


class Study:
    """One run: systems are tuned once, their outputs kept."""

    def __init__(self, base: System, decoder: PhraseDecoder, *, iterations: int, threads: int) -> None:
        self.base, self.decoder, self.iterations, self.threads = base, decoder, iterations, threads
        half = len(base.bitext[0]) // 2
        self.combine_on: Texts = (base.bitext[0][:half], base.bitext[1][:half])
        self.other_set: Texts = (base.bitext[0][half:], base.bitext[1][half:])

    def outputs(self, weights: Mapping[str, float]) -> tuple[list[str], list[str]]:
        """What a copy makes of the set that the combination is tuned on, and of the test set."""
        decoder = self.decoder.with_weights(weights)
        found = [decoder.translate(source, threads=self.threads) for source in (self.combine_on[0], self.base.test[0])]
        return [t.text for t in found[0]], [t.text for t in found[1]]

    def tuned(self, dev: Texts, seed: int) -> Mapping[str, float]:
        return tune(
            self.decoder, *dev, method="mira", metric="bleu", iterations=self.iterations, seed=seed,
            threads=self.threads,
        ).weights  # fmt: skip

    def copies(self, alpha: float | None, count: int) -> list[Mapping[str, float]]:
        if alpha is None:
            return [self.tuned(self.base.dev, seed) for seed in range(1, count + 1)]
        found = tune_diverse(
            [self.decoder] * count, *self.base.dev, alpha=alpha, method="mira", iterations=self.iterations,
            threads=self.threads,
        )  # fmt: skip
        return [each.weights for each in found]

    def combined(self, outputs: list[tuple[list[str], list[str]]]) -> tuple[list[str], float]:
        """The combination of systems on the test set, and the seconds that tuning it took."""
        started = time.perf_counter()
        combiner = CombinationDecoder(len(outputs), self.base.model, matcher=Matcher(stages=("exact", "stem")))
        source = join_outputs([dev for dev, _ in outputs])
        weights = tune(
            combiner, source, self.combine_on[1], method="mert", metric="bleu", nbest=300, iterations=self.iterations,
            threads=self.threads,
        ).weights  # fmt: skip
        seconds = time.perf_counter() - started
        found = combiner.with_weights(weights).translate(
            join_outputs([test for _, test in outputs]), threads=self.threads
        )
        return [translation.text for translation in found], seconds


def better(x: list[str], y: list[str], reference: list[str]) -> float:
    """How likely the difference is by chance alone (approximate randomisation, two-sided)."""
    rows = [BLEU.statistics(text, reference) for text in (x, y)]
    return compare_statistics(rows[0], rows[1], BLEU.scores).p


def run(study: Study, alphas: list[float], copies: int) -> Table:
    reference = study.base.test[1]
    other = study.outputs(study.tuned(study.other_set, 1))
    rows: list[Row] = []
    plain: list[str] = []
    for alpha in (*alphas, None):
        weights = study.copies(alpha, copies)
        outputs = [study.outputs(each) for each in weights]
        plain = plain or outputs[0][1]
        new = diversity([test for _, test in outputs])
        for number in range(copies):
            row: Row = {
                "copies": SEEDS if alpha is None else f"alpha {alpha:g}",
                "number": number,
                "bleu": 100 * BLEU.corpus_score(outputs[number][1], reference),
                "new": 100 * float(new.from_earlier[number]) if number else float("nan"),
                "new in other set": 100
                * (1 - BLEU.corpus_score(other[1], [list(test) for _, test in outputs[: number + 1]])),
                "combined": float("nan"),
                "p": float("nan"),
                "selected": float("nan"),
                "voted": float("nan"),
                "seconds": float("nan"),
            }
            if number:
                first = outputs[: number + 1]
                found, seconds = study.combined(first)
                tests = [test for _, test in first]
                row["combined"] = 100 * BLEU.corpus_score(found, reference)
                row["p"] = better(found, plain, reference)
                row["selected"] = 100 * BLEU.corpus_score(select(tests), reference)
                row["voted"] = 100 * BLEU.corpus_score(vote(tests), reference)
                row["seconds"] = seconds
            rows.append(row)
            print(row, flush=True)
    return Table(("copies", "number"), tuple(rows))


def claims(alphas: list[float], copies: int) -> list[Claim]:
    def column(table: Table, alpha: float, figure: str) -> list[float]:
        return [row[figure] for row in table.where(copies=f"alpha {alpha:g}")]

    low, high = min(alphas), max(alphas)
    last = copies - 1
    return [
        Claim(
            "no diverse copy loses more than 1 BLEU against the first",
            lambda t: all(min(column(t, a, "bleu")) >= column(t, a, "bleu")[0] - 1 for a in alphas),
        ),
        Claim(
            "the first diverse copy differs the more, the smaller alpha is",
            lambda t: all(column(t, a, "new")[1] >= column(t, b, "new")[1] for a, b in pairwise(alphas)),
        ),
        Claim(
            "each further copy has less that is new (mean over alphas)",
            lambda t: bool(
                np.mean([column(t, a, "new")[1] for a in alphas]) > np.mean([column(t, a, "new")[last] for a in alphas])
            ),
        ),
        Claim(
            f"with alpha {low:g} the first diverse copy differs more than a system tuned on another set",
            lambda t: column(t, low, "new")[1] > column(t, low, "new in other set")[0],
        ),
        Claim(
            f"some combination with alpha {low:g} beats the system tuned to BLEU (p < .05)",
            lambda t: any(
                row["combined"] > column(t, low, "bleu")[0] and row["p"] < 0.05
                for row in t.where(copies=f"alpha {low:g}")[1:]
            ),
        ),
        Claim(
            f"combining copies made to differ (alpha {low:g}) beats combining copies of other seeds",
            lambda t: max(column(t, low, "combined")[1:]) > max(r["combined"] for r in t.where(copies=SEEDS)[1:]),
        ),
        Claim(
            f"with alpha {high:g} the last copy adds less than half a BLEU",
            lambda t: abs(column(t, high, "combined")[last] - column(t, high, "combined")[last - 1]) < 0.5,
        ),
    ]


def main() -> None:
    options = arguments(
        __doc__, out="docs/experiments/p23", small=False, copies=4, iterations=6, pairs=15000, features="sparse",
        threads=2,
    )  # fmt: skip
    small = options.small
    base = system("de", pairs=options.pairs, bitext=60 if small else 1000, small=small)
    decoder = base.decoder(base.templates("dense" if small else options.features), pop_limit=20 if small else 50)
    alphas, copies = ([0.95], 3) if small else ([0.90, 0.95, 0.99], options.copies)
    table = run(Study(base, decoder, iterations=options.iterations, threads=options.threads), alphas, copies)
    shown = Table(table.settings, tuple(row for row in table.rows if row["number"]))
    plot = dot_plot(shown, label=lambda row: f"{row['copies']}, {row['number'] + 1} systems", figure="combined")
    record(table, claims(alphas, copies), plot=plot, out=options.out, settings=vars(options))


if __name__ == "__main__":
    main()
