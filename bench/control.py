"""What control and insight cost: beginnings, references, word graphs, gaps, confidence, reasons, features of places.

All models are of the first 2,000 pairs of Multi30k de-en (our own alignment, 3-gram model, untuned weights, pop limit
200); the first 100 sentences of `test_2016_flickr` are translated, where references are those of people. Times are
processor time of one thread, the best of three runs, in milliseconds a sentence.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Protocol

from bench.contest import DATA, bench
from dragoman.align import ALIGNERS
from dragoman.files import read_lines
from dragoman.grammar.extraction_features import ExtractionFeature, RuleOccurrence, TrainingPair
from dragoman.grammar.phrases import extract
from dragoman.pipeline.control import Control
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.train import train
from dragoman.search.confidence import word_evidence
from dragoman.search.constraints import Constraints
from dragoman.search.lattice import Lattice
from dragoman.search.reasons import explain_sentence

CACHE = Path(tempfile.gettempdir()) / "control-of-dragoman"
PAIRS, SENTENCES = 2000, 100
IDLE = 1.02


@cache
def bitext() -> tuple[list[str], list[str]]:
    source, target = (list(read_lines(DATA / "multi30k" / f"train.{side}.gz"))[:PAIRS] for side in ("de", "en"))
    return source, target


@cache
def test() -> tuple[list[str], list[str]]:
    source, target = (
        list(read_lines(DATA / "multi30k" / f"test_2016_flickr.{side}"))[:SENTENCES] for side in ("de", "en")
    )
    return source, target


@cache
def model(kind: str) -> Model:
    """Trained once; its decoder translates tokens, as they are shipped."""
    search = {"pop_limit": 200, "beam": 200}
    recipe = Recipe(kind=kind, tokenized=True, order=3, aligner="fast", tuner="none", search=search)
    folder = Path(tempfile.mkdtemp()) / kind
    return train(*bitext(), output=folder, languages=("de", "en"), recipe=recipe, cache=CACHE, progress=False)


def best(work: Callable[[], object], runs: int = 3) -> float:
    """Milliseconds a sentence."""
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return 1000 * min(seconds) / SENTENCES


@bench("beginnings that are given, by their share of the reference")
def beginnings() -> dict[str, str]:
    decoder, (source, target) = model("phrase").decoder, test()
    found = {}
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        words = [line.split() for line in target]
        limits = [Constraints(prefix=tuple(each[: round(share * len(each))])) for each in words]
        found[f"{share:.0%}"] = f"{best(partial(decoder.translate, source, threads=1, constraints=limits)):.2f} ms"
    return found


@bench("translations that are given")
def references() -> dict[str, str]:
    decoder, (source, target) = model("phrase").decoder, test()
    own = [each.text for each in decoder.translate(source, threads=1)]
    reached = sum(each is not None for each in decoder.force(source, target))
    pairs = list(zip(source, target, strict=True))
    return {
        "free": f"{best(lambda: decoder.translate(source, threads=1)):.2f} ms",
        "its own": f"{best(lambda: decoder.force(source, own, threads=1)):.2f} ms",
        "references of people": f"{best(lambda: decoder.force(source, target, threads=1)):.2f} ms",
        "of these it can write": f"{reached} of {len(source)}",
        "why it cannot write one": f"{best(lambda: [decoder.diagnose(*each) for each in pairs]):.2f} ms",
    }


@bench("confusion networks, by how many words stand in each place")
def networks() -> dict[str, str]:
    """Beside each word stand others of the text, which are less likely."""
    decoder, (source, _) = model("phrase").decoder, test()
    others = sorted({word for line in source for word in line.split()})
    found = {"no network": f"{best(lambda: decoder.translate(source, threads=1)):.2f} ms"}
    for size in (1, 2, 3):
        made = [
            Lattice.of_columns(
                [(word, 0.0), *((others[(7 * at + 11 * n) % len(others)], -3.0) for n in range(1, size))]
                for at, word in enumerate(line.split())
            )
            for line in source
        ]
        found[f"{size}"] = f"{best(partial(decoder.translate_lattices, made, threads=1)):.2f} ms"
    return found


@bench("phrases with gaps")
def gaps() -> dict[str, str]:
    source = test()[0]
    contiguous, gappy = (
        best(partial(model(kind).decoder.translate, source, threads=1)) for kind in ("phrase", "gappy")
    )
    rules = {kind: model(kind).report["stages"]["table"]["rules"] for kind in ("phrase", "gappy")}
    return {
        "contiguous": f"{contiguous:.2f} ms, {rules['phrase']:,} rules",
        "with gaps": f"{gappy:.2f} ms, {rules['gappy']:,} rules",
        "times as long": f"{gappy / contiguous:.1f}",
    }


@bench("insight: what is added to a translation")
def insight() -> dict[str, str]:
    decoder, source = model("phrase").decoder, test()[0]
    kept = decoder.translate(source, threads=1, forests=True)
    return {
        "translation": f"{best(lambda: decoder.translate(source, threads=1)):.2f} ms",
        "with all that search found": f"{best(lambda: decoder.translate(source, threads=1, forests=True)):.2f} ms",
        "and evidence of confidence": f"{best(lambda: [word_evidence(each, 0.5) for each in kept]):.2f} ms more",
        "or reasons of each phrase": f"{best(lambda: [explain_sentence(each) for each in kept]):.2f} ms more",
        "or a page": f"{best(lambda: [each.explain(nbest=3)._repr_html_() for each in kept]):.2f} ms more",
    }


class Length(ExtractionFeature):
    """Words of the sentences that a rule comes from."""

    columns = ("sentence.words",)

    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
        return [[len(pair.source)] for _ in occurrences]


@bench("features of the places where rules occur, extraction from 2,000 pairs")
def places() -> dict[str, str]:
    aligner = ALIGNERS.get("fast")()
    aligner.train(*bitext())
    links = [str(each) for each in aligner.align(*bitext(), symmetrize="posterior")]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, features in (
            ("none", []),
            ("two in C++ (unaligned, edge)", ["unaligned", "edge"]),
            ("one in Python", [Length()]),
        ):
            seconds = best(partial(extract, *bitext(), links, Path(folder) / "table", features=features, threads=1))
            found[name] = f"{seconds * SENTENCES / 1000:.2f} s"
    return found


@bench("what asks nothing, of the same without")
def idle() -> dict[str, str]:
    """Constraints of decoders, and control of a model, that ask nothing; runs take turns."""
    source, found = test()[0], {}
    asked = [Constraints()] * len(source)
    for kind in ("phrase", "hiero", "lr-hiero"):
        decoder = model(kind).decoder
        found[f"constraints, {kind}"] = _ratio(
            partial(decoder.translate, source, threads=1),
            partial(decoder.translate, source, threads=1, constraints=asked),
        )
    whole = model("phrase")
    found["control of a model"] = _ratio(
        lambda: whole.translate(source, threads=1),
        lambda: whole.translate(source, threads=1, control=Control()),
    )
    return found


class _Told(Protocol):
    """A translation, of a decoder or of a model."""

    @property
    def text(self) -> str: ...


def _ratio(plain: Callable[[], Sequence[_Told]], asking: Callable[[], Sequence[_Told]]) -> str:
    times: dict[str, list[float]] = {"plain": [], "asking": []}
    said = [each.text for each in plain()]
    for _ in range(7):
        for name, work in (("plain", plain), ("asking", asking)):
            start = time.process_time()
            if [each.text for each in work()] != said:
                raise AssertionError("what asks nothing changed a translation")
            times[name].append(time.process_time() - start)
    ratio = min(times["asking"]) / min(times["plain"])
    return f"{ratio:.3f} (at most {IDLE}: {'ok' if ratio <= IDLE else 'MISSED'})"
