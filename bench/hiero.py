"""Hierarchical decoders: sentences per second and language model queries per source word, by pop limit.

The models are trained on Multi30k de-en: our own alignment, hierarchical rules within the usual limits, kept if the
test set can use them, a 5-gram model, weights from before tuning, 20 options per source side, beam = pop limit. Times
are processor time of one thread without loading. Moses' chart decoder was not run beside it: its seconds were measured
on the same kind of machine and test set, with its own table, filtered likewise, and its default weights. Model scores
of different weights do not compare.
"""

from __future__ import annotations

import tempfile
import time
from functools import cache
from pathlib import Path

from bench.contest import DATA, bench
from dragoman.align import ALIGNERS
from dragoman.annotations import Constituent, Dependencies, Sentence
from dragoman.cache import StageCache
from dragoman.features import template
from dragoman.features.language_model import LanguageModel
from dragoman.files import read_lines
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.search.hiero import HieroDecoder, HieroSettings
from dragoman.search.left_to_right import LeftToRightDecoder, LeftToRightSettings
from dragoman.text.source_text import SourceText

CACHE = Path(tempfile.gettempdir()) / "hiero-of-dragoman"
POP_LIMITS = (100, 400, 1000)
MOSES_SECONDS = {100: 26.6, 400: 87.7, 1000: 251.0}
TARGET = 3.0


@cache
def models() -> tuple[RuleTable, RuleTable, NgramModel]:
    """Tables for the chart and for decoding from left to right, and the language model."""

    def work(folder: Path) -> None:
        source, target = (list(read_lines(DATA / "multi30k" / f"train.{side}.gz")) for side in ("de", "en"))
        aligner = ALIGNERS.get("fast")()
        aligner.train(source, target)
        links = [str(link) for link in aligner.align(source, target, symmetrize="posterior")]
        for name, limits in (("chart.rules", HieroLimits()), ("left.rules", LeftToRightLimits())):
            extract(source, target, links, folder / name, limits=limits, only_for=list(sentences()))
        estimate(target, order=5).build().save(folder / "lm")

    made = StageCache(CACHE).run("models", work=work, rooms=("align", "grammar", "lm"))
    chart_table, left_table = (RuleTable.open(made.file(name)) for name in ("chart.rules", "left.rules"))
    return chart_table, left_table, NgramModel.open(made.file("lm"))


@cache
def sentences() -> tuple[str, ...]:
    return tuple(read_lines(DATA / "multi30k" / "test_2016_flickr.de"))


@cache
def chart(limit: int) -> HieroDecoder:
    table, _, model = models()
    settings = HieroSettings(pop_limit=limit, beam=limit)
    made = HieroDecoder(table, [LanguageModel("lm", model)], settings=settings)
    return made.with_weights(made.start_weights())


@cache
def left_to_right(limit: int) -> LeftToRightDecoder:
    _, table, model = models()
    settings = LeftToRightSettings(pop_limit=limit, beam=limit, reordering_features=True)
    made = LeftToRightDecoder(table, [LanguageModel("lm", model)], settings=settings)
    return made.with_weights(made.start_weights())


def measured(decoder: HieroDecoder | LeftToRightDecoder, limit: int) -> tuple[float, float, dict[str, str]]:
    """Seconds for the test set, queries per word, and both with the mean score as figures."""
    words = sum(len(line.split()) for line in sentences())
    decoder.translate(sentences()[:20], threads=1)
    start = time.process_time()
    results = decoder.translate(sentences(), threads=1)
    seconds = time.process_time() - start
    queries = sum(result.statistics["language_model_queries"] for result in results) / words
    return (
        seconds,
        queries,
        {
            f"pop limit {limit}: sentences/s": f"{len(results) / seconds:,.0f}",
            f"pop limit {limit}: queries/word": f"{queries:,.0f}",
            f"pop limit {limit}: mean score": f"{sum(result.score for result in results) / len(results):.4f}",
        },
    )


