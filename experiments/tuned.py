"""Systems tuned again and again, each time in some way and with some seed.

What a run gave is kept under all that it depends on, so that an experiment that was killed goes on where it was, and
its parts can be run one by one. Processor seconds are those of decoding and learning together, on all threads.
"""

from __future__ import annotations

import hashlib
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dragoman.cache import StageCache
from dragoman.features.weights import Weights
from dragoman.search.phrase import PhraseDecoder
from dragoman.text.source_text import Source
from dragoman.tuning import tune
from dragoman.tuning.base import Tuner
from dragoman.tuning.dev import DevSet
from dragoman.tuning.families import Selection
from experiments.common import Row, remembered
from experiments.systems import CACHE, DOMAINS, System, english_german, system, urdu

__all__ = ["TunedRun", "TunedSystems", "Way", "digest", "mean", "tuning_text"]

ROOMS = ("text", "lm", "grammar", "forest", "features", "search", "metrics", "tuning")
"""Rooms whose code decides what a run gives; those of training are in the key of the system."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to tune a system; without a tuner its weights are those from before tuning."""

    tuner: Tuner | None
    features: str = "dense"
    metric: str = "bleu"
    iterations: int = 10
    nbest: int = 100
    pops: int = 100
    """Pop limit and beam of search."""
    on: str = "dev"
    """What text of the system is tuned on, `a + b` for one after the other."""
    size: int = 0
    """How many sentences of that; 0 for all."""
    references: int = 0
    """How many references of each sentence; 0 for all."""
    choose: str = ""
    """Where the best iteration is chosen: on a text of the system, on what is tuned on, or `last` for the last one."""
    threads: int = 0
    names: bool = False
    """Whether the names of the features that were kept are wanted."""

    def settings(self) -> Row:
        """All of it as plain values."""
        tuner = {"name": self.tuner.name, **self.tuner.to_dict()} if self.tuner is not None else {}
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__ if name != "tuner"}, "tuner": tuner}


@dataclass(frozen=True)
class TunedRun:
    """What one run gave: scores are fractions of the metric that was tuned to."""

    outputs: Mapping[str, list[str]] = field(repr=False)
    """Translations under the chosen weights, by text."""
    passes: int = 0
    chosen: int = 0
    start: float = 0.0
    """The score on what was tuned on before tuning."""
    score: float = 0.0
    """The score there under the chosen weights."""
    last: float = 0.0
    """The score there under the last weights."""
    heldout: float = math.nan
    """The score on the text by which iterations were chosen, if that was another one."""
    length: float = 1.0
    kept: int = 0
    """Weights that are not 0 after the last iteration."""
    cpu: float = 0.0
    wall: float = 0.0
    reason: str = ""
    curve: Sequence[Sequence[float]] = field(default=(), repr=False)
    """Of each iteration: processor seconds so far, the score tuned on, and the held-out one."""
    names: Sequence[str] = field(default=(), repr=False)
    """Features that were kept after the last iteration, if wanted."""

    @property
    def cpu_per_pass(self) -> float:
        return self.cpu / max(1, self.passes)


def mean(runs: Sequence[TunedRun], figure: str) -> float:
    """Of a figure over runs."""
    return statistics.fmean(float(getattr(run, figure)) for run in runs)


