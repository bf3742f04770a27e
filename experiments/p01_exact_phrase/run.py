"""Exact phrase-based decoding: what does a proof cost, and how many errors are the search's?

    python experiments/p01_exact_phrase/run.py --out docs/experiments/p01

Aziz, Dymetman and Specia (2014) prove the best derivation of every sentence of newstest2012 under phrase-based models
with language models of order 3 to 5 and distortion limits of 4 to 6, and count the search errors of beam search and
cube pruning. Here: Multi30k German to English (29,000 pairs, `val` to tune by 5 rounds of batch MIRA, seed 1;
tokenised as shipped), aligned by the fast aligner, phrases of at most 5 words, 20 options a span, dense features,
linear distortion with the final jump, no lexicalised reordering. Weights are tuned once, with the 3-gram at a limit
of 4; language models of order 4 and 5 then take the place of the 3-gram. The first sentences of `test_2016_flickr` of
8 to 20 words.

All times are seconds of processor time, one sentence at a time on one thread. Rows of the first table: all sentences of
the test set, by their words, under models that people have: `3-gram` and `5-gram` are the dense models at a limit of 4
with 10 options a span, `default` is the default recipe for text that is tokenised and in lower case (`tokenized`,
`case=keep`): a 5-gram, a 7-gram over classes, hierarchical lexicalised reordering, sparse templates, a limit of 6, 20
options a span; how many were proved within 60 s, and the largest gap of those that were not. Second table: what memory
the default model takes under a limit (`--memory`) for the sentences whose proofs were the largest of those that took
less than 30 s: `MB` is the most that the process took for one of them beyond what it had when the models were loaded
(resident, as Linux counts it), how many were ended by the limit, and the largest gap that was left.

Third table: `paper` refines from nothing and keeps everything, as published; `ours` begins with what cube pruning finds
and drops what cannot win. Figures are means over sentences: seconds until there is a first bound and seconds of the
whole proof, iterations, nodes and edges at the beginning and at the end, the share of texts that promised most and had
not done so before, when the optimum was first met (share of the iterations), the share of optima that were met in the
last tenth of the iterations, the share of live nodes that know as many words as the language model looks back; `MB` is
the most memory that the process took for the proofs of a row beyond what it had when the models were loaded. Fourth
table: live nodes at the end, and different contexts that were ever told apart, by the number m of words that they know,
as published, at a limit of 4. Fifth table: searches of beam k (beam search up to 2,000), errors out of all sentences,
mean gap of errors, BLEU, how it differs from that of the optimum, and the p-value of that (paired approximate
randomisation, 10,000 samples). Sixth table: with a beam of 10, how many sentences only one of two settings gets wrong,
and the p-value of that (McNemar's test, exact, two-sided); claims about them correct it for the comparisons they look
at (Holm). Last table: 10 and 20 options a span, as published. With `--small` a synthetic bitext stands in.
"""

from __future__ import annotations

import ctypes
import gc
import math
import statistics
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import itertools

from dragoman.charts import line_plot
from dragoman.evaluation.contingency import mcnemar
from dragoman.features.language_model import LanguageModel
from dragoman.lm import estimate
from dragoman.search.base import Decoder
from dragoman.search.certificate import Certificate
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.settings import ExactSettings
from dragoman.search.translation import SentenceTranslation
from experiments.common import Claim, Table, arguments, grid, publish, smallest_p
from experiments.comparison import LEVEL, compared, holm
from experiments.trained import TrainedModels

