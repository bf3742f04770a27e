"""Exact inference for hierarchical translation: how many contexts must a proof, or a sampler, know?

    python experiments/p06_exact_hiero/run.py --out docs/experiments/p06

Aziz, Dymetman and Venkatapathy (2013) find the best derivation of a hierarchical grammar under a language model, and
sample from all derivations, by intersecting the grammar with automata that make one more context exact at a time; and
find that few of the contexts that could stand in a translation are ever needed. Here: Multi30k German to English
(29,000 pairs), tuned by ten rounds of batch MIRA on `val` (seed 1; dense features, a 5-gram, cubes of 500, tokenised as
shipped); then 10 target sides per source side, and language models of order 2 to 4 in the place of the 5-gram;
sentences of 3 to 20 words of `test_2016_flickr`, and beginnings of longer ones where there are too few.

First table: grammars, how many words, pairs of words that may stand side by side, and edges a forest has by the
length of the sentence. Second table: `paper` registers one context at a time, from words that know nothing of their
own rule, and keeps everything; `ours` begins with what cube pruning finds, drops what cannot win, lets words know
their rule, and registers all that a derivation lacks. Refinements by the number of words in a context; edges at the
end over edges at the beginning; the share of compatible bigrams whose context was registered; when the optimum was
first met (share of the iterations); the largest difference between the proved score and that of chart decoding that
keeps everything, where that was run (up to 4 words). Third table: refinement until 5% of draws are accepted, and 1,000
samples, with scores as they are tuned and with the weights scaled to a sum of 1. Fourth table: what N samples cost,
refinement included, if it ends at 5% or at 20%, order 3, 6 words, weights as tuned. Seconds of proofs and of the fourth
table are those of the processor, one sentence at a time; those of the third are by the clock. With `--small` a
synthetic bitext.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import itertools

from dragoman.charts import line_plot
from dragoman.features.language_model import LanguageModel
from dragoman.forest import Forest
from dragoman.lm import estimate
from dragoman.search.exact import bounded_models, optimize_forest, sample_forest, upper_bounds
from dragoman.search.hiero import HieroDecoder
from dragoman.search.settings import ExactSettings, SampleSettings
from experiments.common import Claim, Table, arguments, grid, publish
from experiments.trained import TrainedModels

RECIPE = ["templates=", "classes=0", "tuner=mira", "kind=hiero", "search.pop_limit=500", "search.beam=500"]


@cache
def compatible_bigrams(forest: Forest) -> set[tuple[str, str]]:
    """Pairs of words that may stand next to each other in some translation, the marks of its ends included."""
    first: list[set[str]] = [set() for _ in range(forest.nodes)]
    last: list[set[str]] = [set() for _ in range(forest.nodes)]
    pairs: set[tuple[str, str]] = set()

    def ends(symbol: str | int, tails: tuple[int, ...]) -> tuple[set[str], set[str]]:
        return ({symbol}, {symbol}) if isinstance(symbol, str) else (first[tails[symbol]], last[tails[symbol]])

    for edge in range(forest.edges):
        rule = forest.edge(edge)
        if not rule.target:
            continue
        head, sides = rule.head, [ends(symbol, rule.tails) for symbol in rule.target]
        for (_, left), (right, _) in itertools.pairwise(sides):
            pairs |= {(a, b) for a in left for b in right}
        first[head] |= sides[0][0]
        last[head] |= sides[-1][1]
    goal = forest.nodes - 1
    return pairs | {("<s>", word) for word in first[goal]} | {(word, "</s>") for word in last[goal]}


class Runs(TrainedModels):
    """Models and forests, each made once."""

    def __init__(self, cache: Path, *, small: bool, sentences: int, limit: float) -> None:
        super().__init__(cache, small=small)
        self.limit = limit
        self.sentences = min(sentences, 3) if small else sentences

    def lines(self, length: int) -> list[str]:
        words = [line.split() for line in self.texts("test")[0]]
        own = [line for line in words if len(line) == length]
        cut = [line[:length] for line in words if len(line) > length]
        return [" ".join(line) for line in [*own, *cut][: self.sentences]]

    @cache  # noqa: B019 - one object lives as long as the program
    def decoder(self, order: int) -> HieroDecoder:
        fast = ["aligner=fast", "iterations=2"] if self.small else []
        tuned = self.model("chart", [*RECIPE, *fast]).decoder.with_settings(option_limit=10)
        assert isinstance(tuned, HieroDecoder)
        other = LanguageModel("lm", estimate(self.texts("train")[1], order=order).build())
        return HieroDecoder(tuned.table, [other], tuned.weights, tuned.settings)

    @cache  # noqa: B019
    def models(self, order: int) -> Any:
        decoder = self.decoder(order)
        return bounded_models(decoder.language_models, decoder.weights, upper_bounds(decoder.language_models))

    @cache  # noqa: B019
    def forests(self, order: int, length: int) -> list[Forest]:
        found = self.decoder(order).without_language_models().translate(self.lines(length), threads=1, forests=True)
        return [each.forest for each in found]

    def optimise(self, order: int, length: int, way: str) -> dict[str, Any]:
        literal = ExactSettings(
            time_limit=self.limit, prune_every=0, seed_search=False, contexts=1, in_rule=False, memory=2**30
        )
        settings = literal if way == "paper" else ExactSettings(time_limit=self.limit)
        lines = self.lines(length)
        beam = self.decoder(order).translate(lines, threads=1)
        keeping = self.decoder(order).with_settings(beam=2**31, pop_limit=2**31, margin=math.inf)
        whole = [each.score for each in keeping.translate(lines, threads=1)] if length <= 4 else [math.nan] * len(lines)
        rows, solved, errors = [], 0, 0
        for forest, other, most in zip(self.forests(order, length), beam, whole, strict=True):
            started = time.process_time()
            known = {} if way == "paper" else {"known": other.score}
            found = optimize_forest(forest, self.models(order), settings, **known)
            seconds = time.process_time() - started
            solved += found.proof.optimal
            errors += found.proof.optimal and found.proof.best > other.score + 1e-3
            pairs = compatible_bigrams(forest)
            contexts = {pair[0] for pair in pairs}
            single = {context[0] for context in found.contexts if len(context) == 1}
            used = sum(first in single for first, _ in pairs)
            best = [row[2] for row in found.proof.trace]
            rows.append(
                {
                    "refinements": len(found.contexts),
                    "1 word": sum(len(context) == 1 for context in found.contexts),
                    "2 words": sum(len(context) == 2 for context in found.contexts),
                    "3 words": sum(len(context) == 3 for context in found.contexts),
                    "growth": found.proof.trace[-1][4] / found.proof.edges_at_first,
                    "bigrams": len(pairs),
                    "bigrams used": used / len(pairs),
                    "contexts used": len(single) / len(contexts),
                    "difference": abs(max(found.proof.best, other.score) - most),
                    "best met": next(i for i, b in enumerate(best, 1) if b >= best[-1] - 1e-9) / len(best),
                    "seconds": seconds,
                }
            )
        means = {name: statistics.fmean(row[name] for row in rows) for name in rows[0]}
        means["difference"] = max(row["difference"] for row in rows)
        return {"solved": solved / len(rows), "errors of cubes": errors, **means}

    def sizes(self, length: int) -> dict[str, Any]:
        """Of the forests without language models."""
        rows = []
        for forest in self.forests(3, length):
            edges = [forest.edge(edge) for edge in range(forest.edges)]
            words = {symbol for edge in edges for symbol in edge.target if isinstance(symbol, str)}
            rows.append((len(words), len(compatible_bigrams(forest)), len(edges)))
        names = ("words", "bigrams", "edges")
        return dict(zip(names, map(statistics.fmean, zip(*rows, strict=True)), strict=True))

    def price(self, acceptance: float) -> dict[str, Any]:
        """Seconds of refinement and of N samples; a second run with the same seed draws more from the same proposal."""
        few, many = (50, 250) if self.small else (1000, 5000)
        totals: dict[str, list[float]] = {"refinement": [], "a sample": []}
        for number, forest in enumerate(self.forests(3, 6)):
            spent = []
            for samples in (few, many):
                settings = SampleSettings(samples=samples, acceptance=acceptance, refine=1, time_limit=self.limit)
                before = time.process_time()
                sample_forest(forest, self.models(3), settings, item=number)
                spent.append(time.process_time() - before)
            each = max(0.0, spent[1] - spent[0]) / (many - few)
            totals["refinement"].append(max(0.0, spent[0] - few * each))
            totals["a sample"].append(each)
        means = {name: statistics.fmean(values) for name, values in totals.items()}
        return {
            **means,
            **{f"{n:,} samples": means["refinement"] + n * means["a sample"] for n in (100, 10_000, 10**6)},
        }

    def sample(self, order: int, length: int, scale: str) -> dict[str, Any]:
        decoder = self.decoder(order)
        total = sum(abs(value) for value in decoder.weights.values())
        settings = SampleSettings(
            samples=50 if self.small else 1000,
            scale=1 / total if scale == "sum of 1" else 1.0,
            acceptance=0.05,
            batch=500,
            refine=1,
            in_rule=False,
            time_limit=self.limit,
            memory=2**30,
        )
        rows = []
        for number, forest in enumerate(self.forests(order, length)):
            found = sample_forest(forest, self.models(order), settings, item=number)
            norms = [each.log_norm for each in found.rounds]
            rows.append(
                {
                    "reached": float(found.reached),
                    "refinements": len(found.contexts),
                    "1 word": sum(len(context) == 1 for context in found.contexts),
                    "growth": found.rounds[-1].edges / found.rounds[0].edges,
                    "norms fall": float(all(b <= a + 1e-9 for a, b in itertools.pairwise(norms))),
                    "acceptance": found.acceptance,
                    "at first": found.rounds[0].accepted / found.rounds[0].drawn,
                    "seconds": found.rounds[-1].seconds,
                }
            )
        return {name: statistics.fmean(row[name] for row in rows) for name in rows[0]}


def claims_of_proofs() -> list[Claim]:
    def short(t: Table) -> list[dict[str, Any]]:
        return [row for row in t.where(way="ours") if row["length"] <= 6]

    return [
        Claim("every sentence of up to 6 words is solved", lambda t: all(row["solved"] == 1 for row in short(t))),
        Claim(
            "the optimum is that of a search that keeps everything (up to 4 words)",
            lambda t: all(row["difference"] < 2e-3 for row in t.rows if row["length"] <= 4),
        ),
        Claim(
            "time grows faster than refinements (from 4 to 10 words, as published)",
            lambda t: all(
                t.mean("seconds", order=n, way="paper", length=10) / t.mean("seconds", order=n, way="paper", length=4)
                > t.mean("refinements", order=n, way="paper", length=10)
                / t.mean("refinements", order=n, way="paper", length=4)
                for n in (3, 4)
            ),
        ),
        Claim(
            "refinements grow about linearly with length (from 4 to 8 words at most 4 times)",
            lambda t: all(
                t.mean("refinements", order=n, way="paper", length=8)
                <= 4 * t.mean("refinements", order=n, way="paper", length=4)
                for n in (3, 4)
            ),
        ),
        Claim(
            "fewer than 10% of the compatible bigrams follow a context that was registered (6 words, as published)",
            lambda t: all(row["bigrams used"] < 0.1 for row in t.where(length=6, way="paper")),
        ),
        Claim(
            "pruning leaves a forest several times smaller (6 words, order 4)",
            lambda t: (
                t.mean("growth", order=4, length=6, way="paper") > 3 * t.mean("growth", order=4, length=6, way="ours")
            ),
        ),
    ]


def claims_of_sizes() -> list[Claim]:
    def power(t: Table, figure: str) -> float:
        """The exponent with which a figure grows from 4 to 12 words."""
        return math.log(t.mean(figure, length=12) / t.mean(figure, length=4)) / math.log(3)

    return [
        Claim("words grow about linearly with length (exponent 0.7 to 1.4)", lambda t: 0.7 <= power(t, "words") <= 1.4),
        Claim("bigrams grow faster, about quadratically (1.4 to 2.6)", lambda t: 1.4 <= power(t, "bigrams") <= 2.6),
        Claim("edges grow at least quadratically", lambda t: power(t, "edges") >= 2),
    ]


def claims_of_prices() -> list[Claim]:
    def cheaper(t: Table, figure: str) -> float:
        return float(min(t.rows, key=lambda row: row[figure])["acceptance"])

    return [
        Claim("for 100 samples it is cheaper to refine to 5%", lambda t: cheaper(t, "100 samples") == 0.05),
        Claim("for a million it is cheaper to refine to 20%", lambda t: cheaper(t, "1,000,000 samples") == 0.2),
    ]


def claims_of_samples(proofs: Table) -> list[Claim]:
    def contexts(row: dict[str, Any]) -> float:
        return proofs.mean("refinements", order=row["order"], length=row["length"], way="paper")

    def flat(t: Table) -> list[dict[str, Any]]:
        return t.where(scale="sum of 1")

    return [
        Claim(
            "5% are accepted for every sentence of up to 6 words, weights of sum 1",
            lambda t: all(row["reached"] == 1 for row in flat(t) if row["length"] <= 6),
        ),
        Claim(
            "over 80% of the contexts have one word, weights of sum 1",
            lambda t: sum(row["1 word"] for row in flat(t)) >= 0.8 * sum(row["refinements"] for row in flat(t)),
        ),
        Claim(
            "a sampler needs at most a fifth of the contexts of a proof, weights of sum 1",
            lambda t: all(row["refinements"] <= contexts(row) / 5 for row in flat(t)),
        ),
        Claim(
            "acceptance is higher at the end than at first, wherever contexts were registered",
            lambda t: all(row["acceptance"] > row["at first"] for row in t.rows if row["refinements"] > 0),
        ),
        Claim("the sum of the proposal never grows", lambda t: all(row["norms fall"] == 1 for row in t.rows)),
    ]


def main() -> None:
    chosen = arguments(
        __doc__, out="docs/experiments/p06", small=False, sentences=20, limit=60.0, cache="build/experiments/p06"
    )
    runs = Runs(Path(chosen.cache), small=chosen.small, sentences=chosen.sentences, limit=chosen.limit)
    lengths = [3, 4, 5, 6, 8, 10, 12, 15, 20]

    def proofs(order: int, length: int, way: str) -> dict[str, Any]:
        return {} if way == "paper" and length > 10 else runs.optimise(order, length, way)

    sizes = grid(runs.sizes, length=lengths)
    table = grid(proofs, order=[2, 3, 4], length=lengths, way=["paper", "ours"])
    drawn = grid(runs.sample, order=[3, 4], length=[3, 4, 5, 6, 8], scale=["sum of 1", "as tuned"])

    prices = grid(runs.price, acceptance=[0.05, 0.2])

    def curve(figure: str, way: str, order: int) -> list[tuple[float, float]]:
        return [(row["length"], row[figure]) for row in table.where(order=order, way=way)]

    pictures = {
        "refinements": line_plot(
            {f"order {n}": curve("refinements", "paper", n) for n in (2, 3, 4)},
            title="Contexts that a proof must know, one at a time",
            x_name="words of the sentence",
            y_name="contexts",
        ),
        "solved": line_plot(
            {f"order {n}": [(x, 100 * y) for x, y in curve("solved", "ours", n)] for n in (2, 3, 4)},
            title=f"Sentences proved within {chosen.limit:.0f} s",
            x_name="words of the sentence",
            y_name="%",
        ),
        "seconds": line_plot(
            {f"{way}, order {n}": curve("seconds", way, n) for way in ("paper", "ours") for n in (2, 3, 4)},
            title="Seconds of a proof",
            x_name="words of the sentence",
            y_name="seconds",
        ),
    }
    publish(
        "Exact inference for hierarchical translation",
        __doc__,
        {
            "Grammars": (sizes, claims_of_sizes()),
            "Proofs": (table, claims_of_proofs()),
            "Samples": (drawn, claims_of_samples(table)),
            "How far to refine": (prices, claims_of_prices()),
        },
        pictures=pictures,
        out=chosen.out,
        settings={"sentences": chosen.sentences, "limit": chosen.limit, "small": chosen.small},
    )


if __name__ == "__main__":
    main()
