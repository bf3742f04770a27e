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
from dragoman.cache import StageCache
from dragoman.features.language_model import LanguageModel
from dragoman.files import read_lines
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.search.hiero import HieroDecoder, HieroSettings
from dragoman.search.left_to_right import LeftToRightDecoder, LeftToRightSettings

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