RECIPE = [
    "templates=",
    "classes=0",
    "aligner=fast",
    "tuner=mira",
    "iterations=5",
    "reordering=",
    "max_phrase=5",
    "search.distortion_limit=4",
    "search.final_jump=true",
    "search.option_limit=20",
]
DEFAULT = ["case=keep"]
BANDS = {
    "1-10": range(11),
    "11-15": range(11, 16),
    "16-20": range(16, 21),
    "21-25": range(21, 26),
    "26-31": range(26, 99),
}
"""Words of a sentence."""
MEMORY = {"64M": 64, "256M": 256, "1G": 1024}
"""Limits, in MB."""
MODELS = ("3-gram", "5-gram", "default")
WAYS = {
    "paper": ExactSettings(prune_every=0, seed_search=False, time_limit=600),
    "ours": ExactSettings(time_limit=600),
}
BEAMS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
WIDEST = BEAMS[-1]
WIDEST_STACK = 2000


def memory(what: str) -> float:
    """Of this process, in MB: `VmRSS` is what it has, `VmHWM` the most that it had since `forget_most`."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(what)).split()[1]) / 1024


def forget_most() -> None:
    """Give back what is free, and begin to watch memory anew."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", "utf-8")


def timed(decoder: PhraseDecoder, line: str, settings: ExactSettings) -> SentenceTranslation:
    """A sentence with its proof; `seconds` are those of the processor, whatever else the machine does."""
    before = time.process_time()
    found = decoder.optimize([line], settings, threads=1)[0]
    return replace(found, seconds=time.process_time() - before)


