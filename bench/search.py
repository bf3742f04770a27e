"""The phrase decoder: speed beside what Moses took, threads, growth with length and pop limit, and memory.

The model is trained on Multi30k de-en: our own alignment, hierarchical reordering, a 5-gram model, untuned weights,
distortion limit 6, 20 options per phrase, beam = pop limit. Times are processor time of one thread without loading.
Moses and sil-thot were not run beside it: their figures were measured on the same kind of machine and data, with their
own tables and tuned weights (Moses: cube pruning with the same limits, one thread, time in the decoder; sil-thot: its
own model trained with its defaults, test set of 1,000 sentences). Model scores of different weights do not compare.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from bench.contest import DATA, bench, highest_memory
from dragoman.align import ALIGNERS
from dragoman.cache import StageCache
from dragoman.charts import line_plot
from dragoman.drawing import beside
from dragoman.files import read_lines
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.search.constraints import Constraints
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings

CACHE = Path(tempfile.gettempdir()) / "decoder-of-dragoman"
PICTURE = Path(__file__).parent / "results" / "search-growth.svg"
MOSES_SECONDS = {100: 3.3, 400: 8.0, 1000: 17.8}
THOT_SECONDS = 31.3
TARGET = 5.0


@cache
def models() -> tuple[RuleTable, NgramModel]:
    def work(folder: Path) -> None:
        source, target = (list(read_lines(DATA / "multi30k" / f"train.{side}.gz")) for side in ("de", "en"))
        aligner = ALIGNERS.get("fast")()
        aligner.train(source, target, threads=2)
        links = aligner.align(source, target, symmetrize="posterior", threads=2)
        scoring = Scoring(reordering=ReorderingModel.parse("hier-mslr-bidirectional-fe"))
        extract(source, target, [str(link) for link in links], folder / "table", scoring=scoring)
        estimate(target, order=5).build().save(folder / "lm")

    made = StageCache(CACHE).run("models", work=work, rooms=("align", "grammar", "lm"))
    return RuleTable.open(made.file("table")), NgramModel.open(made.file("lm"))


@cache
def decoder(limit: int) -> PhraseDecoder:
    table, model = models()
    made = PhraseDecoder(table, [LanguageModel("lm", model)], {}, PhraseSettings(pop_limit=limit, beam=limit))
    return made.with_weights(made.start_weights())


@cache
def sentences() -> tuple[str, ...]:
    return tuple(read_lines(DATA / "multi30k" / "test_2016_flickr.de"))


def processor_seconds(limit: int, lines: Sequence[str], *, threads: int = 1) -> float:
    start = time.process_time()
    decoder(limit).translate(lines, threads=threads)
    return time.process_time() - start


@bench("decode Multi30k test 2016, one thread", peer="Moses")
def decoding() -> dict[str, str]:
    found: dict[str, str] = {}
    for limit, moses in MOSES_SECONDS.items():
        decoder(limit).translate(sentences()[:20], threads=1)
        seconds, results = float("inf"), []
        for _ in range(3):
            start = time.process_time()
            results = decoder(limit).try_translate(sentences(), threads=1)
            seconds = min(seconds, time.process_time() - start)
        done = [result for result in results if not isinstance(result, Exception)]
        built, queries = (
            sum(result.statistics[name] for result in done) / seconds for name in ("built", "language_model_queries")
        )
        ratio = moses / seconds
        found |= {
            f"pop limit {limit}: seconds": f"{seconds:.2f}",
            f"pop limit {limit}: sentences/s": f"{len(done) / seconds:,.0f}",
            f"pop limit {limit}: nodes/s": f"{built:,.0f}",
            f"pop limit {limit}: language model queries/s": f"{queries:,.0f}",
            f"pop limit {limit}: mean model score": f"{np.mean([result.score for result in done]):.4f}",
            f"pop limit {limit}: times as fast as Moses' {moses} s, not run beside it": (
                f"{ratio:.1f} (target {TARGET:g}, {'ok' if ratio >= TARGET else 'SHORT'})"
            ),
            f"pop limit {limit}: times as fast as sil-thot's {THOT_SECONDS} s, not run beside it": (
                f"{THOT_SECONDS / seconds:.1f}"
            ),
        }
    return found


@bench("two threads beside one")
def threads() -> dict[str, str]:
    limit = 400
    best = {1: float("inf"), 2: float("inf")}
    for _ in range(3):
        for count in best:
            start = time.perf_counter()
            decoder(limit).translate(sentences(), threads=count)
            best[count] = min(best[count], time.perf_counter() - start)
    return {"elapsed time of one thread / of two": f"{best[1] / best[2]:.2f}", "note": "needs two idle cores"}


@bench("growth with length and pop limit")
def growth() -> dict[str, str]:
    """Sentences of a length are cut from the test set, run together; every point decodes about 3,000 words."""
    tokens = " ".join(sentences()).split()
    lengths, limits = (5, 10, 20, 40, 60, 80, 100), (50, 100, 200, 500, 1000, 2000, 5000)
    by_length = []
    for length in lengths:
        lines = [" ".join(tokens[at : at + length]) for at in range(0, 3000 - length + 1, length)]
        by_length.append(min(processor_seconds(200, lines) for _ in range(2)) / len(lines))
    some = [line for line in sentences() if len(line.split()) >= 15][:20]
    by_limit = [min(processor_seconds(limit, some) for _ in range(2)) / len(some) for limit in limits]
    draw(lengths, by_length, limits, by_limit)
    return {
        "time by length 5..100, pop limit 200: R² of a line": f"{_fit(lengths, by_length):.4f}",
        "time by pop limit 50..5000, sentences of 15 words and more: R² of a line": f"{_fit(limits, by_limit):.4f}",
        "milliseconds per sentence by length": ", ".join(
            f"{length}: {1000 * seconds:.2f}" for length, seconds in zip(lengths, by_length, strict=True)
        ),
        "milliseconds per sentence by pop limit": ", ".join(
            f"{limit}: {1000 * seconds:.2f}" for limit, seconds in zip(limits, by_limit, strict=True)
        ),
        "picture": PICTURE.name,
    }


@bench("memory while decoding 1,000 sentences, in a process of its own")
def memory() -> dict[str, str]:
    """The peak of a process is that of all it ever did: one that has trained the models tells nothing of decoding."""
    models()  # trained here, if they are not there yet
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        opened, first, last = pool.submit(_peaks).result()
    return {
        "models opened": f"{opened / 1024:.0f} MB",
        "peak memory": f"{first / 1024:.0f} MB",
        "growth in three more rounds": f"{(last - first) / 1024:.1f} MB",
    }


def _peaks() -> tuple[int, int, int]:
    """Kilobytes at most until the models were open, after one round, and after three more, sentence by sentence."""
    made = decoder(400)
    found = [highest_memory()]
    made.translate(sentences(), threads=1)
    found.append(highest_memory())
    for _ in range(3):
        for line in sentences():
            made.translate([line], threads=1)
    found.append(highest_memory())
    return found[0], found[1], found[2]


def _fit(x: Sequence[float], y: Sequence[float]) -> float:
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def draw(lengths: Sequence[int], by_length: Sequence[float], limits: Sequence[int], by_limit: Sequence[float]) -> None:
    """Two line plots side by side."""
    panels = (
        line_plot(
            {"": zip(x, (1000 * one for one in seconds), strict=True)},
            title=title,
            x_name=x_name,
            y_name="milliseconds per sentence",
        )
        for title, x_name, x, seconds in (
            ("pop limit 200", "source words", lengths, by_length),
            ("15 words and more", "pop limit", limits, by_limit),
        )
    )
    title = "Decoding time grows linearly with sentence length and with the pop limit"
    PICTURE.write_text(beside(*panels, title=title).svg(), "utf-8")


@bench("constraints that ask nothing, of the same decoding without")
def idle() -> dict[str, str]:
    """What the machinery of constraints costs where it is not used; translations must be the same."""
    lines, made = sentences()[:300], decoder(200)
    asked = [Constraints()] * len(lines)
    seconds = {"without": float("inf"), "with": float("inf")}
    for _ in range(5):
        for name, constraints in (("without", []), ("with", asked)):
            start = time.process_time()
            found = made.translate(lines, threads=1, constraints=constraints)
            seconds[name] = min(seconds[name], time.process_time() - start)
            if name == "without":
                plain = [each.text for each in found]
            elif [each.text for each in found] != plain:
                raise AssertionError("constraints that ask nothing changed a translation")
    return {"ratio": f"{seconds['with'] / seconds['without']:.3f}", "target": "at most 1.02"}