class TunedSystems:
    """Systems of Multi30k into English, or small made-up ones, and what tuning made of them."""

    def __init__(self, cache: Path | str, *, small: bool = False) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.small = small
        self.stages = Path(cache or Path(self._folder.name))
        self.kept = StageCache(self.stages / "tuned")
        self._trained = self.stages if cache else CACHE
        self._systems: dict[str, System] = {}
        self._decoders: dict[tuple[str, str, int], PhraseDecoder] = {}

    def __enter__(self) -> TunedSystems:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def system(self, source: str) -> System:
        """From this language into English (from Urdu with four references), or into German for some domain."""
        if source not in self._systems:
            if source in (*DOMAINS, "both", "marked"):
                self._systems |= english_german(small=self.small, cache=self._trained)
            elif source == "ur":
                self._systems[source] = urdu(small=self.small, cache=self._trained)
            else:
                self._systems[source] = system(source, small=self.small, cache=self._trained)
        return self._systems[source]

    def decoder(self, made: System, features: str, pops: int) -> PhraseDecoder:
        """With the weights from before tuning."""
        key = made.key, features, pops
        if key not in self._decoders:
            self._decoders[key] = made.decoder(made.templates(features), pop_limit=pops)
        return self._decoders[key]

    def remember(self, what: str, settings: Mapping[str, Any], work: Callable[[], Any]) -> Any:
        """What a piece of work gave, now or in an earlier run with the same code."""
        return remembered(self.kept, what, settings, work, rooms=ROOMS)

    def run(self, made: System, way: Way, seed: int = 1, *, parts: Sequence[str] = ("test",)) -> TunedRun:
        """Tune a system in a way, and translate some of its texts."""
        texts = {name: digest(*made.texts(name)) for name in (*_parts(way.on), *parts, *_chooser(way))}
        settings = {"system": made.key, "texts": texts, "way": way.settings(), "seed": seed, "parts": list(parts)}
        found = self.remember("run", settings, lambda: asdict(self._run(made, way, seed, parts)))
        return TunedRun(**found)

    def runs(self, made: System, way: Way, seeds: int, *, parts: Sequence[str] = ("test",)) -> list[TunedRun]:
        """The same with one seed after another; once, where nothing is tuned."""
        return [self.run(made, way, seed, parts=parts) for seed in range(1, (seeds if way.tuner else 1) + 1)]

    def _run(self, made: System, way: Way, seed: int, parts: Sequence[str]) -> TunedRun:
        decoder = self.decoder(made, way.features, way.pops)
        source, references = tuning_text(made, way)
        if way.tuner is None:
            score = DevSet.of(source, references, way.metric).score(_translate(decoder, source, way.threads))
            outputs = {part: _translate(decoder, made.texts(part)[0], way.threads) for part in parts}
            return TunedRun(outputs, start=score, score=score, last=score)
        cpu, wall = time.process_time(), time.perf_counter()
        curve: list[tuple[float, float, float]] = []
        heldout = next((_of(made, name, way.references) for name in _chooser(way)), None)
        result = tune(
            decoder,
            source,
            references,
            tuner=way.tuner,
            metric=way.metric,
            heldout=heldout,
            nbest=way.nbest,
            iterations=way.iterations,
            threads=way.threads,
            seed=seed,
            watch=lambda each: curve.append((time.process_time() - cpu, each.score, each.heldout or 0.0)),
        )
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        chosen = result.history[-1] if way.choose == "last" else result.best
        tuned, last = decoder.with_weights(Weights(chosen.weights)), result.history[-1]
        return TunedRun(
            {part: _translate(tuned, made.texts(part)[0], way.threads) for part in parts},
            len(result.history) - 1,
            chosen.number,
            result.history[0].score,
            chosen.score,
            last.score,
            math.nan if chosen.heldout is None else chosen.heldout,
            chosen.length_ratio,
            Selection.of(last.weights).size,
            round(cpu, 2),
            round(wall, 2),
            result.reason,
            curve,
            [name for name, value in last.weights.items() if value] if way.names else [],
        )


def tuning_text(made: System, way: Way) -> tuple[list[Source], list[list[str]]]:
    """What a way tunes on: source and references."""
    source: list[Source] = []
    lists: list[list[str]] = []
    for part in _parts(way.on):
        more, references = _of(made, part, way.references)
        source = source + more
        lists = [one + other for one, other in zip(lists, references, strict=True)] if lists else references
    size = way.size or len(source)
    return source[:size], [each[:size] for each in lists]


def _of(made: System, part: str, references: int) -> tuple[list[Source], list[list[str]]]:
    """A text with so many references; 0 for all."""
    source, lists = made.texts(part)
    return source, lists[: references or None]


def _parts(on: str) -> list[str]:
    return [part.strip() for part in on.split("+")]


def _chooser(way: Way) -> list[str]:
    return [] if way.choose in ("", "last") else [way.choose]


def digest(*texts: Any) -> str:
    """What stands for texts in settings."""
    return hashlib.blake2b(repr(texts).encode(), digest_size=8).hexdigest()


def _translate(decoder: PhraseDecoder, source: Sequence[Source], threads: int) -> list[str]:
    return [found.text for found in decoder.translate(source, threads=threads)]