class Runs(TrainedModels):
    """Models and translations, each made once."""

    def __init__(self, cache: Path, *, small: bool, sentences: int) -> None:
        super().__init__(cache, small=small)
        self.sentences = min(sentences, 8) if small else sentences
        self.most = 3 if small else None
        self.megabytes: dict[tuple[int, int, str], float] = {}

    @cache  # noqa: B019 - one object lives as long as the program
    def chosen(self) -> tuple[list[str], list[str]]:
        pairs = [pair for pair in zip(*self.texts("test"), strict=True) if 8 <= len(pair[0].split()) <= 20]
        source, target = zip(*pairs[: self.sentences], strict=True)
        return list(source), list(target)

    @cache  # noqa: B019
    def decoder(self, order: int, limit: int, options: int = 20) -> PhraseDecoder:
        if limit != 4 or options != 20:
            return self.decoder(order, 4).with_settings(distortion_limit=limit, option_limit=options)
        fast = ["iterations=2"] if self.small else []
        tuned = self.model("model-3", [*RECIPE, *fast, "order=3"]).decoder
        assert isinstance(tuned, PhraseDecoder)
        if order == 3:
            return tuned
        other = LanguageModel("lm", estimate(self.texts("train")[1], order=order).build())
        return PhraseDecoder(tuned.table, [other], tuned.weights, tuned.settings)

    @cache  # noqa: B019
    def loaded(self, order: int) -> float:
        """Memory with the models of an order, and with their bounds, before anything was proved by them."""
        self.decoder(order, 4).optimize([""])
        forget_most()
        return memory("VmRSS")

    @cache  # noqa: B019
    def exact(self, order: int, limit: int, way: str, options: int = 20) -> list[SentenceTranslation]:
        before = self.loaded(order)
        forget_most()
        found = [timed(self.decoder(order, limit, options), line, WAYS[way]) for line in self.chosen()[0]]
        if options == 20:
            self.megabytes[order, limit, way] = memory("VmHWM") - before
        return found

    def seconds_to_begin(self, order: int, limit: int, way: str, options: int) -> float:
        """Until there is a first bound, and its best derivation."""
        first = replace(WAYS[way], iterations=0)
        decoder = self.decoder(order, limit, options)
        return statistics.fmean(timed(decoder, line, first).seconds for line in self.chosen()[0])

    @cache  # noqa: B019
    def usual(self, model: str) -> PhraseDecoder:
        """A model that people have, by its name."""
        if model != "default":
            return self.decoder(int(model[0]), 4, 10)
        fast = ["aligner=fast", "iterations=1", "classes=5"] if self.small else []
        found = self.model("default", [*fast, *DEFAULT]).decoder
        assert isinstance(found, PhraseDecoder)
        return found

    def warm(self, model: str) -> float:
        """Memory with a model and its bounds, before anything is proved by them."""
        self.usual(model).optimize([""])
        forget_most()
        return memory("VmRSS")

    @cache  # noqa: B019
    def solved(self, model: str, words: str) -> tuple[list[tuple[str, SentenceTranslation]], float]:
        """The sentences of so many words with their proofs, and the memory that these took."""
        before = self.warm(model)
        lines = [line for line in self.texts("test")[0] if len(line.split()) in BANDS[words]][: self.most]
        proofs = [(line, timed(self.usual(model), line, ExactSettings(time_limit=150))) for line in lines]
        return proofs, memory("VmHWM") - before

    def practical(self, model: str, words: str) -> dict[str, Any]:
        found, megabytes = self.solved(model, words)
        if not found:
            return {}
        proofs = [(each.seconds, each.proof) for _, each in found if each.proof is not None]
        seconds = sorted(spent for spent, _ in proofs)
        return {
            "sentences": len(proofs),
            "solved in 60 s": sum(proof.optimal and spent <= 60 for spent, proof in proofs),
            "largest gap": max(proof.gap for _, proof in proofs),
            "median": statistics.median(seconds),
            "95%": seconds[int(0.95 * len(seconds))],
            "longest": seconds[-1],
            "iterations": statistics.fmean(len(proof.trace) for _, proof in proofs),
            "MB": megabytes,
            "errors of cube pruning": sum(proof.score > (proof.seeded or -math.inf) + 1e-3 for _, proof in proofs),
        }

    @cache  # noqa: B019
    def hardest(self) -> list[str]:
        """For the default model: the sentences whose proofs were the largest."""
        sizes = [
            (max(row.edges for row in each.proof.trace), line)
            for words in BANDS
            for line, each in self.solved("default", words)[0]
            if each.proof is not None and each.seconds < 30
        ]
        return [line for _, line in sorted(sizes, reverse=True)[:5]]

    def within(self, limit: str) -> dict[str, Any]:
        """What memory the hardest sentences take."""
        settings = ExactSettings(time_limit=60, memory=MEMORY[limit] * 2**20)
        taken, proofs = [], []
        for line in self.hardest():
            before = self.warm("default")
            proofs.append(timed(self.usual("default"), line, settings).proof)
            taken.append(memory("VmHWM") - before)
        return {
            "sentences": len(proofs),
            "MB": max(taken),
            "of the limit": max(taken) / MEMORY[limit],
            "ended by it": sum(proof is not None and proof.stop == "memory" for proof in proofs),
            "largest gap": max(proof.gap for proof in proofs if proof is not None),
        }

    def costs(self, order: int, limit: int, way: str, options: int = 20) -> dict[str, Any]:
        found = self.exact(order, limit, way, options)
        proofs = [each.proof for each in found if each.proof is not None]
        last = [proof.trace[-1] for proof in proofs]
        mean = statistics.fmean

        def first_met(proof: Any) -> float:
            met = next(at for at, row in enumerate(proof.trace, 1) if row.best >= proof.score - 1e-9)
            return met / len(proof.trace)

        seconds = sorted(each.seconds for each in found)
        return {
            "solved": mean(proof.optimal for proof in proofs),
            "iterations": mean(len(proof.trace) for proof in proofs),
            "V0": mean(proof.sizes["nodes_at_first"] for proof in proofs),
            "E0": mean(proof.sizes["edges_at_first"] for proof in proofs),
            "V": mean(row.nodes for row in last),
            "E": mean(row.edges for row in last),
            "build": self.seconds_to_begin(order, limit, way, options),
            "seconds": mean(seconds),
            "median": statistics.median(seconds),
            "95%": seconds[int(0.95 * len(seconds))],
            "MB": self.megabytes.get((order, limit, way), math.nan) if options == 20 else math.nan,
            "distinct": mean(proof.sizes["distinct"] / len(proof.trace) for proof in proofs),
            "ms an iteration": 1000 * sum(seconds) / sum(len(proof.trace) for proof in proofs),
            "first met": mean(map(first_met, proofs)),
            "met late": mean(first_met(proof) > 0.9 for proof in proofs),
            "top level": mean(proof.levels[-1] / max(1, sum(proof.levels)) for proof in proofs),
        }

    def levels(self, order: int) -> dict[str, Any]:
        """What nodes know at the end, by the number of words."""
        proofs = [each.proof for each in self.exact(order, 4, "paper") if each.proof is not None]
        nodes = {f"nodes {m}": statistics.fmean(proof.levels[m] for proof in proofs) for m in range(order)}
        told = []
        for proof in proofs:
            certificate = proof.certificate
            assert isinstance(certificate, Certificate)
            told.append({words for _, _, words in certificate.contexts})
        contexts = {
            f"contexts {m}": statistics.fmean(sum(len(words) == m for words in each) for each in told)
            for m in range(1, order)
        }
        names = [*(f"nodes {m}" for m in range(5)), *(f"contexts {m}" for m in range(1, 5))]
        return {name: {**nodes, **contexts}.get(name, math.nan) for name in names}

    @cache  # noqa: B019
    def searched(self, order: int, limit: int, search: str, k: int) -> tuple[list[str], list[float], float]:
        """Texts, how far they score below the optimum, and seconds of a sentence."""
        decoder: Decoder = self.decoder(order, limit).with_settings(search=search, beam=k, pop_limit=k)
        before = time.process_time()
        found = decoder.translate(self.chosen()[0], threads=1)
        seconds = (time.process_time() - before) / len(found)
        best = self.exact(order, limit, "ours")
        gaps = [one.score - other.score for one, other in zip(best, found, strict=True)]
        assert min(gaps) > -1e-3, "a search found what exact search says cannot be"
        return [each.text for each in found], gaps, seconds

    def errors(self, order: int, limit: int, search: str, k: int) -> dict[str, Any]:
        texts, gaps, seconds = self.searched(order, limit, search, k)
        best = [each.text for each in self.exact(order, limit, "ours")]
        wrong = [gap for gap in gaps if gap > 1e-3]
        bleu = compared("bleu:tokenize=none", [self.chosen()[1]], [texts], [best])
        return {
            "errors": len(wrong),
            "share": len(wrong) / len(gaps),
            "gap": statistics.fmean(wrong) if wrong else 0.0,
            "BLEU": bleu["BLEU"],
            "difference": bleu["difference"] if texts != best else 0.0,
            "p": bleu["p"],
            "seconds": seconds,
        }

    def chance(self, comparison: str) -> dict[str, Any]:
        """Two settings of search with a beam of 10, sentence by sentence."""
        one, other = (self._cell(text) for text in comparison.split(" or "))
        first, second = ([gap > 1e-3 for gap in self.searched(*cell, 10)[1]] for cell in (one, other))
        return {
            "only the first": sum(a and not b for a, b in zip(first, second, strict=True)),
            "only the second": sum(b and not a for a, b in zip(first, second, strict=True)),
            "p": mcnemar(first, second),
        }

    @staticmethod
    def _cell(text: str) -> tuple[int, int, str]:
        search, order, limit = text.split()
        return int(order), int(limit), search


