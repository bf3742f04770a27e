"""The chart decoder: sentences per second and language model queries per source word, by pop limit.

The model is trained on Multi30k de-en: our own alignment, hierarchical rules within the usual limits, kept if the test
set can use them, a 5-gram model, untuned weights, 20 options per source side, beam = pop limit. Times are processor
time of one thread without loading.
"""

from __future__ import annotations

import tempfile
import time
from functools import cache
from pathlib import Path

from bench.contest import DATA, bench
from dragoman.align import ALIGNERS
from dragoman.files import read_lines
from dragoman.grammar.limits import HieroLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.search.hiero import HieroDecoder, HieroSettings, LanguageModel

CACHE = Path(tempfile.gettempdir()) / "hiero-of-dragoman"
POP_LIMITS = (30, 100, 400, 1000)


@cache
def models() -> tuple[RuleTable, NgramModel]:
    table, model = CACHE / "multi30k.rules", CACHE / "multi30k.lm"
    if not (table.exists() and model.exists()):
        CACHE.mkdir(exist_ok=True)
        source, target = (list(read_lines(DATA / "multi30k" / f"train.{side}.gz")) for side in ("de", "en"))
        aligner = ALIGNERS.get("fast")()
        aligner.train(source, target)
        links = [str(link) for link in aligner.align(source, target, symmetrize="posterior")]
        extract(source, target, links, table, limits=HieroLimits(), only_for=list(sentences()))
        estimate(target, order=5).build().save(model)
    return RuleTable.open(table), NgramModel.open(model)


@cache
def sentences() -> tuple[str, ...]:
    return tuple(read_lines(DATA / "multi30k" / "test_2016_flickr.de"))


@cache
def decoder(limit: int) -> HieroDecoder:
    table, model = models()
    return HieroDecoder(table, [LanguageModel("lm", model)], settings=HieroSettings(pop_limit=limit, beam=limit))


@bench("chart decoding of Multi30k test 2016, one thread")
def decoding() -> dict[str, str]:
    found: dict[str, str] = {}
    words = sum(len(line.split()) for line in sentences())
    for limit in POP_LIMITS:
        decoder(limit).translate(sentences()[:20], threads=1)
        start = time.process_time()
        results = decoder(limit).translate(sentences(), threads=1)
        seconds = time.process_time() - start
        queries = sum(result.statistics["language_model_queries"] for result in results)
        found |= {
            f"pop limit {limit}: sentences/s": f"{len(results) / seconds:,.0f}",
            f"pop limit {limit}: queries/word": f"{queries / words:,.0f}",
            f"pop limit {limit}: mean score": f"{sum(result.score for result in results) / len(results):.4f}",
        }
    return found