@bench("chart decoding of Multi30k test 2016, one thread")
def decoding() -> dict[str, str]:
    found: dict[str, str] = {}
    for limit in POP_LIMITS:
        seconds, _, figures = measured(chart(limit), limit)
        ratio = MOSES_SECONDS[limit] / seconds
        verdict = "ok" if ratio >= TARGET else "SHORT"
        found |= figures
        found[f"pop limit {limit}: Moses' chart decoder took, of our time"] = (
            f"{ratio:.1f} (target {TARGET:g} {verdict})"
        )
    return found


@bench("left-to-right decoding of Multi30k test 2016, one thread")
def decoding_from_left() -> dict[str, str]:
    found: dict[str, str] = {}
    for limit in POP_LIMITS:
        _, queries, figures = measured(left_to_right(limit), limit)
        _, charts, _ = measured(chart(limit), limit)
        found |= figures
        found[f"pop limit {limit}: queries of those of the chart"] = f"{queries / charts:.2f} (target at most 0.25)"
    return found


LABELS = ("NP", "VP", "PP", "S", "SBAR", "ADJP")


def halved(start: int, end: int, depth: int = 0) -> Constituent:
    """A tree over words that halves every phrase: what it costs to look at a tree does not depend on its sense."""
    if end - start < 2:
        return Constituent(LABELS[depth % len(LABELS)], (start,))
    middle = (start + end) // 2
    parts = (halved(start, middle, depth + 1), halved(middle, end, depth + 2))
    return Constituent(LABELS[depth % len(LABELS)], parts)


def chain(size: int) -> Dependencies:
    """A projective tree of pairs: every second word hangs on the one before it, that on the one two words before."""
    heads = [place - 1 if place % 2 else place - 2 for place in range(size)]
    return Dependencies((-1, *heads[1:]), ("x",) * size)


@bench("soft syntactic constraints: what 22 features that weigh nothing cost")
def soft_constraints() -> dict[str, str]:
    texts = []
    for line in sentences():
        words = line.split()
        texts.append(SourceText.annotated(Sentence.of(words, constituents=halved(0, len(words)))))
    found: dict[str, str] = {}
    for limit in POP_LIMITS[:2]:
        plain = chart(limit)
        constrained = plain.with_features([template("syntax:constraints=fine")], plain.weights)
        best = {name: float("inf") for name in ("plain", "constrained")}
        outputs = {}
        for _ in range(3):
            for name, decoder in (("plain", plain), ("constrained", constrained)):
                start = time.process_time()
                outputs[name] = [each.text for each in decoder.translate(texts, threads=1)]
                best[name] = min(best[name], time.process_time() - start)
        assert outputs["plain"] == outputs["constrained"]
        more = 100 * (best["constrained"] / best["plain"] - 1)
        verdict = "ok" if more <= 15 else "SHORT"
        found[f"pop limit {limit}: more processor time"] = f"{more:.1f} % (target at most 15 % {verdict})"
    return found


@bench("extraction of rules that fit dependency trees, of the time of all hierarchical rules")
def constrained_extraction() -> dict[str, str]:
    source, target = (list(read_lines(DATA / "multi30k" / f"train.{side}.gz"))[:10_000] for side in ("de", "en"))
    aligner = ALIGNERS.get("fast")()
    aligner.train(source, target)
    links = [str(link) for link in aligner.align(source, target, symmetrize="posterior")]
    trees = [Sentence.of(line.split(), dependencies=chain(len(line.split()))) for line in source]
    best: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for _ in range(2):
        for name, limits in (
            ("all", HieroLimits()),
            ("ghkm", HieroLimits(dependencies="source")),
            ("filter", HieroLimits(dependencies="source", constraint="filter")),
        ):
            with tempfile.TemporaryDirectory() as folder:
                start = time.process_time()
                made = extract(source, target, links, Path(folder) / "t", limits=limits, annotations=trees, threads=1)
                best[name] = min(best.get(name, float("inf")), time.process_time() - start)
                sizes[name] = made.table.with_gaps
    return {
        f"{name}: of the time of all rules": f"{best[name] / best['all']:.2f} (target at most 2), "
        f"{sizes[name]:,} rules with nonterminals of {sizes['all']:,}"
        for name in ("ghkm", "filter")
    }