def falls(rows: list[dict[str, Any]], figure: str) -> bool:
    values = [row[figure] for row in rows]
    return all(after <= before for before, after in itertools.pairwise(values))


def ratios(table: Table, figure: str, **chosen: Any) -> list[float]:
    values = [row[figure] for row in table.where(**chosen)]
    return [after / before for before, after in itertools.pairwise(values)]


def practical_claims() -> list[Claim]:
    return [
        Claim(
            "with the 3-gram the median is below 1 s, whatever the length",
            lambda t: all(row["median"] < 1 for row in t.where(model="3-gram")),
        ),
        Claim(
            "and 95% of the sentences are proved within 10 s",
            lambda t: all(row["95%"] < 10 for row in t.where(model="3-gram")),
        ),
        *(
            Claim(
                f"{model}: every sentence of up to 25 words is proved within 60 s",
                lambda t, model=model: all(
                    row["solved in 60 s"] == row["sentences"] for row in t.where(model=model) if row["words"] != "26-31"
                ),
            )
            for model in MODELS
        ),
        *(
            Claim(
                f"{model}: every sentence is proved within 60 s",
                lambda t, model=model: all(row["solved in 60 s"] == row["sentences"] for row in t.where(model=model)),
            )
            for model in MODELS
        ),
    ]


