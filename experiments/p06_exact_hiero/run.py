"""Exact inference for hierarchical translation: how many contexts must a proof, or a sampler, know?

    python experiments/p06_exact_hiero/run.py --out docs/experiments/p06

Aziz, Dymetman and Venkatapathy (2013) find the best derivation of a hierarchical grammar under a language model, and
sample from all derivations, by intersecting the grammar with automata that make one more context exact at a time; and
find that few of the contexts that could stand in a translation are ever needed. Here: Multi30k German to English
(29,000 pairs), tuned by ten rounds of batch MIRA on `val` (seed 1; dense features, a 5-gram, cubes of 500, tokenised as
shipped); then 10 target sides per source side, and language models of order 2 to 4 in the place of the 5-gram;
sentences of 1 to 20 words of `test_2016_flickr`, and beginnings of longer ones where there are too few.

Tables, in their order:

- Grammars: how many words, pairs of words that may stand side by side, and edges a forest has by the length of the
  sentence.
- A proof, step by step: the first sentence of 4 words, order 4, as published: edges, the text that promises most, what
  it promises (Q), what it scores (P), the best so far (B), the gaps Q - P and Q - B, and the context that is registered
  next, with the states of its automaton.
- Proofs: `paper` registers one context at a time, from words that know nothing of their own rule, and keeps everything;
  `ours` begins with what cube pruning finds, drops what cannot win, lets words know their rule, and registers all that
  a derivation lacks. Refinements by the number of words in a context, and the share of those of one word in the first
  and in the second half; edges at the end over edges at the beginning, with their standard deviation; contexts of two
  words, and all contexts, per compatible bigram; the share of compatible bigrams that follow a registered context; when
  the optimum was first met (share of the iterations); the largest difference between the proved score and that of chart
  decoding that keeps everything, where that was run (up to 4 words).
- A sampler, round by round: the same sentence and order, weights scaled to a sum of 1, 500 draws a round: the logarithm
  of the sum of the proposal, samples so far, acceptance, and the context that is registered next.
- Samples: refinement until so many of 500 draws are accepted, words knowing nothing of their own rule, as published;
  with the weights scaled to a sum of 1, as those of the paper were, and as they are tuned. Figures are means over the
  sentences that reached it.
- How far to refine: seconds for N samples of sentences of 6 words, refinement included, if it ends at 5% or at 10%,
  order 4, with both scales; `difference` is what 10% costs more, for each N, with its p-value over sentences (signs
  flipped at random, 10,000 times).
- Proofs of both decoders: the chart as above, and left to right with rules of its own kind (`kind=lr-hiero`, open ends
  `ab`, a pop limit of 500, otherwise as above), order 3, with what search finds to begin with and 20 s for a sentence.
- Search errors: what their searches miss with so many pops for a cube (chart) or stack, out of the sentences of the
  table before where that is known; the mean and the largest gap, and the p-value of errors of a search from left to
  right beside the plain one of as many pops (McNemar's test, exact, two-sided).

Seconds are those of the processor, one sentence at a time. Those of samplers at a level are by the clock, times the
share of the clock that the processor worked for the whole run. With `--small` a synthetic bitext.
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
from dataclasses import replace

from dragoman.charts import line_plot
from dragoman.drawing import Drawing
from dragoman.evaluation.contingency import mcnemar
from dragoman.evaluation.search_errors import KnownOptimum, Output, SystemErrors, count_errors
from dragoman.features.language_model import LanguageModel
from dragoman.forest import Derivation, Forest
from dragoman.lm import estimate
from dragoman.search.exact import (
    ForestOptimum,
    Samples,
    bounded_models,
    optimize_forest,
    sample_forest,
    upper_bounds,
)
from dragoman.search.hiero import HieroDecoder
from dragoman.search.left_to_right import LeftToRightDecoder
from dragoman.search.settings import ExactSettings, SampleSettings
from dragoman.search.translation import SentenceTranslation
from experiments.common import Claim, Table, arguments, grid, publish
from experiments.comparison import LEVEL, flipped
from experiments.trained import TrainedModels

RECIPE = ["templates=", "classes=0", "tuner=mira", "kind=hiero", "search.pop_limit=500", "search.beam=500"]
LEFT_RECIPE = ["templates=", "classes=0", "tuner=mira", "kind=lr-hiero"]
FLAT, TUNED = "sum of 1", "as tuned"
PLAIN = "left to right"
SEARCHES: dict[str, dict[str, Any]] = {
    "chart": {},
    PLAIN: {},
    "left to right, diversity 15": {"queue_diversity": 15},
    "left to right, lazy": {"lazy": True},
}
"""Searches whose errors are counted, by the decoder that stands before the comma."""
POPS = (10, 20, 50, 100, 200, 500)
SEARCHED = (4, 6, 8, 10, 12, 15)
"""Words of the sentences that they are asked."""
LEVELS = {2: (0.01, 0.05, 0.1), 3: (0.01, 0.02, 0.03, 0.05, 0.1), 4: (0.05, 0.1)}
"""Acceptance that samplers are refined to, by the order of the language model."""
WANTED = (1, 10, 100, 1000, 10_000, 100_000, 10**6)
"""Samples that are paid for."""


def sizes_of(contexts: list[tuple[str, ...]]) -> dict[str, float]:
    """Contexts by their number of words."""
    return {f"{n} word" + "s" * (n > 1): float(sum(len(each) == n for each in contexts)) for n in (1, 2, 3)}


def share_of_one_word(contexts: list[tuple[str, ...]]) -> float:
    return statistics.fmean(len(each) == 1 for each in contexts) if contexts else math.nan


def known_mean(rows: list[dict[str, float]], name: str) -> float:
    """Over the rows that have the figure."""
    found = [row[name] for row in rows if not math.isnan(row[name])]
    return statistics.fmean(found) if found else math.nan


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

    def literal(self) -> ExactSettings:
        """As published."""
        return ExactSettings(
            time_limit=self.limit, prune_every=0, seed_search=False, contexts=1, in_rule=False, memory=2**30
        )

    @cache  # noqa: B019
    def traced(self) -> ForestOptimum:
        """The proof that is shown step by step."""
        return optimize_forest(self.forests(4, 4)[0], self.models(4), self.literal())

    def trace(self, step: int) -> dict[str, Any]:
        """A step of it; nothing after its end."""
        forest, models, whole = self.forests(4, 4)[0], self.models(4), self.traced()
        if step >= len(whole.proof.trace):
            return {}
        at = optimize_forest(forest, models, replace(self.literal(), iterations=step)).last
        promised, score, best, _, edges, *_ = whole.proof.trace[step]
        context = whole.contexts[step] if step < len(whole.contexts) else ()
        return {
            "edges": edges,
            "text": at.text if at is not None else "",
            "Q": promised,
            "P": score,
            "B": best,
            "Q - P": promised - score,
            "Q - B": promised - best,
            "context": " ".join(context).replace("<", "&lt;"),
            "states": len(context) + 1 if context else math.nan,
        }

    def optimise(self, order: int, length: int, way: str) -> dict[str, Any]:
        settings = self.literal() if way == "paper" else ExactSettings(time_limit=self.limit)
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
            pairs, contexts = compatible_bigrams(forest), list(found.contexts)
            single = {context[0] for context in contexts if len(context) == 1}
            best = [row[2] for row in found.proof.trace]
            half = len(contexts) // 2
            rows.append(
                {
                    "refinements": float(len(contexts)),
                    **sizes_of(contexts),
                    "1 word at first": share_of_one_word(contexts[:half]),
                    "1 word at last": share_of_one_word(contexts[half:]),
                    "growth": found.proof.trace[-1][4] / found.proof.edges_at_first,
                    "bigrams": float(len(pairs)),
                    "2 words a bigram": sum(len(context) == 2 for context in contexts) / len(pairs),
                    "contexts a bigram": len(contexts) / len(pairs),
                    "bigrams that follow": sum(first in single for first, _ in pairs) / len(pairs),
                    "difference": abs(max(found.proof.best, other.score) - most),
                    "best met": next(i for i, b in enumerate(best, 1) if b >= best[-1] - 1e-9) / len(best),
                    "seconds": seconds,
                }
            )
        means = {name: known_mean(rows, name) for name in rows[0]}
        growth = [row["growth"] for row in rows]
        means["growth"], means["deviation"] = means["growth"], statistics.stdev(growth) if len(growth) > 1 else 0.0
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

    def scale(self, order: int, name: str) -> float:
        """What scores are multiplied by."""
        return 1 / sum(map(abs, self.decoder(order).weights.values())) if name == FLAT else 1.0

    def sampler(self, order: int, scale: str, acceptance: float, samples: int) -> SampleSettings:
        """As published: a context after each batch of 500, from words that know nothing of their own rule."""
        return SampleSettings(
            samples=samples,
            scale=self.scale(order, scale),
            acceptance=acceptance,
            batch=500,
            refine=1,
            in_rule=False,
            time_limit=self.limit,
            memory=2**30,
        )

    @cache  # noqa: B019
    def watched(self) -> Samples[Derivation]:
        """The sampler that is shown round by round, refined to 30%."""
        return sample_forest(self.forests(4, 4)[0], self.models(4), self.sampler(4, FLAT, 0.3, 10_000))

    def round(self, number: int) -> dict[str, Any]:
        """A round of it; nothing after its end."""
        found = self.watched()
        last = next((at for at, each in enumerate(found.rounds) if each.accepted >= 0.3 * each.drawn), 10**9)
        if number >= len(found.rounds) or number > last:
            return {}
        each = found.rounds[number]
        context = found.contexts[number] if number < min(last, len(found.contexts)) else ()
        return {
            "edges": each.edges,
            "log norm": each.log_norm,
            "samples": sum(row.accepted for row in found.rounds[: number + 1]),
            "acceptance": each.accepted / each.drawn,
            "context": " ".join(context).replace("<", "&lt;"),
            "states": len(context) + 1 if context else math.nan,
        }

    @cache  # noqa: B019
    def drawn(self, order: int, length: int, scale: str) -> list[tuple[Samples[Derivation], float]]:
        """Samplers refined to the highest level, and the share of the clock that the processor worked."""
        highest = max(LEVELS[order]) if scale == FLAT else 0.05
        settings = self.sampler(order, scale, highest, 200 if self.small else 5000)
        found = []
        for number, forest in enumerate(self.forests(order, length)):
            before, clock = time.process_time(), time.perf_counter()
            drawn = sample_forest(forest, self.models(order), settings, item=number)
            found.append((drawn, (time.process_time() - before) / max(1e-9, time.perf_counter() - clock)))
        return found

    def sample(self, order: int, length: int, scale: str, acceptance: float) -> dict[str, Any]:
        """What it takes until so many draws are accepted: the rounds before that are the same for all levels."""
        if acceptance not in LEVELS[order] or (scale == TUNED and (acceptance != 0.05 or length > 8)):
            return {}
        rows = []
        for drawn, worked in self.drawn(order, length, scale):
            reached = [at for at, each in enumerate(drawn.rounds) if each.accepted >= acceptance * each.drawn]
            last = reached[0] if reached else len(drawn.rounds) - 1
            rounds, contexts = drawn.rounds[: last + 1], list(drawn.contexts[:last])
            norms = [each.log_norm for each in rounds]
            row = {
                "refinements": float(len(contexts)),
                **sizes_of(contexts),
                "growth": rounds[-1].edges / rounds[0].edges,
                "norms fall": float(all(b <= a + 1e-9 for a, b in itertools.pairwise(norms))),
                "at first": rounds[0].accepted / rounds[0].drawn,
                "at last": rounds[-1].accepted / rounds[-1].drawn,
                "seconds": rounds[-1].seconds * worked,
            }
            rows.append({"reached": float(bool(reached)), **(row if reached else dict.fromkeys(row, math.nan))})
        return {name: known_mean(rows, name) for name in rows[0]}

    @cache  # noqa: B019
    def either(self, name: str) -> HieroDecoder | LeftToRightDecoder:
        """The chart, or the decoder from left to right, with a model of order 3."""
        if name == "chart":
            return self.decoder(3)
        fast = ["aligner=fast", "iterations=2"] if self.small else []
        tuned = self.model("left", [*LEFT_RECIPE, *fast]).decoder.with_settings(option_limit=10)
        assert isinstance(tuned, LeftToRightDecoder)
        return LeftToRightDecoder(tuned.table, self.decoder(3).language_models, tuned.weights, tuned.settings)

    @cache  # noqa: B019
    def optima(self, name: str, length: int) -> list[tuple[SentenceTranslation, float]]:
        """With processor seconds."""
        found = []
        for line in self.lines(length):
            started = time.process_time()
            best = self.either(name).optimize([line], ExactSettings(time_limit=20, memory=2**30), threads=1)[0]
            found.append((best, time.process_time() - started))
        return found

    def proved(self, name: str, length: int) -> dict[str, Any]:
        """What proofs of a decoder cost."""
        found = [(best.proof, seconds) for best, seconds in self.optima(name, length) if best.proof is not None]
        mean = statistics.fmean
        return {
            "solved": mean(proof.optimal for proof, _ in found),
            "ended by memory": sum(proof.stop == "memory" for proof, _ in found),
            "largest gap": max(proof.gap for proof, _ in found),
            "iterations": mean(len(proof.trace) for proof, _ in found),
            "edges at first": mean(proof.sizes["edges_at_first"] for proof, _ in found),
            "most edges": mean(max(row.edges for row in proof.trace) for proof, _ in found),
            "seconds": mean(seconds for _, seconds in found),
        }

    @cache  # noqa: B019
    def counted(self, search: str, pops: int) -> SystemErrors:
        """The errors of a search, sentences of all lengths one after the other."""
        name = search.partition(",")[0]
        decoder = self.either(name).with_settings(pop_limit=pops, beam=pops, **SEARCHES[search])
        lines = [line for length in SEARCHED for line in self.lines(length)]
        best = [each for length in SEARCHED for each, _ in self.optima(name, length)]
        optima = [
            KnownOptimum(Output(each.text, each.score, each.seconds), each.proof.bound, each.proof.optimal)
            for each in best
            if each.proof is not None
        ]
        started = time.process_time()
        found = decoder.translate(lines, threads=1)
        seconds = (time.process_time() - started) / len(lines)
        outputs = [Output(each.text, each.score, seconds) for each in found]
        return count_errors(lines, optima, {search: outputs}).systems[0]

    def missed(self, search: str, pops: int) -> dict[str, Any]:
        """How often a search misses the optimum, and whether more or less often than the plain one."""
        errors, p = self.counted(search, pops), math.nan
        if search.startswith(f"{PLAIN}, "):
            wrong, plainly = ({each.sentence for each in one.errors} for one in (errors, self.counted(PLAIN, pops)))
            every = range(len(SEARCHED) * self.sentences)
            p = mcnemar([at in wrong for at in every], [at in plainly for at in every])
        return {
            "decided": errors.decided,
            "errors": len(errors.errors),
            "share": errors.share,
            "gap": errors.mean_gap,
            "largest": errors.largest_gap,
            "p": p,
            "seconds": errors.seconds,
        }

    @cache  # noqa: B019
    def spent(self, acceptance: float, scale: str) -> list[tuple[float, float]]:
        """Seconds of refinement and of a sample, sentence by sentence: a second run with the same seed refines as the
        first did, and then draws more."""
        few, many = (50, 250) if self.small else (2000, 12_000)
        found = []
        for number, forest in enumerate(self.forests(4, 6)):
            times = []
            for samples in (few, many):
                before = time.process_time()
                sample_forest(forest, self.models(4), self.sampler(4, scale, acceptance, samples), item=number)
                times.append(time.process_time() - before)
            each = max(0.0, times[1] - times[0]) / (many - few)
            found.append((max(0.0, times[0] - few * each), each))
        return found

    def price(self, scale: str, samples: int) -> dict[str, Any]:
        """What so many samples cost by how far the sampler was refined."""
        low, high = (
            [refined + samples * each for refined, each in self.spent(acceptance, scale)] for acceptance in (0.05, 0.1)
        )
        return {
            "5%": statistics.fmean(low),
            "10%": statistics.fmean(high),
            "difference": statistics.fmean(high) - statistics.fmean(low),
            "p": flipped(high, low),
        }


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
            "registered contexts are fewer than 10% of the compatible bigrams (6 words, as published)",
            lambda t: all(row["contexts a bigram"] < 0.1 for row in t.where(length=6, way="paper")),
        ),
        Claim(
            "those of two words are fewer than 3% of them (6 words, order 4, as published)",
            lambda t: all(row["2 words a bigram"] < 0.03 for row in t.where(length=6, way="paper", order=4)),
        ),
        Claim(
            "fewer than 10% of the compatible bigrams follow a context that was registered (6 words, as published)",
            lambda t: all(row["bigrams that follow"] < 0.1 for row in t.where(length=6, way="paper")),
        ),
        Claim(
            "contexts of one word come first: their share is greater in the first half (order 3 and 4, as published)",
            lambda t: all(
                row["1 word at first"] > row["1 word at last"] for row in t.where(way="paper") if row["order"] > 2
            ),
        ),
        Claim(
            "pruning leaves a forest several times smaller (6 words, order 4)",
            lambda t: (
                t.mean("growth", order=4, length=6, way="paper") > 3 * t.mean("growth", order=4, length=6, way="ours")
            ),
        ),
    ]


def claims_of_both() -> list[Claim]:
    return [
        Claim(
            f"{name}: every sentence of up to {most} words is proved",
            lambda t, name=name, most=most: all(
                row["solved"] == 1 for row in t.where(name=name) if row["length"] <= most
            ),
        )
        for name in ("chart", PLAIN)
        for most in (10, 15)
    ]


def claims_of_errors() -> list[Claim]:
    return [
        *(
            Claim(
                f"errors of {search} never grow with the pops",
                lambda t, search=search: falls([row["errors"] for row in t.where(search=search)]),
            )
            for search in SEARCHES
        ),
        *(
            Claim(
                f"{search} makes no error from 200 pops on",
                lambda t, search=search: all(
                    row["errors"] == 0 for row in t.where(search=search) if row["pops"] >= 200
                ),
            )
            for search in ("chart", PLAIN)
        ),
        Claim(
            f"with 10 pops a queue diversity of 15 makes fewer errors (p < {LEVEL})",
            lambda t: sure_of_fewer(t, "left to right, diversity 15"),
        ),
        Claim(
            f"with 10 pops lazy search makes more errors (p < {LEVEL})",
            lambda t: sure_of_fewer(t, "left to right, lazy", -1),
        ),
    ]


def sure_of_fewer(table: Table, search: str, sign: int = 1) -> bool:
    row, plain = (table.where(search=each, pops=10)[0] for each in (search, PLAIN))
    return bool(sign * (plain["errors"] - row["errors"]) > 0 and row["p"] < LEVEL)


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
    def sure(t: Table, samples: int, cheaper: int) -> bool:
        row = t.where(scale=FLAT, samples=samples)[0]
        return bool(row["difference"] * cheaper < 0 and row["p"] < LEVEL)

    return [
        Claim(
            f"for 100 samples it is cheaper to refine to 5% (weights of sum 1, p < {LEVEL})", lambda t: sure(t, 100, -1)
        ),
        Claim(
            f"for a million it is cheaper to refine to 10% (weights of sum 1, p < {LEVEL})", lambda t: sure(t, 10**6, 1)
        ),
    ]


def claims_of_samples(proofs: Table) -> list[Claim]:
    def contexts(row: dict[str, Any]) -> float:
        return proofs.mean("refinements", order=row["order"], length=row["length"], way="paper")

    def flat(t: Table) -> list[dict[str, Any]]:
        """Where some sentence reached 5%."""
        return [row for row in t.where(scale=FLAT, acceptance=0.05) if row["order"] > 2 and row["reached"] > 0]

    return [
        Claim(
            "5% are accepted for every sentence of up to 6 words, weights of sum 1",
            lambda t: all(row["reached"] == 1 for row in flat(t) if row["length"] <= 6),
        ),
        Claim(
            "over 80% of the contexts have one word, weights of sum 1, 5%",
            lambda t: sum(row["1 word"] for row in flat(t)) >= 0.8 * sum(row["refinements"] for row in flat(t)),
        ),
        Claim(
            "a sampler needs at most a fifth of the contexts of a proof, weights of sum 1, 5%",
            lambda t: all(row["refinements"] <= contexts(row) / 5 for row in flat(t)),
        ),
        Claim(
            "refinements grow with the acceptance that is asked for, weights of sum 1",
            lambda t: all(
                one["refinements"] <= other["refinements"]
                for one, other in itertools.pairwise(t.where(scale=FLAT, reached=1))
                if (one["order"], one["length"]) == (other["order"], other["length"])
            ),
        ),
        Claim(
            "acceptance is higher at the end than at first, wherever contexts were registered",
            lambda t: all(row["at last"] > row["at first"] for row in t.rows if row["refinements"] > 0),
        ),
        Claim(
            "the sum of the proposal never grows",
            lambda t: all(row["norms fall"] == 1 for row in t.rows if row["reached"] > 0),
        ),
    ]


def claims_of_trace() -> list[Claim]:
    return [
        Claim("what is promised never rises", lambda t: falls([row["Q"] for row in t.rows])),
        Claim("the best never falls", lambda t: falls([-row["B"] for row in t.rows])),
        Claim("the last promise is kept", lambda t: t.rows[-1]["Q - B"] <= 1e-3),
        Claim("the first context is the beginning of the sentence", lambda t: t.rows[0]["context"] == "&lt;s>"),
        Claim("edges never become fewer", lambda t: falls([-row["edges"] for row in t.rows])),
    ]


def claims_of_rounds() -> list[Claim]:
    return [
        Claim("30% are accepted in the end", lambda t: t.rows[-1]["acceptance"] >= 0.3),
        Claim("the sum falls with every context", lambda t: falls([row["log norm"] for row in t.rows])),
        Claim("all contexts have one word", lambda t: all(row["states"] == 2 for row in t.rows[:-1])),
    ]


def falls(values: list[float]) -> bool:
    return all(after <= before + 1e-9 for before, after in itertools.pairwise(values))


def main() -> None:
    chosen = arguments(
        __doc__, out="docs/experiments/p06", small=False, sentences=20, limit=60.0, cache="build/experiments/p06"
    )
    runs = Runs(Path(chosen.cache), small=chosen.small, sentences=chosen.sentences, limit=chosen.limit)
    lengths = [*range(1, 11), 12, 15, 20]

    def proofs(order: int, length: int, way: str) -> dict[str, Any]:
        return {} if way == "paper" and length > 10 else runs.optimise(order, length, way)

    drawn_lengths = list(range(1, 10))
    sizes = grid(runs.sizes, length=lengths)
    steps = grid(runs.trace, step=range(200))
    rounds = grid(runs.round, number=range(200))
    table = grid(proofs, order=[2, 3, 4], length=lengths, way=["paper", "ours"])
    drawn = grid(
        runs.sample,
        order=[2, 3, 4],
        length=drawn_lengths,
        scale=[FLAT, TUNED],
        acceptance=sorted(set(sum(LEVELS.values(), ()))),
    )
    prices = grid(runs.price, scale=[FLAT, TUNED], samples=WANTED)
    both = grid(runs.proved, name=["chart", PLAIN], length=SEARCHED)
    missed = grid(runs.missed, search=list(SEARCHES), pops=POPS)

    def curve(figure: str, way: str, order: int) -> list[tuple[float, float]]:
        return [(row["length"], row[figure]) for row in table.where(order=order, way=way)]

    def drawn_curves(figure: str) -> dict[str, list[tuple[float, float]]]:
        """Where every sentence reached it."""
        return {
            f"order {n}, {100 * level:.0f}%": [
                (row["length"], row[figure])
                for row in drawn.where(order=n, scale=FLAT, acceptance=level)
                if row["reached"] == 1
            ]
            for n, levels in LEVELS.items()
            for level in levels
        }

    def by_length(figure: str, title: str) -> Drawing:
        points = [(row["length"], row[figure]) for row in sizes.rows]
        return line_plot({"": points}, title=title, x_name="words of the sentence", y_name="number")

    def by_step(rows: Table, at: str, lines: dict[str, str], title: str, y_name: str, *, zero: bool = True) -> Drawing:
        found = {name: [(row[at], row[figure]) for row in rows.rows] for name, figure in lines.items()}
        return line_plot(found, title=title, x_name="iterations", y_name=y_name, zero=zero)

    pictures = {
        "words": by_length("words", "Words that a forest can say"),
        "bigrams": by_length("bigrams", "Pairs of words that may stand side by side"),
        "edges": by_length("edges", "Edges of a forest"),
        "certificate": by_step(
            steps, "step", {"Q, promised": "Q", "P, reached": "P", "B, best": "B"}, "A proof", "score", zero=False
        ),
        "gaps": by_step(
            steps,
            "step",
            {"C, current gap": "Q - P", "M, least gap": "Q - B", "R, states of the refinement": "states"},
            "Its gaps, and what it learned",
            "score, states",
        ),
        "norm": by_step(rounds, "number", {"": "log norm"}, "A sampler: its sum", "log", zero=False),
        "acceptance": by_step(rounds, "number", {"": "acceptance"}, "A sampler: acceptance", "share of draws"),
        "exact-samples": by_step(rounds, "number", {"": "samples"}, "A sampler: exact samples so far", "samples"),
        "refined": by_step(rounds, "number", {"": "states"}, "A sampler: states of the refinement", "states"),
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
        "errors": line_plot(
            {
                search: [(math.log10(row["pops"]), 100 * row["share"]) for row in missed.where(search=search)]
                for search in SEARCHES
            },
            title="Search errors by pops, order 3",
            x_name="log10 of the pops",
            y_name="% of sentences",
        ),
        "seconds": line_plot(
            {f"{way}, order {n}": curve("seconds", way, n) for way in ("paper", "ours") for n in (2, 3, 4)},
            title="Seconds of a proof",
            x_name="words of the sentence",
            y_name="seconds",
        ),
        "sampler-refinements": line_plot(
            drawn_curves("refinements"),
            title="Contexts that a sampler must know",
            x_name="words of the sentence",
            y_name="contexts",
        ),
        "sampler-seconds": line_plot(
            drawn_curves("seconds"),
            title="Seconds of refining a sampler",
            x_name="words of the sentence",
            y_name="seconds",
        ),
        "price": line_plot(
            {
                f"refined to {level}": [
                    (math.log10(row["samples"]), math.log10(max(1e-6, row[level]))) for row in prices.where(scale=FLAT)
                ]
                for level in ("5%", "10%")
            },
            title="What samples cost: order 4, 6 words, weights of sum 1",
            x_name="log10 of the samples",
            y_name="log10 of the seconds",
            zero=False,
        ),
    }
    publish(
        "Exact inference for hierarchical translation",
        __doc__,
        {
            "Grammars": (sizes, claims_of_sizes()),
            "A proof, step by step": (steps, claims_of_trace()),
            "Proofs": (table, claims_of_proofs()),
            "A sampler, round by round": (rounds, claims_of_rounds()),
            "Samples": (drawn, claims_of_samples(table)),
            "How far to refine": (prices, claims_of_prices()),
            "Proofs of both decoders": (both, claims_of_both()),
            "Search errors": (missed, claims_of_errors()),
        },
        pictures=pictures,
        out=chosen.out,
        settings={"sentences": chosen.sentences, "limit": chosen.limit, "small": chosen.small},
    )


if __name__ == "__main__":
    main()