def memory_claims() -> list[Claim]:
    return [
        Claim("a proof takes no more memory than its limit", lambda t: all(row["of the limit"] <= 1 for row in t.rows)),
        Claim("nor twice as much", lambda t: all(row["of the limit"] <= 2 for row in t.rows)),
    ]


def cost_claims() -> list[Claim]:
    return [
        Claim("every sentence is proved within the time limit", lambda t: all(row["solved"] == 1 for row in t.rows)),
        Claim("memory of the proofs stays below 1 GB", lambda t: all(row["MB"] < 1024 for row in t.rows)),
        Claim(
            "nodes at the beginning about double with each unit of the limit (1.6 to 3)",
            lambda t: all(1.6 <= r <= 3 for r in ratios(t, "V0", order=3, way="paper")),
        ),
        Claim(
            "edges at the beginning at least double (1.8 to 3.5)",
            lambda t: all(1.8 <= r <= 3.5 for r in ratios(t, "E0", order=3, way="paper")),
        ),
        Claim(
            "iterations grow with the limit",
            lambda t: all(r > 1 for r in ratios(t, "iterations", order=3, way="paper")),
        ),
        Claim(
            "iterations grow with the order",
            lambda t: all(r > 1 for r in ratios(t, "iterations", limit=4, way="paper")),
        ),
        Claim(
            "at the end 2 to 15 times as many nodes as at the beginning",
            lambda t: all(2 <= row["V"] / row["V0"] <= 15 for row in t.where(way="paper")),
        ),
        Claim(
            "fewer than 10% of the nodes know all words that a model of order 4 or 5 looks back",
            lambda t: all(row["top level"] < 0.1 for row in t.where(way="paper") if row["order"] >= 4),
        ),
        Claim(
            "over 90% of the texts that promise most are different ones",
            lambda t: all(row["distinct"] > 0.9 for row in t.where(way="paper")),
        ),
        Claim(
            "most optima are first met in the last tenth of the iterations",
            lambda t: all(row["met late"] > 0.5 for row in t.where(way="paper")),
        ),
    ]


def level_claims() -> list[Claim]:
    return [
        Claim(
            "most nodes know one or two words",
            lambda t: all(
                row["nodes 1"] + row["nodes 2"] > 0.5 * sum(row[f"nodes {m}"] for m in range(row["order"]))
                for row in t.rows
            ),
        ),
        Claim(
            "contexts of two words are told apart more often than longer ones",
            lambda t: all(row["contexts 2"] > row[f"contexts {m}"] for row in t.rows for m in range(3, row["order"])),
        ),
    ]


def error_claims() -> list[Claim]:
    def lines(t: Table) -> list[list[dict[str, Any]]]:
        keys = {(row["order"], row["limit"], row["search"]): 0 for row in t.rows}
        return [t.where(order=order, limit=limit, search=search) for order, limit, search in keys]

    def pairs(t: Table) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        return [
            (stack, t.where(order=stack["order"], limit=stack["limit"], search="cube", k=stack["k"])[0])
            for stack in t.where(search="stack")
        ]

    return [
        Claim("errors fall with the beam", lambda t: all(falls(line, "errors") for line in lines(t))),
        Claim(
            "beam search makes no error from a beam of 1,000 on",
            lambda t: all(row["errors"] == 0 for row in t.where(search="stack") if row["k"] >= 1000),
        ),
        Claim(
            "at the same beam cube pruning makes at least as many errors as beam search",
            lambda t: all(cube["errors"] >= stack["errors"] for stack, cube in pairs(t)),
        ),
        Claim(
            "with the widest beam BLEU of cube pruning is within 0.05 of the optimum's",
            lambda t: all(abs(row["difference"]) <= 0.05 for row in t.where(search="cube", k=WIDEST)),
        ),
        Claim(
            f"with a beam of 10 it is below (p < {LEVEL}, all five rows corrected by Holm)",
            lambda t: all(
                row["difference"] < 0 and p < LEVEL
                for row, p in zip(
                    t.where(search="cube", k=10),
                    holm([row["p"] for row in t.where(search="cube", k=10)]),
                    strict=True,
                )
            ),
        ),
        Claim(
            f"in no row do search errors change BLEU more than chance would (p < {LEVEL} in none, all rows corrected)",
            lambda t: smallest_p(t.rows) >= LEVEL,
        ),
    ]


COMPARISONS = (
    *(f"{search} {one} 4 or {search} {two} 4" for search in ("cube", "stack") for one, two in ((3, 4), (4, 5), (3, 5))),
    *(f"{search} 3 {one} or {search} 3 {two}" for search in ("cube", "stack") for one, two in ((4, 5), (5, 6), (4, 6))),
    *(f"cube {order} {limit} or stack {order} {limit}" for order, limit in ((3, 4), (3, 5), (3, 6), (4, 4), (5, 4))),
)
"""Search, order and limit of one, and of the other."""


def chance_claims() -> list[Claim]:
    def sure(t: Table, chosen: list[str], more: str, fewer: str) -> list[bool]:
        rows = [row for name in chosen for row in t.where(comparison=name)]
        corrected = holm([row["p"] for row in rows])
        return [row[more] > row[fewer] and p < LEVEL for row, p in zip(rows, corrected, strict=True)]

    def grow(search: str, what: str, at: slice) -> Claim:
        chosen = [each for each in COMPARISONS if each.startswith(search) and " or " + search in each][at]
        return Claim(
            f"errors of {search} with a beam of 10 grow with {what}, from the least to the most (p < {LEVEL})",
            lambda t: sure(t, chosen, "only the second", "only the first")[-1],
        )

    return [
        grow("cube", "the order", slice(0, 3)),
        grow("stack", "the order", slice(0, 3)),
        grow("cube", "the limit", slice(3, 6)),
        grow("stack", "the limit", slice(3, 6)),
        Claim(
            f"with a beam of 10 cube pruning makes more errors than beam search, all orders and limits (p < {LEVEL})",
            lambda t: all(sure(t, list(COMPARISONS[-5:]), "only the first", "only the second")),
        ),
    ]


def main() -> None:
    chosen = arguments(__doc__, out="docs/experiments/p01", small=False, sentences=200, cache="build/experiments/p01")
    runs = Runs(Path(chosen.cache), small=chosen.small, sentences=chosen.sentences)
    cells = [(3, 4), (3, 5), (3, 6), (4, 4), (5, 4)]

    def costs(order: int, limit: int, way: str) -> dict[str, Any]:
        return runs.costs(order, limit, way) if (order, limit) in cells else {}

    def options(tol: int) -> dict[str, Any]:
        return runs.costs(3, 4, "paper", tol)

    def errors(order: int, limit: int, search: str, k: int) -> dict[str, Any]:
        looked_at = (order, limit) in cells and (search == "cube" or k <= WIDEST_STACK)
        return runs.errors(order, limit, search, k) if looked_at else {}

    practice = grid(runs.practical, model=MODELS, words=list(BANDS))
    held = grid(runs.within, limit=list(MEMORY))
    sizes = grid(costs, order=[3, 4, 5], limit=[4, 5, 6], way=list(WAYS))
    found = grid(errors, order=[3, 4, 5], limit=[4, 5, 6], search=["stack", "cube"], k=list(BEAMS))
    growth = grid(options, tol=[10, 20])
    known = grid(runs.levels, order=[3, 4, 5])
    chances = grid(runs.chance, comparison=COMPARISONS)

    def curve(**fixed: Any) -> list[tuple[float, float]]:
        """Errors by beam, both as logarithms; a line ends before the first beam without errors."""
        rows = itertools.takewhile(lambda row: row["errors"] > 0, found.where(**fixed))
        return [(math.log10(row["k"]), math.log10(row["errors"])) for row in rows]

    longest = max(runs.exact(3, 4, "paper"), key=lambda each: len(each.proof.trace) if each.proof else 0).proof
    assert longest is not None
    pictures = {
        "trace": line_plot(
            {
                "promised": [(at, row.bound) for at, row in enumerate(longest.trace)],
                "reached": [(at, row.score) for at, row in enumerate(longest.trace)],
                "best": [(at, row.best) for at, row in enumerate(longest.trace)],
            },
            title="A proof, as published: order 3, limit 4",
            x_name="iterations",
            y_name="score",
        ),
        "growth": line_plot(
            {
                "nodes": [(row["limit"], row["V"]) for row in sizes.where(order=3, way="paper")],
                "nodes at first": [(row["limit"], row["V0"]) for row in sizes.where(order=3, way="paper")],
                "iterations": [(row["limit"], row["iterations"]) for row in sizes.where(order=3, way="paper")],
            },
            title="Growth with the distortion limit, order 3",
            x_name="distortion limit",
            y_name="number",
        ),
        "seconds": line_plot(
            {
                f"{way}, order {n}": [(row["limit"], row["seconds"]) for row in sizes.where(order=n, way=way)]
                for way in WAYS
                for n in (3, 4, 5)
            },
            title="Seconds of a proof by distortion limit and order",
            x_name="distortion limit",
            y_name="seconds",
        ),
        "orders": line_plot(
            {
                f"{search}, order {n}": curve(order=n, limit=4, search=search)
                for search in ("stack", "cube")
                for n in (3, 4, 5)
            },
            title="Search errors by beam and order of the language model, limit 4",
            x_name="log10 of the beam",
            y_name="log10 of the errors",
        ),
        "limits": line_plot(
            {
                f"{search}, limit {d}": curve(order=3, limit=d, search=search)
                for search in ("stack", "cube")
                for d in (4, 5, 6)
            },
            title="Search errors by beam and distortion limit, order 3",
            x_name="log10 of the beam",
            y_name="log10 of the errors",
        ),
    }
    doubled = [
        Claim("twice the options are about twice the edges (1.4 to 2.2)", lambda t: 1.4 <= ratios(t, "E0")[0] <= 2.2),
        Claim(
            "and about twice the time of an iteration (1.4 to 2.6)",
            lambda t: 1.4 <= ratios(t, "ms an iteration")[0] <= 2.6,
        ),
        Claim("iterations change by less than 20%", lambda t: 0.8 < ratios(t, "iterations")[0] < 1.2),
    ]
    publish(
        "Exact phrase-based decoding",
        __doc__,
        {
            "Models that people have": (practice, practical_claims()),
            "Memory": (held, memory_claims()),
            "What a proof costs": (sizes, cost_claims()),
            "What nodes know": (known, level_claims()),
            "Search errors": (found, error_claims()),
            "More than chance": (chances, chance_claims()),
            "Options per span": (growth, doubled),
        },
        pictures=pictures,
        out=chosen.out,
        settings={"sentences": chosen.sentences, "small": chosen.small},
    )


if __name__ == "__main__":
    main()
